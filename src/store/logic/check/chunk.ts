/** Checks one chunk: its blob, its figures, and its position relative to other chunks. */
import type { SampleColumns } from '../../../core/sample.ts'
import { DAY_MS } from '../../../core/time.ts'
import { decodeChunk } from '../../chunk/codec.ts'
import { dayStart, SHORTEST_SPAN_MS, windowStart } from '../../chunk/windows.ts'
import type { ChunkHeadRow } from '../rows/tables.ts'
import { storedSum } from '../samples/chunks.ts'

/** A row in the chunk table. `data` is null, a text or a number only if the file is damaged. */
export type ChunkRow = Omit<ChunkHeadRow, 'rev'> & { readonly data: Uint8Array | null }

/** Returns a chunk's problems. The messages contain no values. */
export function faultsOfChunk(row: ChunkRow): string[] {
  const faults = positionFaults(row)
  const columns = decodedBlob(row.data, row.n)
  return columns ? [...faults, ...faultsOfSamples(row, columns)] : [...faults, 'it cannot be decoded']
}

/** Returns the samples in a blob that should contain n samples, or undefined if it does not contain n samples or is not a chunk. */
export function decodedBlob(data: Uint8Array | null, n: number): SampleColumns | undefined {
  // damage can turn a blob into text or a number
  if (!(data instanceof Uint8Array)) return undefined
  // a damaged count must not make the decoder fill the memory; each sample takes at least one byte
  if (data.byteLength < 12 || n > data.byteLength) return undefined
  if (new DataView(data.buffer, data.byteOffset).getUint32(8, true) !== n) return undefined
  try {
    const columns = decodeChunk(data)
    return isWhole(columns) ? columns : undefined
  } catch {
    return undefined
  }
}

/** Returns whether every text column is known and all of its codes are in its dictionary. */
function isWhole({ text }: SampleColumns): boolean {
  for (const [name, { values, codes }] of text) {
    if (name === undefined || !Array.isArray(values)) return false
    for (const code of codes) if (code > values.length) return false
  }
  return true
}

/**
 * Returns whether two chunks that are neighbours in key order belong to the same day of a series, but have windows of different lengths.
 */
export function disagreeOnSpan(before: ChunkRow, row: ChunkRow): boolean {
  return (
    before.user_id === row.user_id &&
    before.series_id === row.series_id &&
    dayStart(before.chunk_start) === dayStart(row.chunk_start) &&
    before.span !== row.span
  )
}

function positionFaults({ chunk_start: start, span }: ChunkRow): string[] {
  const parts = DAY_MS / span
  const isSpan = span >= SHORTEST_SPAN_MS && span <= DAY_MS && Number.isInteger(Math.log2(parts))
  if (!isSpan) return ['a day cannot be divided into windows of its span']
  return windowStart(start, span) === start ? [] : ['it does not begin where a window begins']
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
  let before = Number.NEGATIVE_INFINITY
  for (let i = 0; i < n; i++) {
    // unchecked reads, because the loop is hot
    const at = start[i] as number
    if (!(at > before)) ascends = false
    before = at
    if (!(at >= row.chunk_start && at < row.chunk_start + row.span)) isInside = false
    if (end && !((end[i] as number) >= at)) endsLater = false
    const each = value[i] as number
    if (!Number.isFinite(each)) areFinite = false
    if (each < min) min = each
    if (each > max) max = each
    // in the order in which the chunk was written, so that both sums are bit-identical
    sum += each
  }
  if (!ascends) faults.push('its starts do not ascend')
  if (!isInside) faults.push('a start is outside its window')
  if (!endsLater) faults.push('a sample ends before it starts')
  if (!areFinite) faults.push('a value is not finite')
  const figures = { n, first: start[0], last: start[n - 1], min, max, sum: storedSum(sum) }
  for (const [name, figure] of Object.entries(figures)) {
    if (row[name as keyof typeof figures] !== figure)
      faults.push(`the ${name} stored with it differs from that of its samples`)
  }
  return faults
}
