/** Reads nights or workouts as merged rows. See docs/interface/merging.md#merging-9. */
import type { SummaryTable } from '../../../../catalogue/query/column.ts'
import { SLEEP } from '../../../../catalogue/query/sleep.ts'
import { getOrInsert } from '../../../../core/maps.ts'
import { SECOND_MS } from '../../../../core/time.ts'
import { TimeSlice } from '../../../../core/time-slice.ts'
import { zoneOffset } from '../../../../core/zones.ts'
import type { StoredSummary } from '../../../../store/sample.ts'
import type { MergeOrder } from '../../functions/priority.ts'
import type { Filter } from '../../group/filter.ts'
import type { Window } from '../../plan/calendar.ts'
import type { Block, BlockSource } from '../../scan/block.ts'
import { buildBlock, type SummaryReading } from '../../scan/summary-blocks.ts'
import type { QuerySummary } from '../../scan/summary-cells.ts'
import { bySource, SummaryRows } from '../../scan/summary-rows.ts'
import type { TextPool } from '../../scan/text-pool.ts'
import type { Trace } from '../../trace.ts'
import type { MergeReport } from '../merged.ts'
import { type Cluster, clustersOf } from './clusters.ts'
import { filledNames, NIGHT_FIELDS, type Resolved, resolve, sourceNames, WORKOUT_FIELDS } from './fields.ts'
import { joinedHypnograms } from './joined-hypnograms.ts'
import { nightsOf, type Role, rolesOf, sameNight } from './nights.ts'
import { type Session, sessionOf } from './session.ts'
import { sameWorkout } from './workouts.ts'

export interface SessionMerge {
  /** Drops stored sessions before they are merged. */
  readonly filter: Filter | null
  readonly window: Window
  /** Whether naps are left out. */
  readonly skipsNaps: boolean
  readonly order: MergeOrder
  readonly report: MergeReport
  readonly pool: TextPool
  readonly trace: Trace | undefined
  readonly signal: AbortSignal | undefined
}

/** One merged row and what it is made of. */
interface Merged {
  readonly cluster: Cluster
  readonly resolved: Resolved
  readonly role: Role | null
}

/** Yields the merged rows of the table of nights or workouts, one block for each source that gives their values. */
export async function* sessionBlocks(
  { rows, hypnograms, zone }: SummaryReading,
  table: SummaryTable,
  merge: SessionMerge,
): AsyncIterable<Block> {
  const { pool, window, report } = merge
  const kept = filtered(rows, table, zone, merge)
  merge.trace?.begin('merge')
  const merged = (await mergedSessions(kept, table, zone, merge)).map(each => ({ ...each, row: rowOf(each) }))
  const parts = new Map<string, readonly StoredSummary[]>()
  for (const { row, resolved } of merged) parts.set(partsKey(row), resolved.winner.parts)
  const segments = hypnograms && joinedHypnograms(hypnograms, row => parts.get(partsKey(row)) ?? [row])
  for (const { cluster, resolved, role } of merged) {
    const local = localTime(resolved.winner.row, resolved.winner.row.at, zone)
    if (local >= window.from && local < window.to) report.addSession({ local, cluster, resolved, role })
  }
  for (const part of bySource(merged.map(each => each.row)).values())
    yield buildBlock(new SummaryRows(part, table, zone, pool), segments, pool)
}

const partsKey = ({ provider, sourceType, id }: StoredSummary): string => JSON.stringify([provider, sourceType, id])

/** Returns the rows that `where` keeps. */
function filtered(
  rows: readonly StoredSummary[],
  table: SummaryTable,
  zone: string,
  { filter, pool, trace }: SessionMerge,
): readonly StoredSummary[] {
  if (filter === null && trace === undefined) return rows
  return [...bySource(rows).values()].flatMap(part => {
    const block = buildBlock(new SummaryRows(part, table, zone, pool), null, pool)
    trace?.read(block)
    const kept = filter?.mask(block) ?? null
    return kept === null ? part : part.filter((_, i) => kept.rows[i] === 1)
  })
}

async function mergedSessions(
  rows: readonly StoredSummary[],
  table: SummaryTable,
  zone: string,
  { order, report, signal, skipsNaps, window }: SessionMerge,
): Promise<readonly Merged[]> {
  const isSleep = table === SLEEP
  const slice = new TimeSlice()
  const sources: Session[][] = []
  for (const stored of ranked(rows, order)) {
    const [source] = stored
    report.addSource(source, stored[1].length)
    const sessions = stored[1].map(row => sessionOf(row, source, isSleep ? SLEEP_ENDS : WORKOUT_ENDS))
    sources.push(isSleep ? [...(await nightsOf(sessions, slice, signal))] : sessions)
  }
  const clusters = await clustersOf(sources, isSleep ? sameNight : sameWorkout, slice, signal)
  const resolved = clusters.map(cluster => resolve(cluster, isSleep ? NIGHT_FIELDS : WORKOUT_FIELDS))
  const roles = isSleep
    ? rolesOf(
        resolved.map(({ winner }) => ({
          session: winner,
          start: localTime(winner.row, winner.start, zone),
          end: localTime(winner.row, winner.row.at, zone),
        })),
      )
    : null
  return clusters.flatMap((cluster, i): Merged[] => {
    const role = roles?.[i] ?? null
    const each = { cluster, resolved: resolved[i] as Resolved, role }
    if (!skipsNaps || role !== 'nap') return [each]
    const { winner } = each.resolved
    const local = localTime(winner.row, winner.row.at, zone)
    if (local >= window.from && local < window.to) report.naps++
    return []
  })
}

const SLEEP_ENDS = ['bedtime_start', 'bedtime_stop'] as const
const WORKOUT_ENDS = ['time_start', 'time_end'] as const

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

function rowOf({ cluster, resolved: { winner, document, filled }, role }: Merged): QuerySummary {
  const members = cluster.reduce((sum, { session }) => sum + session.parts.length + session.versions.length, 0)
  const merged = { role, members, sources: sourceNames(cluster), filled_from: filledNames(filled) }
  return { ...winner.row, document, merged }
}

function localTime({ offset }: StoredSummary, at: number, zone: string): number {
  return at + (offset ?? (Number.isNaN(at) ? 0 : zoneOffset(zone, at))) * SECOND_MS
}
