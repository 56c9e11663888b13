/**
 * The packed chunk: n samples of one series as typed arrays in one blob, bit-equal on the way back. docs/storage.md has the
 * layout; the version byte leads, little-endian throughout, every section starts at a multiple of 8 bytes.
 */
import { type DictColumn, NO_OFFSET, type SampleColumns, TEXT_COLUMNS, type TextColumn } from '../../core/sample.ts'
import { pad, readTimes, timeLayoutOf, writeTimes } from './times.ts'
import { packValues, unpackValues } from './values.ts'

export const CHUNK_VERSION = 1
const HEADER_BYTES = 24
const U32_MAX = 0xffff_ffff

/** How ends are stored: as the start, one duration for all, or a duration each. */
const END = { none: 0, constant: 1, u32: 2, f64: 3 } as const
const SECOND = { none: 0, f64: 1 } as const
const OFFSET = { none: 0, constant: 1, i32: 2 } as const

/** Packs columns whose starts ascend strictly. */
export function encodeChunk(columns: SampleColumns): Uint8Array {
  const n = columns.n
  const times = timeLayoutOf(columns.start, n)
  const { mode: endMode, duration } = endModeOf(columns)
  const { mode: offsetMode, offset } = offsetModeOf(columns)
  const texts = packTexts(columns)
  const values = packValues(columns.value)
  const size =
    HEADER_BYTES +
    times.sizeBytes +
    (endMode === END.none ? 0 : endMode === END.constant ? 8 : pad(n * (endMode === END.u32 ? 4 : 8))) +
    pad(values.codes.byteLength) +
    (columns.second ? n * 8 : 0) +
    (offsetMode === OFFSET.none ? 0 : offsetMode === OFFSET.constant ? 8 : pad(n * 4)) +
    texts.reduce((sum, text) => sum + 16 + pad(text.dictionary.length) + pad(n * text.width), 0)
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  out[0] = CHUNK_VERSION
  out[1] = times.mode
  out[2] = endMode
  out[3] = values.mode
  out[4] = columns.second ? SECOND.f64 : SECOND.none
  out[5] = offsetMode
  out[6] = texts.length
  view.setUint32(8, n, true)
  view.setInt32(12, values.base, true)
  view.setFloat64(16, n === 0 ? 0 : (columns.start[0] as number), true)
  writeTimes(out.buffer, HEADER_BYTES, columns.start, n, times)
  let at = HEADER_BYTES + times.sizeBytes
  if (endMode === END.constant) {
    view.setFloat64(at, duration, true)
    at += 8
  } else if (endMode !== END.none) {
    const end = columns.end as Float64Array
    const wide = endMode === END.f64
    const target = wide ? new Float64Array(out.buffer, at, n) : new Uint32Array(out.buffer, at, n)
    for (let i = 0; i < n; i++) target[i] = (end[i] as number) - (columns.start[i] as number)
    at += pad(n * (wide ? 8 : 4))
  }
  out.set(new Uint8Array(values.codes.buffer, values.codes.byteOffset, values.codes.byteLength), at)
  at += pad(values.codes.byteLength)
  if (columns.second) {
    new Float64Array(out.buffer, at, n).set(columns.second)
    at += n * 8
  }
  if (offsetMode === OFFSET.constant) {
    view.setInt32(at, offset, true)
    at += 8
  } else if (offsetMode === OFFSET.i32) {
    new Int32Array(out.buffer, at, n).set(columns.offset as Int32Array)
    at += pad(n * 4)
  }
  for (const text of texts) {
    out[at] = text.id
    out[at + 1] = text.width
    view.setUint32(at + 4, text.dictionary.length, true)
    at += 16
    out.set(text.dictionary, at)
    at += pad(text.dictionary.length)
    codesAt(out.buffer, at, n, text.width).set(text.codes)
    at += pad(n * text.width)
  }
  return out
}

