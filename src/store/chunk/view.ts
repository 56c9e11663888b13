/**
 * Reads a packed chunk in place. A column is built on first use, so that a scan only pays for the columns that it reads. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import {
  type DictColumn,
  NO_OFFSET,
  type SampleColumns,
  type SamplePacking,
  TEXT_COLUMNS,
  type TextColumn,
} from '../../core/sample.ts'
import { CHUNK_VERSION, type Codes, codesAt, END, HEADER_BYTES, OFFSET, SECOND } from './layout.ts'
import { pad, readTimes, sizeOfTimes, TIME } from './times.ts'
import { unpackValues, type ValueLayout, valueLayout } from './values.ts'

const TEXT_HEAD_BYTES = 16
/** Approximate memory that a view takes besides the blob's content, in bytes. */
const VIEW_BYTES = 400
/** The latest time that has a date, in epoch milliseconds. */
const LAST_TIME = 8.64e15

/** Where a blob's sections begin, as offsets from its start. */
interface Sections {
  readonly end: number
  readonly value: number
  readonly second: number
  readonly offset: number
  readonly texts: number
}

/** Returns a view's columns, each built only once, for callers that read them repeatedly. */
export function buildColumns({ n, start, end, value, second, offset, text }: SampleColumns): SampleColumns {
  return { n, start, end, value, second, offset, text }
}

/**
 * A chunk's samples. The constructor throws a plain Error if the blob is not a chunk, that is, if its header is not valid for a blob of
 * this size.
 */
export class ChunkView implements SampleColumns {
  readonly n: number
  /** Start of the first sample. */
  readonly first: number
  /** Size of the blob in bytes. */
  readonly bytes: number
  private readonly blob: Uint8Array
  private readonly view: DataView
  private readonly values: ValueLayout
  private readonly at: Sections
  /** Milliseconds between two starts, or null if the starts are not regular. */
  private readonly step: number | null
  private startColumn: Float64Array | undefined
  private valueColumn: Float64Array | undefined
  private textColumns: ReadonlyMap<TextColumn, DictColumn> | undefined

  constructor(bytes: Uint8Array) {
    // typed-array views need an aligned start: blobs from SQLite have one, but slices of a file may not
    const blob = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
    if (blob.byteLength < HEADER_BYTES || blob[0] !== CHUNK_VERSION)
      throw new Error(`not a sample chunk: version ${blob[0]}`)
    this.blob = blob
    this.bytes = blob.byteLength
    this.view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
    this.n = this.view.getUint32(8, true)
    this.first = this.view.getFloat64(16, true)
    this.values = valueLayout(this.mode(3), this.view.getInt32(12, true))
    // every value takes at least one byte, so larger counts are never used to allocate or fill anything
    if (this.n > this.bytes) throw new Error('not a sample chunk: the number of samples does not fit its size')
    this.at = this.sections()
    if (this.endOfTexts() !== this.bytes) throw new Error('not a sample chunk: its sections do not add up to its size')
    this.step = this.mode(1) === TIME.regular ? this.view.getFloat64(HEADER_BYTES, true) : null
  }

  /** Checks conditions that readers rely on and that the lengths do not prove, for blobs without a checksum. Throws a plain Error. */
  validate(): void {
    const { n, start, end, value, text } = this
    for (let i = 0; i < n; i++) {
      const at = start[i] as number
      const isPlaced = Math.abs(at) <= LAST_TIME && (i === 0 || at > (start[i - 1] as number))
      if (!isPlaced || (end && !((end[i] as number) >= at)))
        throw new Error('not a sample chunk: its times are not in order')
      if (!Number.isFinite(value[i])) throw new Error('not a sample chunk: a value is not finite')
    }
    if (text.size !== this.mode(6)) throw new Error('not a sample chunk: a text column occurs twice')
    for (const { values, codes } of text.values()) {
      if (!Array.isArray(values) || values.some(each => typeof each !== 'string'))
        throw new Error('not a sample chunk: a dictionary is not a list of texts')
      for (const code of codes)
        if (code > values.length) throw new Error('not a sample chunk: a code is not in its dictionary')
    }
  }

