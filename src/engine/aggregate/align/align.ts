/**
 * Aligns a grouped result: adds rows for empty buckets and fills null cells with values carried from other buckets. Each column is filled
 * separately, among rows whose other group keys are equal. See docs/interface/aggregates.md#aggregates-6. Indexed reads are unchecked (`as
 * number`) because the loops are hot and the indices are always in range.
 */
import { getOrInsert } from '../../../core/maps.ts'
import type { EpochMs } from '../../../core/time.ts'
import { tooManyRows } from '../group/groups.ts'
import type { Alignment } from '../plan/align-plan.ts'
import { plus } from '../plan/calendar.ts'
import type { GroupKey } from '../plan/keys.ts'
import type { Plan } from '../plan/plan.ts'
import type { Loc } from '../plan/refusal.ts'
import type { ResultColumn } from '../result.ts'
import type { TextPool } from '../scan/text-pool.ts'
import { buildSpine, type Partition, type Spine } from './align-spine.ts'

/**
 * Returns the columns of a result, aligned if the plan requires it. `now` is the call's floating time. `loc` is the query's path in the
 * body, used in the error for too many rows.
 */
export function alignColumns(
  columns: readonly ResultColumn[],
  { align, keys, outputs }: Plan,
  now: EpochMs,
  loc: Loc,
  pool: TextPool,
): readonly ResultColumn[] {
  if (align === null || (columns[0]?.values.length ?? 0) === 0) return columns
  const keyValues = keys.map((_, k) => {
    const position = outputs.findIndex(output => output.kind === 'key' && output.key === k)
    return (columns[position] as ResultColumn).values
  })
  const bucketOfRow = keyValues[align.key] as Float64Array
  const partitions = splitPartitions(keyValues, align.key)
  const spine = buildSpine(partitions, bucketOfRow, align, now)
  if (spine === null) throw tooManyRows(loc)
  const order = sortedOrder(spine, partitions, keys, keyValues, align.key, pool)
  const partitionOfPosition = partitions.flatMap((partition, p) => {
    const count = (spine.starts[p + 1] as number) - (spine.starts[p] as number)
    return new Array<number>(count).fill(partition.rows[0] as number)
  })
  return columns.map((column, i) => {
    const output = outputs[i] as Plan['outputs'][number]
    if (output.kind !== 'key') {
      const cells = carried(spine, column.values, align)
      return { ...column, values: Float64Array.from(order, position => cells[position] as number) }
    }
    if (output.key === align.key) {
      return { ...column, values: Float64Array.from(order, position => spine.buckets[position] as number) }
    }
    const values = Float64Array.from(
      order,
      position => column.values[partitionOfPosition[position] as number] as number,
    )
    return { ...column, values }
  })
}

/** Groups the rows that differ only in their bucket, in order of first appearance. */
function splitPartitions(keyValues: readonly Float64Array[], bucketKey: number): readonly Partition[] {
  const others = keyValues.filter((_, k) => k !== bucketKey)
  const known = new Map<string, number[]>()
  for (let row = 0; row < (keyValues[bucketKey] as Float64Array).length; row++) {
    const name = others.map(values => values[row]).join(' ')
    getOrInsert(known, name, () => []).push(row)
  }
  return [...known.values()].map(rows => ({ rows }))
}

/** Returns a column's cells at every position of the spine. A null cell gets the value that is carried to it. */
function carried({ buckets, rows, starts }: Spine, values: Float64Array, { mode, cap }: Alignment): Float64Array {
  const cells = Float64Array.from(rows, row => (row < 0 ? Number.NaN : (values[row] as number)))
  const filled = cells.slice()
  const reaches = (older: number, newer: number): boolean =>
    cap === null || plus(buckets[older] as number, cap) >= (buckets[newer] as number)
  for (let p = 0; p + 1 < starts.length; p++) {
    const [from, to] = [starts[p] as number, starts[p + 1] as number]
    const later = laterValues(cells, from, to)
    let earlier = -1
    for (let position = from; position < to; position++) {
      if (!Number.isNaN(cells[position])) {
        earlier = position
        continue
      }
      const next = later[position - from] as number
      const before = mode !== 'carry_backward' && earlier >= 0 && reaches(earlier, position) ? earlier : -1
      const after = mode !== 'carry_forward' && next >= 0 && reaches(position, next) ? next : -1
      const taken = nearer(buckets, position, before, after)
      if (taken >= 0) filled[position] = cells[taken] as number
    }
  }
  return filled
}

