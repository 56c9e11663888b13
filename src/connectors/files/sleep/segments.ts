/** Collects the segments of sleep in a file by source, and adds the sessions that they form. */
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS } from '../../../core/time.ts'
import type { HeartValues } from '../../shared/heart-values.ts'
import type { RecordImport } from '../records/import.ts'
import { groupSessions, type SleepSegment, type SleepSession, type SleepStage } from './sessions.ts'
import { addSleep, type SleepOptions } from './summaries.ts'

/** Maximum number of segments, enough for more than 50 years of nights with a stage every ten minutes. */
const MAX_SEGMENTS = 1_000_000
const JOINED = 'sleep segments joined into the sleep sessions that are stored'
const TOGETHER = 'sleep sessions that start at the same time as a longer one of the same source type'

/** A record of sleep in the file. */
export interface SleepRecord extends Omit<SleepSegment, 'stage'> {
  readonly sourceType: string
  /** Distinguishes sources. Not stored. */
  readonly sourceName: string
  /** Undefined if the file has an unknown category. */
  readonly stage: SleepStage | null | undefined
}

/** Collects segments by source. Keeps two apps of the same kind separate. */
export class SleepSegments {
  private readonly sources = new Map<string, { readonly sourceType: string; readonly segments: SleepSegment[] }>()
  private readonly importing: RecordImport
  private count = 0

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  /** Adds a record. `label` is its name in a reason. */
  add(label: string, { sourceType, sourceName, start, end, endOffset, stage, byte }: SleepRecord): void {
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

  /** Adds the summaries of all sessions. `heart` has the values for them. Call this once after the last record. */
  finish(heart: HeartValues, options: SleepOptions = {}): void {
    for (const session of this.sessions()) {
      addSleep(this.importing, session, heart, options)
      for (const byte of session.bytes.slice(1)) this.importing.skip(JOINED, `byte ${byte}`)
    }
  }

  /**
   * Returns all sources' sessions, in ascending order of end. Two sessions of the same source type that start at the same instant have the
   * same ID; the longer session is kept, and the other session's records are skipped.
   */
  private sessions(): readonly SleepSession[] {
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
