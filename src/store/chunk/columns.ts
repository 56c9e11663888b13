/** Operations on sample columns: sort, slice, join and merge, each row moved as it is. */
import { type DictColumn, NO_OFFSET, type SampleColumns, type TextColumn, textAt } from '../../core/sample.ts'

/** A row of one of several inputs: `part` says which. */
interface RowSource {
  readonly n: number
  readonly part: Uint8Array
  readonly row: Uint32Array
}

/** Rows [from, to) as views. */
export function sliceColumns(columns: SampleColumns, from: number, to: number): SampleColumns {
  if (from === 0 && to === columns.n) return columns
  const text = new Map<TextColumn, DictColumn>()
  for (const [name, column] of columns.text) {
    text.set(name, { values: column.values, codes: column.codes.subarray(from, to) })
  }
  return {
    n: to - from,
    start: columns.start.subarray(from, to),
    end: columns.end?.subarray(from, to) ?? null,
    value: columns.value.subarray(from, to),
    second: columns.second?.subarray(from, to) ?? null,
    offset: columns.offset?.subarray(from, to) ?? null,
    text,
  }
}

/** First row whose start is not before a time; n when there is none. */
export function rowAtOrAfter(columns: SampleColumns, time: number): number {
  let low = 0
  let high = columns.n
  while (low < high) {
    const mid = (low + high) >> 1
    if ((columns.start[mid] as number) < time) low = mid + 1
    else high = mid
  }
  return low
}

/** One after another; the caller sees to the order. */
export function joinColumns(parts: readonly SampleColumns[]): SampleColumns {
  if (parts.length === 1) return parts[0] as SampleColumns
  const n = parts.reduce((sum, part) => sum + part.n, 0)
  const part = new Uint8Array(n)
  const row = new Uint32Array(n)
  if (parts.length > 255) {
    // part numbers are bytes: join in runs
    const joined: SampleColumns[] = []
    for (let i = 0; i < parts.length; i += 200) joined.push(joinColumns(parts.slice(i, i + 200)))
    return joinColumns(joined)
  }
  let at = 0
  parts.forEach((columns, index) => {
    part.fill(index, at, at + columns.n)
    for (let i = 0; i < columns.n; i++) row[at++] = i
  })
  return gather(parts, { n, part, row })
}

/** What became of the rows that `mergeColumns` put in. */
export interface Merge {
  readonly columns: SampleColumns
  /** Rows of `added` whose start was new. */
  readonly created: Uint32Array
  /** Rows of `added` that replaced another value. */
  readonly updated: Uint32Array
  readonly unchanged: Uint32Array
}

/** Puts rows with strictly ascending starts into others; an equal start replaces (interface.md 6.4). */
export function mergeColumns(present: SampleColumns, added: SampleColumns): Merge {
  const most = present.n + added.n
  const part = new Uint8Array(most)
  const row = new Uint32Array(most)
  const created: number[] = []
  const updated: number[] = []
  const unchanged: number[] = []
  let n = 0
  let i = 0
  let j = 0
  while (i < present.n || j < added.n) {
    const old = i < present.n ? (present.start[i] as number) : Number.POSITIVE_INFINITY
    const fresh = j < added.n ? (added.start[j] as number) : Number.POSITIVE_INFINITY
    if (old < fresh) {
      row[n++] = i++
      continue
    }
    part[n] = 1
    row[n++] = j
    if (old === fresh) {
      ;(sameRow(present, i, added, j) ? unchanged : updated).push(j)
      i++
    } else created.push(j)
    j++
  }
  const columns = updated.length + created.length === 0 ? present : gather([present, added], { n, part, row })
  return {
    columns,
    created: Uint32Array.from(created),
    updated: Uint32Array.from(updated),
    unchanged: Uint32Array.from(unchanged),
  }
}

/** The rows named, in that order. */
export function pickRows(columns: SampleColumns, rows: Uint32Array): SampleColumns {
  if (rows.length === columns.n) return columns
  return gather([columns], { n: rows.length, part: new Uint8Array(rows.length), row: rows })
}

