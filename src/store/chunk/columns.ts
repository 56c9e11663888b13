/**
 * Sorts, slices, joins and merges sample columns. Rows are moved without being changed. Indexed reads are unchecked (`as number`) because
 * the loops are hot and the indices are always in range.
 */
import { type DictColumn, NO_OFFSET, type SampleColumns, type TextColumn, textAt } from '../../core/sample.ts'

/** Rows [from, to) of one of several inputs, to be copied unchanged. */
interface Run {
  readonly part: number
  from: number
  to: number
}

/** Returns rows [from, to) as views. */
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

/** Returns the first row at or after `low` whose start is at or after `time`, or n if there is none. */
export function rowAtOrAfter(columns: SampleColumns, time: number, low = 0): number {
  // usually, it is the very next row
  if (low >= columns.n || (columns.start[low] as number) >= time) return low
  let high = columns.n
  while (low < high) {
    const mid = (low + high) >> 1
    if ((columns.start[mid] as number) < time) low = mid + 1
    else high = mid
  }
  return low
}

/** Concatenates the parts. The caller must ensure that they are in order. */
export function joinColumns(parts: readonly SampleColumns[]): SampleColumns {
  const [first, second] = parts
  if (first && !second) return first
  return gather(
    parts,
    parts.map((columns, part) => ({ part, from: 0, to: columns.n })),
  )
}

/** Returns the rows of all parts in ascending order of start. Of rows with the same start, those of earlier parts come first. */
export function interleaveColumns(parts: readonly SampleColumns[]): SampleColumns {
  const [first, second] = parts
  if (first && !second) return first
  const runs: Run[] = []
  const next = parts.map(() => 0)
  const startOf = (part: number): number => parts[part]?.start[next[part] as number] ?? Number.POSITIVE_INFINITY
  for (;;) {
    let best = 0
    for (let part = 1; part < parts.length; part++) if (startOf(part) < startOf(best)) best = part
    if (startOf(best) === Number.POSITIVE_INFINITY) return gather(parts, runs)
    const row = next[best] as number
    extend(runs, best, row, row + 1)
    next[best] = row + 1
  }
}

/** The result of `mergeColumns`, and what happened to each added row. */
export interface Merge {
  readonly columns: SampleColumns
  /** Rows of `added` whose start was new. */
  readonly created: Uint32Array
  /** Rows of `added` that replaced a different value, and the rows of `present` that they replaced. */
  readonly updated: Uint32Array
  readonly replaced: Uint32Array
  readonly unchanged: Uint32Array
}

/**
 * Merges rows with strictly ascending starts into others. A row with the same start as an existing row replaces it. See
 * docs/interface/timeseries.md#timeseries-4.
 */
export function mergeColumns(present: SampleColumns, added: SampleColumns): Merge {
  const runs: Run[] = []
  const created: number[] = []
  const updated: number[] = []
  const replaced: number[] = []
  const unchanged: number[] = []
  let i = 0
  for (let j = 0; j < added.n; j++) {
    const fresh = added.start[j] as number
    const next = rowAtOrAfter(present, fresh, i)
    extend(runs, 0, i, next)
    extend(runs, 1, j, j + 1)
    i = next
    if (i === present.n || present.start[i] !== fresh) {
      created.push(j)
      continue
    }
    if (sameRow(present, i, added, j)) unchanged.push(j)
    else {
      updated.push(j)
      replaced.push(i)
    }
    i++
  }
  extend(runs, 0, i, present.n)
  return {
    columns: updated.length + created.length === 0 ? present : gather([present, added], runs),
    created: Uint32Array.from(created),
    updated: Uint32Array.from(updated),
    replaced: Uint32Array.from(replaced),
    unchanged: Uint32Array.from(unchanged),
  }
}

/** Returns the given rows, in the given order. */
export function pickRows(columns: SampleColumns, rows: Uint32Array): SampleColumns {
  if (rows.length === columns.n) return columns
  return gather([columns], findRuns(rows))
}

/**
 * Returns the rows in ascending order of start, keeping the last of several rows with the same start. Calls `superseded` for each dropped
 * row with its start and whether the next row is equal.
 */
