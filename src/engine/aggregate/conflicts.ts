/** Lists the nights and workouts that a merge may have matched incorrectly. See docs/interface/merging.md#merging-15. */
import type { SummaryTable } from '../../catalogue/query/column.ts'
import { SLEEP } from '../../catalogue/query/sleep.ts'
import { WORKOUT } from '../../catalogue/query/workout.ts'
import type { Conflict } from '../../contract/aggregates/conflicts.ts'
import type { UserId } from '../../core/ids.ts'
import { getOrInsert } from '../../core/maps.ts'
import type { SummaryKind } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate } from '../../core/time.ts'
import { TimeSlice } from '../../core/time-slice.ts'
import type { SourcePriority } from '../../store/priority.ts'
import type { SourceOrders } from '../../store/source-order.ts'
import type { QueryUser } from './execute.ts'
import { mergeOrder } from './functions/priority.ts'
import { MergeReport } from './merge/report.ts'
import { IntervalIndex } from './merge/sessions/interval-index.ts'
import { hasEnds, overlap, type Session, storedSession } from './merge/sessions/session.ts'
import { clusteredSessions, sessionRules } from './merge/sessions/session-blocks.ts'
import type { BlockSource } from './scan/block.ts'
import type { QuerySource } from './scan/source.ts'

/** Two different sessions are listed if they have at least this share of the shorter one in common. */
const NEAR_OVERLAP = 0.3
const MOST_RATIO = 1.5
/** Sessions are read from these days before and after the range, because their neighbours decide what they belong to. */
const MARGIN_MS = 3 * DAY_MS
/** Later times have no date in the store after them. */
const LAST_MS = Date.UTC(9999, 11, 31) - MARGIN_MS

export interface ConflictsAsked {
  readonly tables: readonly SummaryTable[]
  /** Only pairs of which the first one starts in this range, which includes both ends. */
  readonly since: EpochMs | null
  readonly until: EpochMs | null
  readonly limit: number
}

export interface ConflictsCall {
  readonly priorities: readonly SourcePriority[]
  readonly orders?: SourceOrders
  readonly signal?: AbortSignal | undefined
}

type ConflictsSource = Pick<QuerySource, 'summaries' | 'sessionMatches'>

/** A conflict with the time by which conflicts are listed. */
interface Found {
  readonly start: EpochMs
  readonly conflict: Conflict
}

export const CONFLICT_TABLES: readonly SummaryTable[] = [SLEEP, WORKOUT]

/** Returns at most `limit` conflicts, newest first, and whether there are more. */
export async function listConflicts(
  source: ConflictsSource,
  user: QueryUser,
  asked: ConflictsAsked,
  call: ConflictsCall,
): Promise<{ conflicts: Conflict[]; has_more: boolean }> {
  const found: Found[] = []
  for (const table of asked.tables) {
    const clustered = await clustersInRange(source, user, table, asked, call)
    found.push(...(await conflictsIn(clustered, table, asked, call.signal)))
  }
  found.sort((a, b) => b.start - a.start)
  const { limit } = asked
  return { conflicts: found.slice(0, limit).map(({ conflict }) => conflict), has_more: found.length > limit }
}

async function clustersInRange(
  source: ConflictsSource,
  { userId, fallbackTimeZone }: { readonly userId: UserId; readonly fallbackTimeZone: string | null },
  table: SummaryTable,
  { since, until }: ConflictsAsked,
  { priorities, orders, signal }: ConflictsCall,
): Promise<Clustered> {
  const rows = await source.summaries.list(userId, {
    kind: table.summary as SummaryKind,
    provider: null,
    fromDate: since === null ? '0001-01-01' : formatDate(since - MARGIN_MS),
    toDate: until === null || until > LAST_MS ? '9999-12-31' : formatDate(until + MARGIN_MS),
  })
  const matches = await source.sessionMatches.list(userId)
  const merge = {
    order: mergeOrder({ overrides: [], priorities, ...(orders && { orders }) }, table.name),
    matches,
    report: new MergeReport(),
    signal,
  }
  return clusteredSessions(rows, table, fallbackTimeZone ?? 'UTC', merge, new TimeSlice())
}

type Clustered = Awaited<ReturnType<typeof clusteredSessions>>

/** Returns a table's conflicts, newest first: at most one more than are asked for. A pair that was corrected is not a conflict. */
async function conflictsIn(
  { clusters, corrections }: Clustered,
  table: SummaryTable,
  { since, until, limit }: ConflictsAsked,
  signal: AbortSignal | undefined,
): Promise<readonly Found[]> {
  const rules = sessionRules(table)
  const slice = new TimeSlice()
  const later = new Map<BlockSource, IntervalIndex<Session>>()
  const found: Found[] = []
  const newestFirst = clusters.filter(([{ session }]) => hasEnds(session)).toReversed()
  for (const cluster of newestFirst) {
    const { session } = cluster[0]
    const isInRange = (since === null || session.start >= since) && (until === null || session.start <= until)
    const add = (conflict: Conflict['conflict'], other: Session, reason: string): void => {
      const sessions = [storedSession(session.row), storedSession(other.row)]
      found.push({ start: session.start, conflict: { table: table.name, conflict, sessions, reason } })
    }
    if (isInRange) {
      for (const other of await overlapping(session, later, slice, signal)) {
        if (corrections.areApart(session, other)) continue
        add('nearly_same', other, rules.compare(session, other).reason())
        if (found.length > limit) return found
      }
      for (const { session: other } of cluster.slice(1)) {
        if (corrections.areDeclaredSame(session, other)) continue
        const differing = rules.compared.flatMap(({ column, unit }) =>
          differences(session, other, column.name, column.keys, unit),
        )
        if (differing.length > 0) add('values_differ', other, differing.join(', '))
        if (found.length > limit) return found
      }
    }
    getOrInsert(later, session.source, () => new IntervalIndex<Session>()).add(session)
    if (slice.isOver) await slice.rest(signal)
  }
  return found
}

/** Returns the sessions of other sources with which a session has enough in common. */
async function overlapping(
  session: Session,
  bySource: ReadonlyMap<BlockSource, IntervalIndex<Session>>,
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<Session>> {
  const found = new Set<Session>()
  for (const [source, index] of bySource) {
    if (source === session.source) continue
    for (const other of index.near(session)) {
      if (overlap(session, other) >= NEAR_OVERLAP) found.add(other)
      if (slice.isOver) await slice.rest(signal)
    }
  }
  return found
}

/** Describes the values of a column if one is much larger than the other. A missing value and 0 are not compared. */
function differences(a: Session, b: Session, name: string, keys: readonly string[], unit: string): readonly string[] {
  return keys.flatMap(key => {
    const [x, y] = [a.row.document[key], b.row.document[key]]
    if (typeof x !== 'number' || typeof y !== 'number' || x <= 0 || y <= 0) return []
    const ratio = Math.max(x, y) / Math.min(x, y)
    return ratio > MOST_RATIO ? [`${name} ${x} ${unit} and ${y} ${unit}`] : []
  })
}