/** For each position in a partition, returns the next position that has a value, or -1. */
function laterValues(cells: Float64Array, from: number, to: number): Int32Array {
  const later = new Int32Array(to - from)
  let next = -1
  for (let position = to - 1; position >= from; position--) {
    later[position - from] = next
    if (!Number.isNaN(cells[position])) next = position
  }
  return later
}

/** Returns whichever of two positions is nearer in time: the earlier one if they are equally near, or -1 if there is neither. */
function nearer(buckets: readonly EpochMs[], position: number, before: number, after: number): number {
  if (before < 0 || after < 0) return Math.max(before, after)
  const at = buckets[position] as number
  return at - (buckets[before] as number) <= (buckets[after] as number) - at ? before : after
}

/** Returns the positions sorted by their group keys from left to right, as in a result without `align`. */
function sortedOrder(
  { buckets, starts }: Spine,
  partitions: readonly Partition[],
  keys: readonly GroupKey[],
  keyValues: readonly Float64Array[],
  bucketKey: number,
  pool: TextPool,
): Int32Array {
  const order = Int32Array.from({ length: buckets.length }, (_, position) => position)
  if (partitions.length === 1) return order
  const left = ranks(partitions, keys.slice(0, bucketKey), keyValues.slice(0, bucketKey), pool)
  const right = ranks(partitions, keys.slice(bucketKey + 1), keyValues.slice(bucketKey + 1), pool)
  const partitionOf = new Int32Array(buckets.length)
  for (let p = 0; p < partitions.length; p++) partitionOf.fill(p, starts[p], starts[p + 1])
  return order.sort((a, b) => {
    const [p, q] = [partitionOf[a] as number, partitionOf[b] as number]
    return (
      (left[p] as number) - (left[q] as number) ||
      (buckets[a] as number) - (buckets[b] as number) ||
      (right[p] as number) - (right[q] as number)
    )
  })
}

/** Ranks the partitions by some of the keys. Partitions with equal keys have the same rank. */
function ranks(
  partitions: readonly Partition[],
  keys: readonly GroupKey[],
  keyValues: readonly Float64Array[],
  pool: TextPool,
): Int32Array {
  const rowOf = (p: number): number => (partitions[p] as Partition).rows[0] as number
  const compare = (p: number, q: number): number => {
    for (const [k, key] of keys.entries()) {
      const values = keyValues[k] as Float64Array
      const sign = compareKeys(key, values[rowOf(p)] as number, values[rowOf(q)] as number, pool)
      if (sign !== 0) return sign
    }
    return 0
  }
  const order = partitions.map((_, p) => p).sort(compare)
  const rank = new Int32Array(partitions.length)
  for (let i = 1; i < order.length; i++) {
    const [before, here] = [order[i - 1] as number, order[i] as number]
    rank[here] = (rank[before] as number) + (compare(before, here) === 0 ? 0 : 1)
  }
  return rank
}

/** Compares two key values. Texts are compared by code unit, and null comes last. */
function compareKeys(key: GroupKey, x: number, y: number, pool: TextPool): number {
  if (x === y) return 0
  if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : 1
  if (Number.isNaN(y)) return -1
  const text = key.kind === 'column' && key.ref.type === 'text'
  return (text ? pool.text(x) < pool.text(y) : x < y) ? -1 : 1
}
