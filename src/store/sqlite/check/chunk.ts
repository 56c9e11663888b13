/** What must be true of one chunk: of its blob, of the figures beside it, and of its place among the others. */
import type { SampleColumns } from '../../../core/sample.ts'
import { DAY_MS } from '../../../core/time.ts'
import { decodeChunk } from '../../chunk/codec.ts'
import { dayOf, SHORTEST_SPAN_MS, windowOf } from '../../chunk/windows.ts'

/** A row of the table. */
export interface ChunkRow {
  readonly user_id: string
  readonly series_id: number
  readonly chunk_start: number
  readonly span: number
  readonly n: number
  readonly first: number
  readonly last: number
  readonly min: number | null
  readonly max: number | null
  readonly sum: number | null
  readonly data: Uint8Array
}

/** What is wrong with the chunk by itself; no message holds a value. */
export function faultsOfChunk(row: ChunkRow): string[] {
  const faults = faultsOfPlace(row)
  const columns = decodedBlob(row.data, row.n)
  return columns ? [...faults, ...faultsOfSamples(row, columns)] : [...faults, 'it cannot be decoded']
}

/** The samples of a blob that should hold n of them, or undefined when it does not, or is none. */
export function decodedBlob(data: Uint8Array | null, n: number): SampleColumns | undefined {
  // a damaged count must not make the decoder fill the memory: a sample takes a byte at least
  if (!data || data.byteLength < 12 || n > data.byteLength) return undefined
  if (new DataView(data.buffer, data.byteOffset).getUint32(8, true) !== n) return undefined
  try {
    const columns = decodeChunk(data)
    return isWhole(columns) ? columns : undefined
  } catch {
    return undefined
  }
}

/** Every text column is a known one, and every code one of its words. */
function isWhole({ text }: SampleColumns): boolean {
  for (const [name, { values, codes }] of text) {
    if (name === undefined || !Array.isArray(values)) return false
    for (const code of codes) if (code > values.length) return false
  }
  return true
}

/** Whether two chunks in the order of their key lie in one day of a series and disagree about its windows. */
export function disagreeOnSpan(before: ChunkRow, row: ChunkRow): boolean {
  return (
    before.user_id === row.user_id &&
    before.series_id === row.series_id &&
    dayOf(before.chunk_start) === dayOf(row.chunk_start) &&
    before.span !== row.span
  )
}

function faultsOfPlace({ chunk_start: start, span }: ChunkRow): string[] {
  const parts = DAY_MS / span
  const isSpan = span >= SHORTEST_SPAN_MS && span <= DAY_MS && Number.isInteger(Math.log2(parts))
  if (!isSpan) return ['its span is none that a day can be divided into']
  return windowOf(start, span) === start ? [] : ['it does not begin where a window begins']
}

function faultsOfSamples(row: ChunkRow, { n, start, end, value }: SampleColumns): string[] {
  if (n === 0) return ['it is empty']
  const faults: string[] = []
  let ascends = true
  let isInside = true
  let areFinite = true
  let endsLater = true
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let sum = 0
  for (let i = 0; i < n; i++) {
    const at = start[i] as number
    if (i > 0 && !(at > (start[i - 1] as number))) ascends = false
    if (!(at >= row.chunk_start && at < row.chunk_start + row.span)) isInside = false
    if (end && !((end[i] as number) >= at)) endsLater = false
    const each = value[i] as number
    if (!Number.isFinite(each)) areFinite = false
    if (each < min) min = each
    if (each > max) max = each
    // in the order in which it was added up when it was written: equal to the bit
    sum += each
  }
  if (!ascends) faults.push('its starts do not ascend')
  if (!isInside) faults.push('a start lies outside its window')
  if (!endsLater) faults.push('a sample ends before it starts')
  if (!areFinite) faults.push('a value is not finite')
  const figures = { n, first: start[0], last: start[n - 1], min, max, sum }
  for (const [name, figure] of Object.entries(figures)) {
    if (row[name as keyof typeof figures] !== figure) faults.push(`the ${name} beside it is not that of its samples`)
  }
  return faults
}
