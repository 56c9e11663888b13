/**
 * Converts an export's sleep records into sleep sessions and their stages. An export contains only segments: time in bed, time asleep, and
 * the stages that a watch or an app derived.
 */
import { getOrInsert } from '../../../core/maps.ts'
import { present } from '../../../core/present.ts'
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../core/time.ts'
import type { RecordImport } from '../records/import.ts'

/** Minimum time between segments of one source that belong to different sessions. */
export const SESSION_GAP_MS = HOUR_MS
/** Maximum number of segments, enough for more than 50 years of nights with a stage every ten minutes. */
const MAX_SEGMENTS = 1_000_000

/** A sleep stage: -1 asleep in an unknown stage, 1 deep, 2 light, 3 REM, 4 awake. */
export type SleepStage = -1 | 1 | 2 | 3 | 4

export interface SleepSegment {
  readonly start: EpochMs
  readonly end: EpochMs
  /** Null if the person is in bed, asleep or not. */
  readonly stage: SleepStage | null
  /** UTC offset at the end, in seconds east of UTC, or NO_OFFSET. */
  readonly endOffset: number
  /** Byte position of the segment's record in the document. */
  readonly byte: number
}

/** A sleep record in the file, whose stage is the file's category name. */
export interface SleepRecord extends Omit<SleepSegment, 'stage'> {
  readonly sourceType: string
  /** Distinguishes sources. Not stored. */
  readonly sourceName: string
  readonly stage: string
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
  /** Byte positions of the session's records in the document, ascending. */
  readonly bytes: readonly number[]
  /** Whether the session includes time in bed or awake. If not, the time before falling asleep is unknown. */
  readonly hasBedTime: boolean
}

const TOGETHER = 'sleep sessions that start at the same time as a longer one of the same source type'
const PREFIX = 'HKCategoryValueSleepAnalysis'
/** Stages by name, and by the number used in early exports. */
const STAGES: ReadonlyMap<string, SleepStage | null> = new Map<string, SleepStage | null>([
  [`${PREFIX}InBed`, null],
  ['0', null],
  [`${PREFIX}Asleep`, -1],
  [`${PREFIX}AsleepUnspecified`, -1],
  ['1', -1],
  [`${PREFIX}Awake`, 4],
  ['2', 4],
  [`${PREFIX}AsleepCore`, 2],
  ['3', 2],
  [`${PREFIX}AsleepDeep`, 1],
  ['4', 1],
  [`${PREFIX}AsleepREM`, 3],
  ['5', 3],
])

/** Collects segments by source. Keeps two apps of the same kind separate. */
export class SleepSegments {
  private readonly sources = new Map<string, { readonly sourceType: string; readonly segments: SleepSegment[] }>()
  private readonly importing: RecordImport
  private count = 0

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  /** Adds a record. `label` is its name in a reason. */
  add(label: string, record: SleepRecord): void {
    const { sourceType, sourceName, start, end, endOffset, byte } = record
    const stage = STAGES.get(record.stage)
    const problem = this.segmentProblem(stage, end - start)
    if (stage === undefined || problem !== undefined) {
      this.importing.skip(`${label} ${problem}`, `byte ${byte}`)
      return
    }
    this.count++
    const key = `${sourceType} ${sourceName}`
    const source = getOrInsert(this.sources, key, () => ({ sourceType, segments: [] }))
    source.segments.push({ start, end, stage, endOffset, byte })
  }

  private segmentProblem(stage: SleepStage | null | undefined, durationMs: number): string | undefined {
    if (stage === undefined) return 'has an unknown category'
    if (durationMs === 0) return 'has no duration'
    if (durationMs > DAY_MS) return 'is longer than a day'
    return this.count >= MAX_SEGMENTS ? `exceeds the limit of ${MAX_SEGMENTS} sleep segments in one file` : undefined
  }

  /**
   * Returns all sources' sessions, in ascending order of end. Two sessions of the same source type that start at the same instant have the
   * same ID; the longer session is kept, and the other session's records are skipped.
   */
  sessions(): readonly SleepSession[] {
    const kept = new Map<string, SleepSession>()
    for (const { sourceType, segments } of this.sources.values()) {
      for (const session of groupSessions(sourceType, segments)) {
        const key = `${sourceType} ${session.start}`
        const rival = kept.get(key)
        const loser = rival !== undefined && session.end > rival.end ? rival : session
        if (rival !== undefined) {
          for (const byte of loser.bytes) this.importing.skip(TOGETHER, `byte ${byte}`)
        }
        if (rival === undefined || loser === rival) kept.set(key, session)
      }
    }
    this.sources.clear()
    return [...kept.values()].sort((a, b) => a.end - b.end || a.start - b.start)
  }
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

function buildSession(sourceType: string, sorted: readonly SleepSegment[]): SleepSession {
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