/** Rows by start, ascending, the later of equal starts kept. `superseded` hands over the start and whether the rows agree. */
export function sortColumns(columns: SampleColumns, superseded: (start: number, same: boolean) => void): SampleColumns {
  const { n, start } = columns
  let ascending = true
  for (let i = 1; i < n && ascending; i++) ascending = (start[i - 1] as number) < (start[i] as number)
  if (ascending) return columns
  const order = new Uint32Array(n)
  for (let i = 0; i < n; i++) order[i] = i
  // the index breaks ties, so that the later of two equal starts comes last
  order.sort((a, b) => (start[a] as number) - (start[b] as number) || a - b)
  let kept = 0
  for (let i = 0; i < n; i++) {
    const current = order[i] as number
    const next = i + 1 < n ? (order[i + 1] as number) : -1
    if (next >= 0 && start[current] === start[next]) {
      superseded(start[current] as number, sameRow(columns, current, columns, next))
    } else order[kept++] = current
  }
  return gather([columns], { n: kept, part: new Uint8Array(kept), row: order.subarray(0, kept) })
}

/** Whether two rows agree in everything; NaN equals NaN and -0 differs from 0, as their bits do. */
export function sameRow(a: SampleColumns, i: number, b: SampleColumns, j: number): boolean {
  if (!Object.is(a.value[i], b.value[j])) return false
  const endA = a.end ? a.end[i] : a.start[i]
  const endB = b.end ? b.end[j] : b.start[j]
  if (endA !== endB) return false
  if ((a.offset ? a.offset[i] : NO_OFFSET) !== (b.offset ? b.offset[j] : NO_OFFSET)) return false
  if (!Object.is(a.second ? a.second[i] : Number.NaN, b.second ? b.second[j] : Number.NaN)) return false
  for (const name of a.text.keys()) if (textAt(a.text.get(name), i) !== textAt(b.text.get(name), j)) return false
  for (const name of b.text.keys()) if (!a.text.has(name) && textAt(b.text.get(name), j) !== null) return false
  return true
}

function gather(parts: readonly SampleColumns[], { n, part, row }: RowSource): SampleColumns {
  const start = new Float64Array(n)
  const value = new Float64Array(n)
  const end = parts.some(each => each.end) ? new Float64Array(n) : null
  const second = parts.some(each => each.second) ? new Float64Array(n) : null
  const offset = parts.some(each => each.offset) ? new Int32Array(n) : null
  for (let k = 0; k < n; k++) {
    const source = parts[part[k] as number] as SampleColumns
    const i = row[k] as number
    const from = source.start[i] as number
    start[k] = from
    value[k] = source.value[i] as number
    if (end) end[k] = source.end ? (source.end[i] as number) : from
    if (second) second[k] = source.second ? (source.second[i] as number) : Number.NaN
    if (offset) offset[k] = source.offset ? (source.offset[i] as number) : NO_OFFSET
  }
  const names = new Set(parts.flatMap(each => [...each.text.keys()]))
  const text = new Map<TextColumn, DictColumn>()
  for (const name of names) text.set(name, gatherText(parts, name, { n, part, row }))
  return { n, start, end, value, second, offset, text }
}

function gatherText(parts: readonly SampleColumns[], name: TextColumn, { n, part, row }: RowSource): DictColumn {
  const values: string[] = []
  const known = new Map<string, number>()
  const renumber = parts.map(each => {
    const own = each.text.get(name)?.values ?? []
    return own.map(value => {
      let code = known.get(value)
      if (code === undefined) {
        code = values.push(value)
        known.set(value, code)
      }
      return code
    })
  })
  const codes = new Uint32Array(n)
  for (let k = 0; k < n; k++) {
    const from = part[k] as number
    const column = (parts[from] as SampleColumns).text.get(name)
    const code = column ? (column.codes[row[k] as number] as number) : 0
    if (code !== 0) codes[k] = (renumber[from] as number[])[code - 1] as number
  }
  return { values, codes }
}