/** Reads a chunk. Throws a plain Error for a blob that is none: that is damage, not a mistake of the user. */
export function decodeChunk(blob: Uint8Array): SampleColumns {
  // typed-array views need an aligned start; what SQLite hands out has one, a slice of a file may not
  const bytes = blob.byteOffset % 8 === 0 ? blob : blob.slice()
  const buffer = bytes.buffer
  const origin = bytes.byteOffset
  const view = new DataView(buffer, origin, bytes.byteLength)
  if (bytes.byteLength < HEADER_BYTES || bytes[0] !== CHUNK_VERSION)
    throw new Error(`not a sample chunk: version ${bytes[0]}`)
  const [timeMode, endMode, valueMode, secondMode, offsetMode, textCount] = bytes.subarray(1, 7)
  const n = view.getUint32(8, true)
  const times = readTimes(timeMode as number, view.getFloat64(16, true), buffer, origin + HEADER_BYTES, n)
  const start = times.times
  let at = HEADER_BYTES + times.sizeBytes
  let end: Float64Array | null = null
  if (endMode !== END.none) {
    end = new Float64Array(n)
    if (endMode === END.constant) {
      const duration = view.getFloat64(at, true)
      for (let i = 0; i < n; i++) end[i] = (start[i] as number) + duration
      at += 8
    } else {
      const wide = endMode === END.f64
      const source = wide ? new Float64Array(buffer, origin + at, n) : new Uint32Array(buffer, origin + at, n)
      for (let i = 0; i < n; i++) end[i] = (start[i] as number) + (source[i] as number)
      at += pad(n * (wide ? 8 : 4))
    }
  }
  const { value, bytes: valueBytes } = unpackValues(
    valueMode as number,
    view.getInt32(12, true),
    buffer,
    origin + at,
    n,
  )
  at += pad(valueBytes)
  let second: Float64Array | null = null
  if (secondMode === SECOND.f64) {
    second = new Float64Array(buffer, origin + at, n)
    at += n * 8
  }
  let offset: Int32Array | null = null
  if (offsetMode === OFFSET.constant) {
    offset = new Int32Array(n).fill(view.getInt32(at, true))
    at += 8
  } else if (offsetMode === OFFSET.i32) {
    offset = new Int32Array(buffer, origin + at, n)
    at += pad(n * 4)
  }
  const text = new Map<TextColumn, DictColumn>()
  for (let k = 0; k < (textCount as number); k++) {
    const name = TEXT_COLUMNS[bytes[at] as number] as TextColumn
    const width = bytes[at + 1] as number
    const length = view.getUint32(at + 4, true)
    at += 16
    const values = JSON.parse(Buffer.from(buffer, origin + at, length).toString('utf8')) as string[]
    at += pad(length)
    text.set(name, { values, codes: Uint32Array.from(codesAt(buffer, origin + at, n, width)) })
    at += pad(n * width)
  }
  return { n, start, end, value, second, offset, text }
}

function endModeOf({ n, start, end }: SampleColumns): { readonly mode: number; readonly duration: number } {
  if (!end || n === 0) return { mode: END.none, duration: 0 }
  const first = (end[0] as number) - (start[0] as number)
  let constant = true
  let longest = 0
  for (let i = 0; i < n; i++) {
    const duration = (end[i] as number) - (start[i] as number)
    if (duration !== first) constant = false
    if (duration > longest) longest = duration
  }
  if (constant) return { mode: first === 0 ? END.none : END.constant, duration: first }
  return { mode: longest <= U32_MAX ? END.u32 : END.f64, duration: 0 }
}

function offsetModeOf({ n, offset }: SampleColumns): { readonly mode: number; readonly offset: number } {
  if (!offset || n === 0) return { mode: OFFSET.none, offset: NO_OFFSET }
  const first = offset[0] as number
  for (let i = 1; i < n; i++) if (offset[i] !== first) return { mode: OFFSET.i32, offset: 0 }
  return { mode: first === NO_OFFSET ? OFFSET.none : OFFSET.constant, offset: first }
}

interface PackedText {
  readonly id: number
  readonly width: number
  readonly dictionary: Uint8Array
  readonly codes: Uint32Array
}

/** Only values that are used travel, in the order of their first use: the same rows give the same bytes. */
function packTexts({ n, text }: SampleColumns): PackedText[] {
  const packed: PackedText[] = []
  TEXT_COLUMNS.forEach((name, id) => {
    const column = text.get(name)
    if (!column) return
    const renumber = new Map<number, number>()
    const values: string[] = []
    const codes = new Uint32Array(n)
    for (let i = 0; i < n; i++) {
      const code = column.codes[i] as number
      if (code === 0) continue
      let own = renumber.get(code)
      if (own === undefined) {
        own = values.push(column.values[code - 1] as string)
        renumber.set(code, own)
      }
      codes[i] = own
    }
    if (values.length === 0) return
    const width = values.length < 0x100 ? 1 : values.length < 0x1_0000 ? 2 : 4
    packed.push({ id, width, dictionary: Buffer.from(JSON.stringify(values)), codes })
  })
  return packed
}

function codesAt(
  buffer: ArrayBufferLike,
  at: number,
  n: number,
  width: number,
): Uint8Array | Uint16Array | Uint32Array {
  if (width === 1) return new Uint8Array(buffer, at, n)
  return width === 2 ? new Uint16Array(buffer, at, n) : new Uint32Array(buffer, at, n)
}
