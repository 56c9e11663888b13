/** Gives every row the number of its group; groups are numbered as they are first seen and sorted at the end. */
import { QUERY_LIMITS } from '../../catalogue/query-functions.ts'
import type { Block, Column } from './block.ts'
import { buckets, datePart, type Window } from './calendar.ts'
import { isTrue } from './filter.ts'
import type { GroupKey } from './keys.ts'
import { type Loc, refuse } from './refusal.ts'
import type { TextPool } from './text-pool.ts'

/** The values of one group key in a block. */
type KeyReader = (block: Block) => (row: number) => number

export class Groups {
  /** Number of groups so far. */
  count = 0
  private readonly readers: readonly KeyReader[]
  private readonly values: number[][]
  /** A tree, a level a key: value → the node of the next level; at the last level the group. */
  private readonly levels: Map<number, number>[][]
  private readonly keys: readonly GroupKey[]
  private readonly window: Window
  private readonly loc: Loc

  /** `loc` is the query's: it is where an excess of groups is reported. */
  constructor(keys: readonly GroupKey[], window: Window, loc: Loc) {
    this.keys = keys
    this.window = window
    this.loc = loc
    this.readers = keys.map(key => readerOf(key, window))
    this.values = keys.map(() => [])
    this.levels = keys.map(() => [])
    if (keys.length === 0) this.count = 1
    else this.levels[0]?.push(new Map())
  }

  /** The group of each row, or -1 for rows outside the window and those that `truth` does not keep. */
  assign(block: Block, truth: Uint8Array | null): Int32Array {
    const groups = new Int32Array(block.n)
    const { local } = block
    const { from, to } = this.window
    const readers = this.readers.map(reader => reader(block))
    const last = readers.map(() => Number.NaN)
    let group = this.keys.length === 0 ? 0 : -1
    for (let row = 0; row < block.n; row++) {
      const at = local[row] as number
      if (!(at >= from && at < to) || (truth && !isTrue(truth, row))) {
        groups[row] = -1
        continue
      }
      // Neighbours mostly share their keys: look a group up only when one changed.
      let changed = false
      for (let k = 0; k < readers.length; k++) {
        const value = (readers[k] as (row: number) => number)(row)
        if (value === last[k]) continue
        last[k] = value
        changed = true
      }
      if (changed || group < 0) group = this.lookUp(last)
      groups[row] = group
    }
    return groups
  }

  /** Value of a key in a group; NaN is null. */
  value(key: number, group: number): number {
    return this.values[key]?.[group] as number
  }

  /** Groups ascending by their keys from left to right, texts by code unit, null last. */
  sorted(pool: TextPool): Int32Array {
    const order = Int32Array.from({ length: this.count }, (_, i) => i)
    const compare = this.keys.map((key, k) => comparison(key, this.values[k] as number[], pool))
    return order.sort((a, b) => {
      for (const each of compare) {
        const sign = each(a, b)
        if (sign !== 0) return sign
      }
      return 0
    })
  }

  private lookUp(key: readonly number[]): number {
    let node = 0
    for (let k = 0; k < key.length; k++) {
      const map = this.levels[k]?.[node] as Map<number, number>
      const value = key[k] as number
      let next = map.get(value)
      if (next === undefined) {
        const level = this.levels[k + 1]
        next = level ? level.push(new Map()) - 1 : this.add(key)
        map.set(value, next)
      }
      node = next
    }
    return node
  }

  private add(key: readonly number[]): number {
    if (this.count >= QUERY_LIMITS.rows) throw tooManyRows(this.loc)
    for (let k = 0; k < key.length; k++) (this.values[k] as number[]).push(key[k] as number)
    return this.count++
  }
}

/** The refusal of a result that is over the limit. */
export function tooManyRows(loc: Loc) {
  const limit = QUERY_LIMITS.rows.toLocaleString('en-US')
  return refuse(
    loc,
    `the result has more than ${limit} rows; shorten the timeframe or lengthen the buckets`,
    'query_limit',
  )
}

function readerOf(key: GroupKey, window: Window): KeyReader {
  if (key.kind === 'column') {
    return block => {
      const column: Column = block.column(key.ref)
      return row => column[row] as number
    }
  }
  const of = key.kind === 'trunc' ? buckets(key.span, window) : datePart(key.part)
  return ({ local }) =>
    row =>
      of(local[row] as number)
}

function comparison(key: GroupKey, values: readonly number[], pool: TextPool): (a: number, b: number) => number {
  const text = key.kind === 'column' && key.ref.type === 'text'
  return (a, b) => {
    const [x, y] = [values[a] as number, values[b] as number]
    if (x === y) return 0
    if (Number.isNaN(x)) return Number.isNaN(y) ? 0 : 1
    if (Number.isNaN(y)) return -1
    return (text ? pool.text(x) < pool.text(y) : x < y) ? -1 : 1
  }
}