  get start(): Float64Array {
    this.startColumn ??= this.starts(0, this.n)
    return this.startColumn
  }

  get end(): Float64Array | null {
    return this.ends(this.start, 0)
  }

  get value(): Float64Array {
    this.valueColumn ??= this.valuesOf(0, this.n)
    return this.valueColumn
  }

  get second(): Float64Array | null {
    return this.seconds(0, this.n)
  }

  get offset(): Int32Array | null {
    return this.offsets(0, this.n)
  }

  /** Returns the samples in the rows from `from` up to, but not including, `to`. Does not unpack the others. */
  rows(from: number, to: number): SampleColumns {
    const start = this.starts(from, to)
    const text = new Map<TextColumn, DictColumn>()
    for (const [name, { values, codes }] of this.text) text.set(name, { values, codes: codes.subarray(from, to) })
    return {
      n: to - from,
      start,
      end: this.ends(start, from),
      value: this.valuesOf(from, to),
      second: this.seconds(from, to),
      offset: this.offsets(from, to),
      text,
    }
  }

  /** Start of the sample in a row. */
  startAt(row: number): number {
    if (this.step !== null) return this.first + row * this.step
    if (this.mode(1) === TIME.u32) return this.first + this.view.getUint32(HEADER_BYTES + row * 4, true)
    return this.view.getFloat64(HEADER_BYTES + row * 8, true)
  }

  /** Returns the first row at or after `low` whose start is at or after `time`, or n if there is none. */
  rowAtOrAfter(time: number, low = 0): number {
    let [from, to] = [low, this.n]
    while (from < to) {
      const mid = (from + to) >> 1
      if (this.startAt(mid) < time) from = mid + 1
      else to = mid
    }
    return from
  }

  /** Approximate memory that the view takes if it is read through `rows` only, in bytes. */
  get memoryBytes(): number {
    let bytes = VIEW_BYTES + this.bytes
    for (const { values, codes } of this.text.values()) {
      bytes += codes.byteLength
      for (const value of values) bytes += 2 * value.length + 16
    }
    return bytes
  }

  get text(): ReadonlyMap<TextColumn, DictColumn> {
    this.textColumns ??= this.readTexts()
    return this.textColumns
  }

  /** Facts that are true for all rows and that a scan can use without unpacking them. */
  get packing(): SamplePacking {
    const { base, scale, width } = this.values
    const [ends, mode] = [this.mode(2), this.mode(5)]
    return {
      regular: this.step === null ? null : { first: this.first, step: this.step },
      codes: scale === 0 || width === 4 ? null : { codes: this.shortCodes(width), base, scale },
      offset:
        mode === OFFSET.none ? NO_OFFSET : mode === OFFSET.constant ? this.view.getInt32(this.at.offset, true) : null,
      durationMs: ends === END.none ? 0 : ends === END.constant ? this.view.getFloat64(this.at.end, true) : null,
    }
  }

  /** Start of the last sample. Equal to `first` if the chunk is empty. */
  get last(): number {
    return this.n < 2 ? this.first : this.startAt(this.n - 1)
  }

  private mode(at: number): number {
    return this.view.getUint8(at)
  }

  private sections(): Sections {
    const { n } = this
    const [time, ends, offsets] = [this.mode(1), this.mode(2), this.mode(5)]
    if (time > TIME.f64 || ends > END.f64 || this.mode(4) > SECOND.f64 || offsets > OFFSET.i32)
      throw new Error('not a sample chunk: a section has an unknown mode')
    const end = HEADER_BYTES + sizeOfTimes(time, n)
    const value = end + (ends === END.none ? 0 : ends === END.constant ? 8 : pad(n * (ends === END.u32 ? 4 : 8)))
    const second = value + pad(n * this.values.width)
    const offset = second + (this.mode(4) === SECOND.f64 ? n * 8 : 0)
    const texts = offset + (offsets === OFFSET.none ? 0 : offsets === OFFSET.constant ? 8 : pad(n * 4))
    return { end, value, second, offset, texts }
  }