export function sortColumns(columns: SampleColumns, superseded: (start: number, same: boolean) => void): SampleColumns {
  const { n, start } = columns
  let ascending = true
  for (let i = 1; i < n && ascending; i++) ascending = (start[i - 1] as number) < (start[i] as number)
  if (ascending) return columns
  const order = new Uint32Array(n)
  for (let i = 0; i < n; i++) order[i] = i
  // the index breaks ties, so that the later of two rows with equal starts comes last
  order.sort((a, b) => (start[a] as number) - (start[b] as number) || a - b)
  let kept = 0
  for (let i = 0; i < n; i++) {
    const current = order[i] as number
    const next = i + 1 < n ? (order[i + 1] as number) : -1
    if (next >= 0 && start[current] === start[next]) {
      superseded(start[current] as number, sameRow(columns, current, columns, next))
    } else order[kept++] = current
  }
  return gather([columns], findRuns(order.subarray(0, kept)))
}

/** Returns whether two rows are equal in every column. NaN equals NaN, and -0 differs from 0, because bits are compared. */
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

/** Appends rows [from, to) of a part. Extends the last run if the rows continue it. */
function extend(runs: Run[], part: number, from: number, to: number): void {
  if (from === to) return
  const last = runs.at(-1)
  if (last && last.part === part && last.to === from) last.to = to
  else runs.push({ part, from, to })
}

function findRuns(rows: Uint32Array): Run[] {
  const runs: Run[] = []
  for (const row of rows) extend(runs, 0, row, row + 1)
  return runs
}

function gather(parts: readonly SampleColumns[], runs: readonly Run[]): SampleColumns {
  const n = runs.reduce((sum, run) => sum + run.to - run.from, 0)
  const text = new Map<TextColumn, DictColumn>()
  for (const name of new Set(parts.flatMap(each => [...each.text.keys()]))) {
    text.set(name, gatherText(parts, name, runs, n))
  }
  return {
    n,
    start: copyRuns(new Float64Array(n), parts, runs, each => each.start),
    end: parts.some(each => each.end)
      ? copyRuns(new Float64Array(n), parts, runs, each => each.end ?? each.start)
      : null,
    value: copyRuns(new Float64Array(n), parts, runs, each => each.value),
    second: parts.some(each => each.second)
      ? copyRuns(new Float64Array(n).fill(Number.NaN), parts, runs, each => each.second)
      : null,
    offset: parts.some(each => each.offset)
      ? copyRuns(new Int32Array(n).fill(NO_OFFSET), parts, runs, each => each.offset)
      : null,
    text,
  }
}

/** Length below which a loop is faster than creating a view and copying it. */
const LONG_RUN = 24

/** Fills the target run by run. A part that lacks the column leaves that part of the target unchanged. */
function copyRuns<T extends Float64Array | Int32Array>(
  target: T,
  parts: readonly SampleColumns[],
  runs: readonly Run[],
  columnOf: (part: SampleColumns) => T | null,
): T {
  const sources = parts.map(columnOf)
  let at = 0
  for (const { part, from, to } of runs) {
    const source = sources[part]
    if (!source) at += to - from
    else if (to - from >= LONG_RUN) {
      target.set(source.subarray(from, to), at)
      at += to - from
    } else for (let row = from; row < to; row++) target[at++] = source[row] as number
  }
  return target
}

function gatherText(parts: readonly SampleColumns[], name: TextColumn, runs: readonly Run[], n: number): DictColumn {
  const values: string[] = []
  const known = new Map<string, number>()
  const renumbered = parts.map(each => {
    const own = each.text.get(name)?.values ?? []
    // code 0 always means null
    const codes = new Uint32Array(own.length + 1)
    own.forEach((value, i) => {
      let code = known.get(value)
      if (code === undefined) {
        code = values.push(value)
        known.set(value, code)
      }
      codes[i + 1] = code
    })
    return codes
  })
  const codes = new Uint32Array(n)
  let at = 0
  for (const { part, from, to } of runs) {
    const column = parts[part]?.text.get(name)
    const code = renumbered[part]
    if (!column || !code) at += to - from
    else for (let row = from; row < to; row++) codes[at++] = code[column.codes[row] as number] as number
  }
  return { values, codes }
}
