/** Assigns a group number to every row. Groups are numbered in order of first appearance and sorted at the end. */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import { present } from '../../../core/present.ts'
import { formatCount } from '../../../core/text.ts'
import type { Window } from '../plan/calendar.ts'
import { type GroupKey, keyType } from '../plan/keys.ts'
import { type Loc, refuse } from '../plan/refusal.ts'
import type { ResultType } from '../result.ts'
import type { Block } from '../scan/block.ts'
import type { TextPool } from '../scan/text-pool.ts'
import { type BlockKey, type KeyReader, keyReader } from './group-keys.ts'
import { KeyTable } from './key-table.ts'
import type { RowMask } from './row-mask.ts'
import { RunBuilder, type Runs } from './runs.ts'
import { blockTimes, type TimeRows } from './times.ts'

export class Groups {
  private readonly readers: readonly KeyReader[]
  private readonly table: KeyTable
  private readonly keys: readonly GroupKey[]
  private readonly window: Window
  private readonly loc: Loc
  private readonly runs = new RunBuilder()

  /** `loc` is the query's path in the body, used in the error for too many groups. */
  constructor(keys: readonly GroupKey[], window: Window, loc: Loc) {
    this.keys = keys
    this.window = window
    this.loc = loc
    this.readers = keys.map(key => keyReader(key, window))
    this.table = new KeyTable(keys.length)
    // without keys, all rows form one group, even if there are no rows
    if (keys.length === 0) this.lookUp([])
  }

  /** Number of groups so far. */
  get count(): number {
    return this.table.count
  }

  /** Returns a block's runs. Rows outside the window have group -1. `mask` marks the rows that `where` keeps, and null means all rows. */
  assign(block: Block, mask: RowMask | null): Runs {
    const times = blockTimes(block)
    const keys = this.readers.map(reader => reader(block))
    if (times.ordered && keys.every(key => key.until !== null)) this.runByRun(times, keys, mask)
    else this.rowByRow(times, keys, mask?.rows ?? null)
    return this.runs.take(mask, times.ordered)
  }

  /** Takes the fast path for ascending times and keys that depend only on time: looks up one group per run. */
  private runByRun(times: TimeRows, keys: readonly BlockKey[], mask: RowMask | null): void {
    const from = times.rowAt(this.window.from, 0)
    const to = times.rowAt(this.window.to, from)
    if (from > 0) this.runs.add(from, -1, 0)
    const key = keys.map(() => Number.NaN)
    for (let row = from; row < to; ) {
      const at = times.at(row)
      let until = this.window.to
      for (let k = 0; k < keys.length; k++) {
        const reader = keys[k] as BlockKey // unchecked, because the loop is hot
        key[k] = reader.of(row, at)
        until = Math.min(until, (reader.until as (at: number) => number)(at))
      }
      const end = times.rowAt(until, row + 1)
      const kept = mask === null ? end - row : mask.keptIn(row, end)
      // a group is created when its first row is kept
      this.runs.add(end, kept > 0 ? this.lookUp(key) : -1, kept)
      row = end
    }
    if (to < times.n) this.runs.add(times.n, -1, 0)
  }

  private rowByRow(times: TimeRows, keys: readonly BlockKey[], mask: Uint8Array | null): void {
    const { from, to } = this.window
    const last = keys.map(() => Number.NaN)
    let group = this.keys.length === 0 ? 0 : -1
    for (let row = 0; row < times.n; row++) {
      const at = times.at(row)
      if (!(at >= from && at < to) || (mask !== null && mask[row] === 0)) {
        this.runs.add(row + 1, -1, 0)
        continue
      }
      // neighbouring rows usually have the same keys, so look up a group only if a key has changed
      let changed = group < 0
      for (let k = 0; k < keys.length; k++) {
        const value = (keys[k] as BlockKey).of(row, at) // unchecked as above
        if (value === last[k]) continue
        last[k] = value
        changed = true
      }
      if (changed) group = this.lookUp(last)
      this.runs.add(row + 1, group, 1)
    }
  }

  /** Returns the type of a key's column. */
  type(key: number): ResultType {
    return keyType(present(this.keys[key], 'a group key'))
  }

  /** Returns a key's value in a group. NaN means null. */
  value(key: number, group: number): number {
    return this.table.value(key, group)
  }

  /** Returns the groups in ascending order of their keys from left to right. Texts are ordered by code unit, and null comes last. */
  sorted(pool: TextPool): Int32Array {
    const order = Int32Array.from({ length: this.count }, (_, i) => i)
    const compare = this.keys.map((key, k) => comparison(key, group => this.table.value(k, group), pool))
    return order.sort((a, b) => {
      for (const each of compare) {
        const sign = each(a, b)
        if (sign !== 0) return sign
      }
      return 0
    })
  }

  private lookUp(key: readonly number[]): number {
    const group = this.table.findGroup(key, QUERY_LIMITS.rows)
    if (group < 0) throw tooManyRows(this.loc)
    return group
  }
}

/** Returns the 422 error for a result over the row limit. */
export function tooManyRows(loc: Loc) {
  const limit = formatCount(QUERY_LIMITS.rows)
  return refuse(
    loc,
    `the result must not have more than ${limit} rows. Shorten the timeframe, or use longer buckets.`,
    'query_limit',
  )
}

function comparison(
  key: GroupKey,
  valueIn: (group: number) => number,
  pool: TextPool,
): (a: number, b: number) => number {
  const text = key.kind === 'column' && key.ref.type === 'text'
  return (a, b) => {
    const [x, y] = [valueIn(a), valueIn(b)]
    if (x === y) return 0
    if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : 1
    if (Number.isNaN(y)) return -1
    return (text ? pool.text(x) < pool.text(y) : x < y) ? -1 : 1
  }
}
