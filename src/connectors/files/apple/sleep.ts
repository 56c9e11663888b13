/**
 * Sleep records of an export as sleep sessions and their stages. An export knows segments only: time in bed, time asleep, and
 * the stages a watch or an app made of it.
 */
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../core/time.ts'
import type { SkipCounts } from '../skip-counts.ts'

/** Segments of one source that lie further apart belong to different sessions. */
export const SESSION_GAP_MS = HOUR_MS
/** Three centuries of nights with a stage every ten minutes are far below it. */
const MAX_SEGMENTS = 1_000_000

/** Stages of interface-gaps 2.4 (hypnogram): -1 asleep, stage not known; 1 deep, 2 light, 3 rem, 4 awake. */
export type SleepStage = -1 | 1 | 2 | 3 | 4

export interface SleepSegment {
  readonly start: EpochMs
  readonly end: EpochMs
  /** Null: in bed, which says nothing about sleep. */
  readonly stage: SleepStage | null
  /** Seconds east of UTC at the end, or NO_OFFSET. */
  readonly endOffset: number
  /** Where its record stands in the document. */
  readonly byte: number
}

/** A record of the file: its stage is the category as the file names it. */
export interface SleepRecord extends Omit<SleepSegment, 'stage'> {
  readonly sourceType: string
  /** Tells sources apart, and is not kept. */
  readonly sourceName: string
  readonly stage: string
}

export interface StagePiece {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly stage: SleepStage
}

/** One session of one source. */
export interface SleepSession {
  readonly sourceType: string
  readonly start: EpochMs
  readonly end: EpochMs
  readonly endOffset: number
  /** Ascending, without overlaps; gaps are time in bed of which nothing is known. */
  readonly stages: readonly StagePiece[]
  /** Where the records that it is made of stand in the document, in its order. */
  readonly bytes: readonly number[]
  /** Whether there is time in bed or awake in it: without, nothing is known of the time before falling asleep. */
  readonly hasBedTime: boolean
}

const TOGETHER = 'sleep sessions that start together with a longer one of the same source type'
const PREFIX = 'HKCategoryValueSleepAnalysis'
/** By name, and by the number that early exports wrote. */
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

/** Collects the segments of each source; two apps of the same kind stay apart. */
export class SleepSegments {
  private readonly sources = new Map<string, { readonly sourceType: string; readonly segments: SleepSegment[] }>()
  private readonly skips: SkipCounts
  private count = 0

  constructor(skips: SkipCounts) {
    this.skips = skips
  }

  /** `label` is what a reason calls the record. */
  add(label: string, record: SleepRecord): void {
    const { sourceType, sourceName, start, end, endOffset, byte } = record
    const stage = STAGES.get(record.stage)
    const problem = this.problemOf(stage, end - start)
    if (stage === undefined || problem !== undefined) {
      this.skips.add(`${label} ${problem}`, 1, `byte ${byte}`)
      return
    }
    this.count++
    const key = `${sourceType} ${sourceName}`
    let source = this.sources.get(key)
    if (source === undefined) {
      source = { sourceType, segments: [] }
      this.sources.set(key, source)
    }
    source.segments.push({ start, end, stage, endOffset, byte })
  }

  private problemOf(stage: SleepStage | null | undefined, durationMs: number): string | undefined {
    if (stage === undefined) return 'has a category that is not known'
    if (durationMs === 0) return 'has no duration'
    if (durationMs > DAY_MS) return 'is longer than a day'
    return this.count >= MAX_SEGMENTS ? `is one of more than ${MAX_SEGMENTS} in one file` : undefined
  }

  /**
   * The sessions of all sources, ascending by end. Two sessions of the same source type that start at the same instant have
   * the same id: the longer one stays, the records of the other are skipped.
   */
  sessions(): readonly SleepSession[] {
    const kept = new Map<string, SleepSession>()
    for (const { sourceType, segments } of this.sources.values()) {
      for (const session of sessionsOf(sourceType, segments)) {
        const key = `${sourceType} ${session.start}`
        const rival = kept.get(key)
        const loser = rival !== undefined && session.end > rival.end ? rival : session
        if (rival !== undefined) {
          for (const byte of loser.bytes) this.skips.add(TOGETHER, 1, `byte ${byte}`)
        }
        if (rival === undefined || loser === rival) kept.set(key, session)
      }
    }
    this.sources.clear()
    return [...kept.values()].sort((a, b) => a.end - b.end || a.start - b.start)
  }
}

/** The sessions that the segments of one source make: a segment joins the one before when it starts within an hour of its end. */
export function sessionsOf(sourceType: string, segments: readonly SleepSegment[]): readonly SleepSession[] {
  const sorted = [...segments].sort((a, b) => a.start - b.start || a.end - b.end || (a.stage ?? 0) - (b.stage ?? 0))
  const sessions: SleepSession[] = []
  let group: SleepSegment[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const segment of sorted) {
    if (group.length > 0 && segment.start > end + SESSION_GAP_MS) {
      sessions.push(sessionOf(sourceType, group))
      group = []
      end = Number.NEGATIVE_INFINITY
    }
    group.push(segment)
    end = Math.max(end, segment.end)
  }
  if (group.length > 0) sessions.push(sessionOf(sourceType, group))
  return sessions
}

function sessionOf(sourceType: string, sorted: readonly SleepSegment[]): SleepSession {
  const first = sorted[0] as SleepSegment
  const last = sorted.reduce((latest, each) => (each.end > latest.end ? each : latest), first)
  const exact = inTurn(sorted.filter(each => each.stage !== null && each.stage !== -1))
  const vague = inTurn(sorted.filter(each => each.stage === -1))
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

/** Segments without their overlaps: what came first keeps its time. */
function inTurn(sorted: readonly SleepSegment[]): readonly StagePiece[] {
  const pieces: StagePiece[] = []
  let taken = Number.NEGATIVE_INFINITY
  for (const { start, end, stage } of sorted) {
    if (end <= taken || stage === null) continue
    pieces.push({ start: Math.max(start, taken), end, stage })
    taken = end
  }
  return pieces
}

/** The parts of `pieces` that `others` leave free; both ascending and without overlaps. */
function outside(pieces: readonly StagePiece[], others: readonly StagePiece[]): readonly StagePiece[] {
  const free: StagePiece[] = []
  let next = 0
  for (const { start, end, stage } of pieces) {
    let from = start
    while (next < others.length && (others[next] as StagePiece).end <= from) next++
    for (let i = next; i < others.length && (others[i] as StagePiece).start < end; i++) {
      const other = others[i] as StagePiece
      if (other.start > from) free.push({ start: from, end: other.start, stage })
      from = other.end
    }
    if (from < end) free.push({ start: from, end, stage })
  }
  return free
}

/** Neighbours of one stage made one. */
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
