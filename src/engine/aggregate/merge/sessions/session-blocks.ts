/** Reads nights or workouts as merged rows. See docs/interface/merging.md#merging-9. */
import type { SummaryTable } from '../../../../catalogue/query/column.ts'
import { SLEEP } from '../../../../catalogue/query/sleep.ts'
import { getOrInsert } from '../../../../core/maps.ts'
import { DAY_MS } from '../../../../core/time.ts'
import { TimeSlice } from '../../../../core/time-slice.ts'
import type { StoredSummary } from '../../../../store/sample.ts'
import type { SessionMatch } from '../../../../store/session-match.ts'
import type { MergeOrder } from '../../functions/priority.ts'
import type { Filter } from '../../group/filter.ts'
import type { Window } from '../../plan/calendar.ts'
import type { Block, BlockSource } from '../../scan/block.ts'
import { buildBlock, type SummaryReading } from '../../scan/summary-blocks.ts'
import type { QuerySummary } from '../../scan/summary-cells.ts'
import { bySource, rowIndex, SummaryRows } from '../../scan/summary-rows.ts'
import type { TextPool } from '../../scan/text-pool.ts'
import type { Trace } from '../../trace.ts'
import type { MergeReport } from '../report.ts'
import { type Cluster, clustersOf } from './clusters.ts'
import { Corrections } from './corrections.ts'
import { filledNames, type Resolved, resolve, sourceNames } from './fields.ts'
import { joinedHypnograms } from './joined-hypnograms.ts'
import { NIGHTS } from './nights.ts'
import { type Night, type Role, rolesOf } from './roles.ts'
import { type Session, sessionOf } from './session.ts'
import type { SessionRules } from './session-rules.ts'
import { WORKOUTS } from './workouts.ts'

export interface SessionMerge {
  /** Drops stored sessions before they are merged. */
  readonly filter: Filter | null
  /** Drops merged rows. */
  readonly mergedFilter: Filter | null
  readonly window: Window
  /** Whether naps are left out. */
  readonly skipsNaps: boolean
  readonly order: MergeOrder
  /** The user's corrections. */
  readonly matches: readonly SessionMatch[]
  readonly report: MergeReport
  readonly pool: TextPool
  readonly trace: Trace | undefined
  readonly signal: AbortSignal | undefined
}

/** One merged row and what it is made of. */
interface Merged {
  readonly row: QuerySummary
  readonly cluster: Cluster
  readonly resolved: Resolved
  readonly role: Role | null
}

/** Yields the merged rows of the table of nights or workouts, one block for each source that gives their values. */
export async function* sessionBlocks(
  { rows, hypnograms, zone, kinds }: SummaryReading,
  table: SummaryTable,
  merge: SessionMerge,
): AsyncIterable<Block> {
  const { pool, window, report, trace, filter, mergedFilter, skipsNaps, signal } = merge
  const slice = new TimeSlice()
  const blocksOf = (some: readonly QuerySummary[]) =>
    [...bySource(some).values()].map(part => ({
      part,
      block: buildBlock(new SummaryRows(part, table, zone, pool), segments, kinds, pool),
    }))
  const kept = (some: readonly QuerySummary[], by: Filter | null): readonly QuerySummary[] => {
    if (by === null) return some
    return blocksOf(some).flatMap(({ part, block }) => {
      const mask = by.mask(block)
      return mask === null ? part : part.filter((_, i) => mask.rows[i] === 1)
    })
  }
  const parts = new Map<string, readonly StoredSummary[]>()
  const segments = hypnograms && joinedHypnograms(hypnograms, row => parts.get(partsKey(row)) ?? [row])
  if (trace) for (const { block } of blocksOf(rows)) trace.read(block)
  trace?.begin('where')
  const stored = kept(rows, filter)
  trace?.begin('merge')
  const merged = new Map<QuerySummary, Merged>()
  for (const each of await mergedSessions(stored, table, zone, merge, slice)) {
    merged.set(each.row, each)
    parts.set(partsKey(each.row), each.resolved.winner.parts)
  }
  const shown: QuerySummary[] = []
  const rest = new Set(merged.keys())
  for (const row of kept([...rest], mergedFilter)) {
    rest.delete(row)
    const { cluster, resolved, role } = merged.get(row) as Merged
    const local = rowIndex(row, table, zone)
    const isInside = local >= window.from && local < window.to
    const isSkipped = skipsNaps && role === 'nap'
    if (!isSkipped) shown.push(row)
    const session = { row, local, cluster, resolved, role }
    if (isInside && isSkipped) report.naps.push(session)
    else if (isInside) report.addSession(session)
    if (slice.isOver) await slice.rest(signal)
  }
  for (const row of rest)
    report.addDropped({ ...(merged.get(row) as Merged), local: rowIndex(row, table, zone) }, window)
  for (const { block } of blocksOf(shown)) yield block
}

