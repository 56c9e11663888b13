/**
 * Builds the columns of the timeseries table for one slice of stored samples, as views of the stored arrays wherever possible. Indexed
 * reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { kindsOf } from '../../../catalogue/kinds.ts'
import { limitsOf } from '../../../catalogue/plausibility.ts'
import { NO_OFFSET, type SampleColumns, type SamplePacking, type TextColumn } from '../../../core/sample.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { BlockColumn, BlockSource } from './block.ts'
import { implausibleRows, isPackedWithin } from './implausible.ts'
import { rowKinds } from './sample-kinds.ts'
import type { TextPool } from './text-pool.ts'

/** Returns a column's numbers for the samples of a slice. All are null if the column belongs to another resource. */
export function fieldColumn(ref: ColumnRef, series: BlockSource, columns: SampleColumns, pool: TextPool): BlockColumn {
  const { n } = columns
  if (isOfAnother(ref, series)) return nulls(n)
  if (ref.kind === 'list') return lists(columns, ref, pool)
  if (ref.kind !== 'sample') throw new Error('the timeseries table has no such column')
  const { origin } = ref.field
  switch (origin.kind) {
    case 'value':
      return columns.value
    case 'second':
      return columns.second ?? nulls(n)
    case 'duration':
      return durations(columns)
    case 'offset':
      return offsets(columns)
    case 'provider':
      return new Float64Array(n).fill(pool.id(series.provider))
    case 'sourceType':
      return new Float64Array(n).fill(pool.id(series.sourceType))
    case 'kind':
      return kinds(series, columns, pool)
    case 'implausible':
      return marks(series, columns)
    case 'text':
      if (origin.column === 'type' && series.type !== null) return new Float64Array(n).fill(pool.id(series.type))
      return texts(columns, origin.column, pool)
  }
}

/** Returns the number that all samples of a series share in a column (NaN means null), or undefined if the samples differ. */
export function sharedValue(
  ref: ColumnRef,
  series: BlockSource,
  packing: SamplePacking | undefined,
  pool: TextPool,
): number | undefined {
  if (isOfAnother(ref, series)) return Number.NaN
  if (ref.kind !== 'sample') return undefined
  const { origin } = ref.field
  if (origin.kind === 'provider') return pool.id(series.provider)
  if (origin.kind === 'sourceType') return pool.id(series.sourceType)
  if (origin.kind === 'implausible') {
    const limits = limitsOf(series.resource ?? '')
    return limits !== undefined && isPackedWithin(limits, packing) ? 0 : undefined
  }
  return origin.kind === 'text' && origin.column === 'type' && series.type !== null ? pool.id(series.type) : undefined
}

/** Returns whether a column belongs to another resource. The table is sparse: rows of other resources have null there. */
function isOfAnother(ref: ColumnRef, series: BlockSource): boolean {
  return 'resource' in ref && ref.resource !== null && ref.resource !== series.resource
}

function nulls(n: number): BlockColumn {
  return new Float64Array(n).fill(Number.NaN)
}

function durations({ n, start, end }: SampleColumns): BlockColumn {
  const seconds = new Float64Array(n)
  if (end) for (let i = 0; i < n; i++) seconds[i] = ((end[i] as number) - (start[i] as number)) / 1000
  return seconds
}

function offsets({ n, offset }: SampleColumns): BlockColumn {
  const seconds = nulls(n)
  if (offset) {
    for (let i = 0; i < n; i++) if (offset[i] !== NO_OFFSET) seconds[i] = offset[i] as number
  }
  return seconds
}

function kinds(series: BlockSource, columns: SampleColumns, pool: TextPool): BlockColumn {
  const found = rowKinds(series, columns)
  const usual = kindsOf(series.resource ?? '')?.usual.name ?? ''
  if (found === null) return new Float64Array(columns.n).fill(pool.id(usual))
  const ids = found.names.map(name => pool.id(name))
  return Float64Array.from(found.codes, code => ids[code] as number)
}

function marks(source: BlockSource, stored: SampleColumns): BlockColumn {
  const rows = implausibleRows({ source, stored, kinds: () => rowKinds(source, stored) })
  return rows === null ? new Float64Array(stored.n) : Float64Array.from(rows)
}

function texts({ n, text }: SampleColumns, name: TextColumn, pool: TextPool): BlockColumn {
  const column = text.get(name)
  const ids = nulls(n)
  if (!column) return ids
  const idOfCode = column.values.map(value => pool.id(value))
  for (let i = 0; i < n; i++) {
    const code = column.codes[i] as number
    if (code !== 0) ids[i] = idOfCode[code - 1] as number
  }
  return ids
}

/** Folds the samples' lists as specified by a sub-query. Each distinct list, stored as JSON text, is folded once. */
function lists(
  { n, text }: SampleColumns,
  { list, fold }: Extract<ColumnRef, { kind: 'list' }>,
  pool: TextPool,
): BlockColumn {
  const column = text.get(list.name as TextColumn)
  const ofNothing = fold([], pool)
  const ofCode = column?.values.map(value => fold(parseElements(value), pool)) ?? []
  const results = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    const code = column?.codes[i] ?? 0
    results[i] = code === 0 ? ofNothing : (ofCode[code - 1] as number)
  }
  return results
}

/** Returns a list's elements. A text that is not a list is a single element. */
function parseElements(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch {
    // do not rethrow: the parser's message would contain part of the text
  }
  return [text]
}
