/** Records what a merge did, for `explain` and for warnings. */
import type { EpochMs } from '../../../core/time.ts'
import type { Window } from '../plan/calendar.ts'
import type { BlockSource } from '../scan/block.ts'
import type { QuerySummary } from '../scan/summary-cells.ts'
import type { Cluster } from './sessions/clusters.ts'
import type { Resolved } from './sessions/fields.ts'
import type { Role } from './sessions/roles.ts'

/** What a merge did with those rows of one source that `where` keeps. */
export interface MergedSource {
  readonly source: BlockSource
  /** The source's rank, starting at 1. */
  readonly rank: number
  readonly rows: number
  /** Number of parts of its samples that count. */
  parts: number
}

/** What a merge did. */
export class MergeReport {
  readonly sources: MergedSource[] = []
  private readonly bySource = new Map<BlockSource, MergedSource>()
  /** Number of totals without a value, by resource. */
  readonly emptyTotals = new Map<string, number>()
  /** The nights or workouts in the window that the query shows. */
  readonly sessions: MergedSession[] = []
  /** The naps in the window that were left out. */
  readonly naps: MergedSession[] = []
  /** The merged rows in the window that a condition drops. */
  readonly dropped: MergedSession[] = []

  /** Adds the next source of nights or workouts. */
  addSource(source: BlockSource, rows: number): void {
    const entry = { source, rank: this.sources.length + 1, rows, parts: 0 }
    this.sources.push(entry)
    this.bySource.set(source, entry)
  }

  /** Adds a merged row that a condition drops, if it is in the window. */
  addDropped(session: MergedSession, { from, to }: Window): void {
    if (session.local >= from && session.local < to) this.dropped.push(session)
  }

  addSession(session: MergedSession): void {
    this.sessions.push(session)
    const of = this.bySource.get(session.resolved.winner.source)
    if (of) of.parts++
  }
}

/** A merged row: a night or a workout. */
export interface MergedSession {
  readonly row: QuerySummary
  /** Its index, in floating time. */
  readonly local: EpochMs
  readonly cluster: Cluster
  readonly resolved: Resolved
  /** Null for a workout. */
  readonly role: Role | null
}