const partsKey = ({ provider, sourceType, id }: StoredSummary): string => JSON.stringify([provider, sourceType, id])

/** Returns the rules by which the table of nights or workouts is merged. */
export const sessionRules = (table: SummaryTable): SessionRules => (table === SLEEP ? NIGHTS : WORKOUTS)

/** Groups stored sessions by night or workout. `zone` is that of sessions without an offset. */
export async function clusteredSessions(
  rows: readonly StoredSummary[],
  table: SummaryTable,
  zone: string,
  { order, matches, report, signal }: Pick<SessionMerge, 'order' | 'matches' | 'report' | 'signal'>,
  slice: TimeSlice,
): Promise<{ readonly clusters: readonly Cluster[]; readonly corrections: Corrections }> {
  const rules = sessionRules(table)
  const stored = ranked(rows, order).map(([source, own]) => {
    report.addSource(source, own.length)
    return own.map(row => sessionOf(row, source, rules.ends, zone))
  })
  const own = matches.filter(({ kind }) => kind === table.summary)
  const corrections = new Corrections(own, stored.flat())
  const sources: (readonly Session[])[] = []
  for (const sessions of stored) sources.push(await rules.ofSource(sessions, corrections, slice, signal))
  return { clusters: await clustersOf(sources, rules.compare, corrections, slice, signal), corrections }
}

async function mergedSessions(
  rows: readonly StoredSummary[],
  table: SummaryTable,
  zone: string,
  merge: SessionMerge,
  slice: TimeSlice,
): Promise<readonly Merged[]> {
  const { pool, signal } = merge
  const { fields } = sessionRules(table)
  const { clusters } = await clusteredSessions(rows, table, zone, merge, slice)
  const resolved: Resolved[] = []
  for (const cluster of clusters) {
    resolved.push(resolve(cluster, fields))
    if (slice.isOver) await slice.rest(signal)
  }
  const roles = table === SLEEP ? rolesOf(nightTimes(resolved, zone, pool)) : null
  return clusters.map((cluster, i): Merged => {
    const role = roles?.[i] ?? null
    const own = resolved[i] as Resolved
    return { cluster, resolved: own, role, row: rowOf(cluster, own, role) }
  })
}

/** Returns the nights with the local times that their columns show. Without them, the index stands for the end. */
function nightTimes(resolved: readonly Resolved[], zone: string, pool: TextPool): readonly Night[] {
  const rows = resolved.map(({ winner }) => winner.row)
  const summaries = new SummaryRows(rows, SLEEP, zone, pool)
  const [starts, ends] = [summaries.named('session_start'), summaries.named('session_end')]
  return resolved.map(({ winner }, i) => {
    const index = summaries.local[i] as number
    const end = ends[i] as number
    return {
      session: winner,
      date: Math.floor(index / DAY_MS),
      start: starts[i] as number,
      end: Number.isNaN(end) ? index : end,
    }
  })
}

/** Returns the rows of each source, best source first. Apps and devices are sources of their own. */
function ranked(
  rows: readonly StoredSummary[],
  { compare }: MergeOrder,
): readonly (readonly [BlockSource, readonly StoredSummary[]])[] {
  type Entry = readonly [BlockSource, StoredSummary[]]
  const byName = new Map<string, Entry>()
  for (const row of rows) {
    const { provider, sourceType, appId: app, deviceId: device } = row
    const name = JSON.stringify([provider, sourceType, app, device])
    const source = { resource: null, provider, sourceType, type: null, app, device }
    getOrInsert(byName, name, (): Entry => [source, []])[1].push(row)
  }
  return [...byName.values()].sort(([a], [b]) => compare(a, b))
}

function rowOf(cluster: Cluster, { winner, document, filled }: Resolved, role: Role | null): QuerySummary {
  const members = cluster.reduce((sum, { session }) => sum + session.parts.length + session.versions.length, 0)
  const merged = { role, members, sources: sourceNames(cluster), filled_from: filledNames(filled) }
  if (filled.length === 0) return { ...winner.row, document, merged }
  const suppliers = new Map(filled.flatMap(({ from, fields }) => fields.map(each => [each, from.source.provider])))
  return { ...winner.row, document, merged, suppliers }
}
