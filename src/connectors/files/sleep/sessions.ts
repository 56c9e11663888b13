/**
 * Groups segments of sleep into sessions with stages. Some files contain no nights, only segments: time in bed, time asleep, and the stages
 * that a watch or an app derived.
 */
import { present } from '../../../core/present.ts'
import { type EpochMs, HOUR_MS } from '../../../core/time.ts'

/** Minimum time between segments of one source that belong to different sessions. */
export const SESSION_GAP_MS = HOUR_MS
/** A sleep stage: -1 asleep in an unknown stage, 1 deep, 2 light, 3 REM, 4 awake. */
export type SleepStage = -1 | 1 | 2 | 3 | 4

export interface SleepSegment {
  readonly start: EpochMs
  readonly end: EpochMs
  /** Null if the person is in bed, asleep or not. */
  readonly stage: SleepStage | null
  /** UTC offset at the end, in seconds east of UTC, or NO_OFFSET. */
  readonly endOffset: number
  /** Byte position of the segment's record in the file. */
  readonly byte: number
}

export interface StagePiece {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly stage: SleepStage
}

/** A sleep session from one source. */
export interface SleepSession {
  readonly sourceType: string
  readonly start: EpochMs
  readonly end: EpochMs
  readonly endOffset: number
  /** Stages in ascending order, without overlaps. In a gap, the person is in bed in an unknown state. */
  readonly stages: readonly StagePiece[]
  /** Byte positions of the session's records in the file, ascending. */
  readonly bytes: readonly number[]
  /** Whether the session includes time in bed or awake. If not, the time before falling asleep is unknown. */
  readonly hasBedTime: boolean
}

/** Groups one source's segments into sessions. A segment joins the previous session if it starts within an hour of the session's end. */
export function groupSessions(sourceType: string, segments: readonly SleepSegment[]): readonly SleepSession[] {
  const sorted = [...segments].sort((a, b) => a.start - b.start || a.end - b.end || (a.stage ?? 0) - (b.stage ?? 0))
  const sessions: SleepSession[] = []
  let group: SleepSegment[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const segment of sorted) {
    if (group.length > 0 && segment.start > end + SESSION_GAP_MS) {
      sessions.push(buildSession(sourceType, group))
      group = []
      end = Number.NEGATIVE_INFINITY
    }
    group.push(segment)
    end = Math.max(end, segment.end)
  }
  if (group.length > 0) sessions.push(buildSession(sourceType, group))
  return sessions
}

/** Returns the session of segments in the order of their start. There must be one. */
export function buildSession(sourceType: string, sorted: readonly SleepSegment[]): SleepSession {
  const first = present(sorted[0], 'a segment of sleep')
  const last = sorted.reduce((latest, each) => (each.end > latest.end ? each : latest), first)
  const exact = withoutOverlaps(sorted.filter(each => each.stage !== null && each.stage !== -1))
  const vague = withoutOverlaps(sorted.filter(each => each.stage === -1))
  return {
    sourceType,
    start: first.start,
    end: last.end,
    endOffset: last.endOffset,
    stages: joined([...exact, ...outside(vague, exact)].sort((a, b) => a.start - b.start)),
    bytes: sorted.map(each => each.byte).sort((a, b) => a - b),
    hasBedTime: sorted.some(each => each.stage === null || each.stage === 4),
  }
}

/** Removes overlaps; the earlier segment keeps its time. */
function withoutOverlaps(sorted: readonly SleepSegment[]): readonly StagePiece[] {
  const pieces: StagePiece[] = []
  let taken = Number.NEGATIVE_INFINITY
  for (const { start, end, stage } of sorted) {
    if (end <= taken || stage === null) continue
    pieces.push({ start: Math.max(start, taken), end, stage })
    taken = end
  }
  return pieces
}

/** Returns the parts of `pieces` that do not overlap `others`. Both lists are ascending and without overlaps. */
function outside(pieces: readonly StagePiece[], others: readonly StagePiece[]): readonly StagePiece[] {
  const free: StagePiece[] = []
  let next = 0
  for (const { start, end, stage } of pieces) {
    let from = start
    while ((others[next]?.end ?? Number.POSITIVE_INFINITY) <= from) next++
    for (let i = next; i < others.length; i++) {
      const other = others[i]
      if (!other || other.start >= end) break
      if (other.start > from) free.push({ start: from, end: other.start, stage })
      from = other.end
    }
    if (from < end) free.push({ start: from, end, stage })
  }
  return free
}

/** Merges adjacent pieces of the same stage. */
function joined(pieces: readonly StagePiece[]): readonly StagePiece[] {
  const result: StagePiece[] = []
  for (const piece of pieces) {
    const last = result.at(-1)
    if (last !== undefined && last.end === piece.start && last.stage === piece.stage) {
      result[result.length - 1] = { ...last, end: piece.end }
    } else result.push(piece)
  }
  return result
}
