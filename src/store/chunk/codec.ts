/**
 * The packed chunk: n samples of one series as typed arrays in one blob. Decoding restores every bit. The format is little-endian and
 * starts with the version byte, and every section starts at a multiple of 8 bytes. docs/storage.md describes the layout. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { NO_OFFSET, type SampleColumns, TEXT_COLUMNS } from '../../core/sample.ts'
import { CHUNK_VERSION, codesAt, END, HEADER_BYTES, OFFSET, SECOND } from './layout.ts'
import { chooseTimeLayout, pad, writeTimes } from './times.ts'
import { packValues } from './values.ts'
import { buildColumns, ChunkView } from './view.ts'

const U32_MAX = 0xffff_ffff

/** Packs columns with strictly ascending starts. */
export function encodeChunk(columns: SampleColumns): Uint8Array {
  const n = columns.n
  const times = chooseTimeLayout(columns.start, n)
  const { mode: endMode, duration } = chooseEndMode(columns)
  const { mode: offsetMode, offset } = chooseOffsetMode(columns)
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
  view.setFloat64(16, columns.start[0] ?? 0, true)
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

/** Decodes a whole chunk. Throws a plain Error if the blob is not a chunk, because that is damage, not a user error. */
export function decodeChunk(blob: Uint8Array): SampleColumns {
  return buildColumns(new ChunkView(blob))
}

function chooseEndMode({ n, start, end }: SampleColumns): { readonly mode: number; readonly duration: number } {
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

function chooseOffsetMode({ n, offset }: SampleColumns): { readonly mode: number; readonly offset: number } {
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

/** Keeps only the texts that are used, in the order of their first use, so that equal rows result in equal bytes. */
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