  /** Returns where the text columns end according to their headers, or infinity if one of the headers is invalid. */
  private endOfTexts(): number {
    let at = this.at.texts
    for (let k = 0; k < this.mode(6); k++) {
      if (at + TEXT_HEAD_BYTES > this.bytes) return Number.POSITIVE_INFINITY
      const width = this.mode(at + 1)
      if (this.mode(at) >= TEXT_COLUMNS.length || (width !== 1 && width !== 2 && width !== 4))
        return Number.POSITIVE_INFINITY
      const length = this.view.getUint32(at + 4, true)
      if (length > this.bytes) return Number.POSITIVE_INFINITY
      at += TEXT_HEAD_BYTES + pad(length) + pad(this.n * width)
    }
    return at
  }

  private starts(from: number, to: number): Float64Array {
    const { buffer, byteOffset } = this.blob
    return readTimes(this.mode(1), this.first, buffer, byteOffset + HEADER_BYTES, from, to)
  }

  /** Returns the ends of the rows that begin at `from`. `start` contains their starts. */
  private ends(start: Float64Array, from: number): Float64Array | null {
    const mode = this.mode(2)
    if (mode === END.none) return null
    const n = start.length
    const end = new Float64Array(n)
    if (mode === END.constant) {
      const duration = this.view.getFloat64(this.at.end, true)
      for (let i = 0; i < n; i++) end[i] = (start[i] as number) + duration
      return end
    }
    const durations = mode === END.f64 ? this.f64(this.at.end, from, from + n) : this.u32(this.at.end, from, from + n)
    for (let i = 0; i < n; i++) end[i] = (start[i] as number) + (durations[i] as number)
    return end
  }

  private valuesOf(from: number, to: number): Float64Array {
    const { buffer, byteOffset } = this.blob
    return unpackValues(this.values, buffer, byteOffset + this.at.value + from * this.values.width, to - from).value
  }

  private seconds(from: number, to: number): Float64Array | null {
    return this.mode(4) === SECOND.f64 ? this.f64(this.at.second, from, to) : null
  }

  private offsets(from: number, to: number): Int32Array | null {
    const { at, blob } = this
    const mode = this.mode(5)
    if (mode === OFFSET.none) return null
    if (mode === OFFSET.constant) return new Int32Array(to - from).fill(this.view.getInt32(at.offset, true))
    return new Int32Array(blob.buffer, blob.byteOffset + at.offset + from * 4, to - from)
  }

  private f64(at: number, from: number, to: number): Float64Array {
    return new Float64Array(this.blob.buffer, this.blob.byteOffset + at + from * 8, to - from)
  }

  private u32(at: number, from: number, to: number): Uint32Array {
    return new Uint32Array(this.blob.buffer, this.blob.byteOffset + at + from * 4, to - from)
  }

  private codes(at: number, width: number): Codes {
    return codesAt(this.blob.buffer, this.blob.byteOffset + at, this.n, width)
  }

  private shortCodes(width: number): Uint8Array | Uint16Array {
    return this.codes(this.at.value, width) as Uint8Array | Uint16Array
  }

  private readTexts(): ReadonlyMap<TextColumn, DictColumn> {
    const { blob, view, n } = this
    const text = new Map<TextColumn, DictColumn>()
    let at = this.at.texts
    for (let k = 0; k < this.mode(6); k++) {
      const name = TEXT_COLUMNS[this.mode(at)]
      if (name === undefined) throw new Error('not a sample chunk: unknown text column')
      const width = this.mode(at + 1)
      const length = view.getUint32(at + 4, true)
      at += TEXT_HEAD_BYTES
      const values = JSON.parse(Buffer.from(blob.buffer, blob.byteOffset + at, length).toString('utf8')) as string[]
      at += pad(length)
      text.set(name, { values, codes: Uint32Array.from(this.codes(at, width)) })
      at += pad(n * width)
    }
    return text
  }
}
