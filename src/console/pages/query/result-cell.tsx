/** A cell of a result as people read it: buckets and parts of dates as text, and times with the exact form as the tooltip. */
import type { ResponseOf } from '../../api/call.ts'
import { momentText } from '../../parts/chart/readout.ts'
import { type Known, Period, partText } from '../../parts/period.tsx'
import { count } from '../../parts/table.tsx'
import { useMeasuredZone } from '../../parts/time-zone.tsx'
import { type GroupItem, readGroup } from './query-model.ts'

export type ResultTable = ResponseOf<'aggregate.query'>['results'][number]['table']
export type Cell = ResultTable[string][number]

/** Maximum number of decimals in the table. Files contain all decimals. */
const MOST_DECIMALS = 4
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d|$)/

/** Returns what a result column groups by, if it is a group key of the query (as JSON) and the group is of time; otherwise null. */
export function groupOf(name: string, query: unknown): GroupItem | null {
  const index = /^group_key\.(\d+)$/.exec(name)?.[1]
  if (index === undefined || typeof query !== 'object' || query === null || !('group_by' in query)) return null
  const groups: unknown = query.group_by
  return Array.isArray(groups) ? readGroup(groups[Number(index)], new Map()) : null
}

/** Returns a local time in seconds; NaN if the cell is not a time. Local times have no offset, so they are read as if they were UTC. */
export function cellTime(cell: Cell): number {
  if (typeof cell !== 'string' || !TIME.test(cell)) return Number.NaN
  return Date.parse(cell.length === 10 ? `${cell}T00:00:00Z` : `${cell.slice(0, 19)}Z`) / 1_000
}

/** Returns what the reader of a column knows about its times: the year if all of them are of the same one, because the query shows it. */
export function knownFrom(cells: readonly Cell[]): Known {
  const years = new Set(cells.flatMap(cell => (typeof cell === 'string' ? [cell.slice(0, 4)] : [])))
  return years.size === 1 ? 'year' : 'nothing'
}

interface ResultCellProps {
  readonly cell: Cell
  readonly group: GroupItem | null
  readonly known: Known
}

export function ResultCell({ cell, group, known }: ResultCellProps) {
  useMeasuredZone() // in another one, its times have other texts
  if (cell === null) return null
  const at = cellTime(cell)
  if (!Number.isNaN(at) && group?.kind === 'period')
    return <Period {...{ at, bucket: group, known }} exact={`${cell}`} />
  if (!Number.isNaN(at) && `${cell}`.length > 10) return <span title={`${cell}`}>{momentText(at)}</span>
  if (typeof cell !== 'number') return <>{`${cell}`}</>
  if (group?.kind === 'part') return <span title={`${cell}`}>{partText(group.part, cell)}</span>
  return (
    <>{Number.isInteger(cell) ? count(cell) : cell.toLocaleString('en-US', { maximumFractionDigits: MOST_DECIMALS })}</>
  )
}
