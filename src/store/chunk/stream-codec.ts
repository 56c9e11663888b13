/**
 * The packed stream of a workout: n points as typed arrays in one blob. Decoding restores every bit. The format is little-endian and starts
 * with the version byte, and every section starts at a multiple of 8 bytes. docs/storage.md describes the layout. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { STREAM_COLUMNS, type StreamColumn, type StreamPoints } from '../../core/stream.ts'
import { chooseTimeLayout, pad, readTimes, sizeOfTimes, TIME, writeTimes } from './times.ts'
import { type PackedValues, packValues, unpackValues, valueLayout } from './values.ts'

const STREAM_VERSION = 1
const HEADER_BYTES = 24
const COLUMN_HEADER_BYTES = 16

interface PackedColumn {
  readonly id: number
  /** One bit for each point, set if the point has a value. Null if every point has a value. */
  readonly present: Uint8Array | null
  readonly count: number
  readonly values: PackedValues
}

/** Packs points with ascending times. A column without values is left out. */
export function encodeStream(points: StreamPoints): Uint8Array {
  const { n } = points
  const times = chooseTimeLayout(points.time, n)
  const columns = STREAM_COLUMNS.flatMap((name, id) => packColumn(id, n, points.columns.get(name)) ?? [])
  const size = columns.reduce((sum, column) => sum + columnBytes(column), HEADER_BYTES + times.sizeBytes)
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  out[0] = STREAM_VERSION
  out[1] = times.mode
  out[2] = columns.length
  view.setUint32(8, n, true)
  view.setFloat64(16, points.time[0] ?? 0, true)
  writeTimes(out.buffer, HEADER_BYTES, points.time, n, times)
  let at = HEADER_BYTES + times.sizeBytes
  for (const column of columns) {
    const { codes } = column.values
    out[at] = column.id
    out[at + 1] = column.values.mode
    out[at + 2] = column.present ? 1 : 0
    view.setInt32(at + 4, column.values.base, true)
    view.setUint32(at + 8, column.count, true)
    at += COLUMN_HEADER_BYTES
    if (column.present) {
      out.set(column.present, at)
      at += pad(column.present.length)
    }
    out.set(new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength), at)
    at += pad(codes.byteLength)
  }
  return out
}

/** Decodes a stream. Throws a plain Error if the blob is not a stream, because that is damage, not a user error. */
export function decodeStream(blob: Uint8Array): StreamPoints {
  const bytes = blob.byteOffset % 8 === 0 ? blob : blob.slice()
  const { buffer, byteOffset: origin } = bytes
  if (bytes.byteLength < HEADER_BYTES || bytes[0] !== STREAM_VERSION)
    throw new Error(`not a workout stream: version ${bytes[0]}`)
  const view = new DataView(buffer, origin, bytes.byteLength)
  const n = view.getUint32(8, true)
  const size = bytes.byteLength
  if (n > mostPoints(bytes)) throw new Error('not a workout stream: the number of points does not fit its size')
  const timeMode = view.getUint8(1)
  const times = readTimes(timeMode, view.getFloat64(16, true), buffer, origin + HEADER_BYTES, 0, n)
  const columns = new Map<StreamColumn, Float64Array>()
  let at = HEADER_BYTES + sizeOfTimes(timeMode, n)
  for (let k = 0; k < view.getUint8(2); k++) {
    if (at + COLUMN_HEADER_BYTES > size) throw new Error('not a workout stream: it is truncated')
    const name = STREAM_COLUMNS[view.getUint8(at)]
    if (name === undefined) throw new Error(`not a workout stream: unknown column ${bytes[at]}`)
    const [mode, hasGaps] = [view.getUint8(at + 1), bytes[at + 2] === 1]
    const base = view.getInt32(at + 4, true)
    const count = view.getUint32(at + 8, true)
    if (count > n || (!hasGaps && count !== n))
      throw new Error('not a workout stream: the number of values of a column is wrong')
    at += COLUMN_HEADER_BYTES
    if (at + (hasGaps ? n / 8 : 0) + count > size) throw new Error('not a workout stream: it is truncated')
    const present = hasGaps ? bytes.subarray(at, at + Math.ceil(n / 8)) : null
    if (present) at += pad(present.length)
    const packed = unpackValues(valueLayout(mode, base), buffer, origin + at, count)
    at += pad(packed.bytes)
    columns.set(name, present ? spread(packed.value, present, n) : packed.value)
  }
  if (at !== size) throw new Error('not a workout stream: its sections do not add up to its size')
  return { n, time: times, columns }
}

/** Maximum number of points without values at a regular step. They take no bytes, so their number needs a separate limit. */
const MOST_EMPTY_POINTS = 10_000_000

/**
 * Returns how many points a blob of this size can contain, depending on how its times are stored. At a regular step, a point without any
 * values takes one bit in each column.
 */
function mostPoints(bytes: Uint8Array): number {
  if (bytes[1] === TIME.u32) return bytes.byteLength / 4
  if (bytes[1] === TIME.f64) return bytes.byteLength / 8
  return bytes[2] === 0 ? MOST_EMPTY_POINTS : bytes.byteLength * 8
}

function packColumn(id: number, n: number, column: Float64Array | undefined): PackedColumn | undefined {
  if (!column) return undefined
  let count = 0
  for (let i = 0; i < n; i++) if (!Number.isNaN(column[i])) count++
  if (count === 0) return undefined
  if (count === n) return { id, present: null, count, values: packValues(column.subarray(0, n)) }
  const present = new Uint8Array(Math.ceil(n / 8))
  const values = new Float64Array(count)
  let k = 0
  for (let i = 0; i < n; i++) {
    const value = column[i] as number
    if (Number.isNaN(value)) continue
    present[i >> 3] = (present[i >> 3] as number) | (1 << (i & 7))
    values[k++] = value
  }
  return { id, present, count, values: packValues(values) }
}

function columnBytes({ present, values }: PackedColumn): number {
  return COLUMN_HEADER_BYTES + (present ? pad(present.length) : 0) + pad(values.codes.byteLength)
}

function spread(values: Float64Array, present: Uint8Array, n: number): Float64Array {
  const column = new Float64Array(n).fill(Number.NaN)
  let k = 0
  for (let i = 0; i < n; i++) if ((present[i >> 3] as number) & (1 << (i & 7))) column[i] = values[k++] as number
  return column
}
