/** Encodes one column's cells in a Parquet row group: levels, dictionary or packed values, and minimum and maximum. */
import { isValid } from './columns.ts'
import { BitWriter, bitWidth, deltaPacked, isPackable } from './parquet-delta.ts'
import type { PageEncoding } from './parquet-page-header.ts'
import type { ColumnValues } from './table.ts'

export type PhysicalType = 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'BYTE_ARRAY'
export type Extreme = number | bigint | string | undefined

/** A column's pages, not yet compressed. */
export interface EncodedColumn {
  readonly encoding: PageEncoding
  /** The dictionary in plain encoding; null if the values are not in a dictionary. */
  readonly dictionary: { readonly bytes: Uint8Array; readonly count: number } | null
  readonly values: Uint8Array
  readonly min: Extreme
  readonly max: Extreme
  /** Whether the values are still worth compressing. */
  readonly isPacked: boolean
}

/** Maximum number of dictionary values per row; above this, a dictionary is not worth its size. */
const DICTIONARY_SHARE = 0.5
const DICTIONARY_MOST = 16_384
/** Dictionary size up to which texts always use a dictionary, because a reader then decodes each text only once. */
const SMALL_DICTIONARY_BYTES = 1024 * 1024
/** Maximum length of a minimum or maximum text. Longer ones are omitted. */
const EXTREME_CHARACTERS = 64

/** Returns the rows from `from` to `to` that have a value. */
export function validRows(column: ColumnValues, from: number, to: number): Int32Array {
  const rows = new Int32Array(to - from)
  let count = 0
  for (let row = from; row < to; row++) if (isValid(column, row)) rows[count++] = row
  return rows.subarray(0, count)
}

/** Returns definition levels of one bit (1 for a value), as a single run or as the bits from Arrow. `from` is a multiple of 8. */
export function definitionLevels({ valid }: ColumnValues, from: number, to: number): Uint8Array {
  const count = to - from
  const bytes = (count + 7) >> 3
  const writer = new BitWriter(10 + bytes)
  if (valid === null) {
    writer.varint(count * 2)
    writer.byte(1)
    return writer.bytes()
  }
  writer.varint(bytes * 2 + 1)
  for (let i = 0; i < bytes; i++) writer.byte(valid[(from >> 3) + i] as number)
  return writer.bytes()
}

/** Encodes the values at `rows`. */
export function encodeValues(type: PhysicalType, column: ColumnValues, rows: Int32Array): EncodedColumn {
  switch (type) {
    case 'BOOLEAN':
      return booleans(column.values as Uint8Array, rows)
    case 'DOUBLE':
      return doubles(column.values as Float64Array, rows)
    case 'BYTE_ARRAY':
      return texts(column, rows)
    default:
      return integers(type, column.values as Int32Array | BigInt64Array, rows)
  }
}

function booleans(bits: Uint8Array, rows: Int32Array): EncodedColumn {
  const bytes = new Uint8Array((rows.length + 7) >> 3)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    if (((bits[row >> 3] as number) & (1 << (row & 7))) !== 0) (bytes[i >> 3] as number) |= 1 << (i & 7)
  }
  return { encoding: 'PLAIN', dictionary: null, values: bytes, min: undefined, max: undefined, isPacked: false }
}

function integers(type: 'INT32' | 'INT64', values: Int32Array | BigInt64Array, rows: Int32Array): EncodedColumn {
  const numbers = new Float64Array(rows.length)
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  // reads 32-bit halves, because one BigInt per value would cost more than all other work
  const halves =
    values instanceof BigInt64Array ? new Int32Array(values.buffer, values.byteOffset, values.length * 2) : null
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    const value = halves
      ? (halves[2 * row + 1] as number) * 2 ** 32 + ((halves[2 * row] as number) >>> 0)
      : (values[row] as number)
    numbers[i] = value
    if (value < min) min = value
    if (value > max) max = value
  }
  if (rows.length > 0 && !isPackable(min, max)) return plainIntegers(values as BigInt64Array, rows)
  const isEmpty = rows.length === 0
  const extreme = (value: number) => (isEmpty ? undefined : type === 'INT64' ? BigInt(value) : value)
  return {
    encoding: 'DELTA_BINARY_PACKED',
    dictionary: null,
    values: deltaPacked(numbers.length, i => numbers[i] as number),
    min: extreme(min),
    max: extreme(max),
    isPacked: true,
  }
}

/** Encodes integers beyond a double's exact range. */
function plainIntegers(values: BigInt64Array, rows: Int32Array): EncodedColumn {
  const own = BigInt64Array.from(rows, row => values[row] as bigint)
  let [min, max] = [own[0] as bigint, own[0] as bigint]
  for (const value of own) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return { encoding: 'PLAIN', dictionary: null, values: new Uint8Array(own.buffer), min, max, isPacked: false }
}

function doubles(values: Float64Array, rows: Int32Array): EncodedColumn {
  const own = new Float64Array(rows.length)
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < rows.length; i++) {
    const value = values[rows[i] as number] as number
    own[i] = value
    if (value < min) min = value
    if (value > max) max = value
  }
  const known = rows.length === 0 ? { min: undefined, max: undefined } : { min: zero(min, -0), max: zero(max, 0) }
  const coded = own.length === 0 ? undefined : buildDictionary(own)
  if (!coded) {
    const bytes = new Uint8Array(own.buffer)
    return { encoding: 'PLAIN', dictionary: null, values: bytes, ...known, isPacked: false }
  }
  const words = Float64Array.from(coded.words)
  return {
    encoding: 'RLE_DICTIONARY',
    dictionary: { bytes: new Uint8Array(words.buffer), count: words.length },
    values: packedCodes(coded.codes, words.length),
    ...known,
    isPacked: false,
  }
}

/** For a bound of zero, returns the outer of -0 and 0, as readers expect. */
function zero(value: number, outer: number): number {
  return value === 0 ? outer : value
}

/** Returns the values' positions among the distinct values; undefined if there are too many distinct values. */
function buildDictionary(
  values: Float64Array,
): { readonly codes: Int32Array; readonly words: readonly number[] } | undefined {
  const most = Math.min(DICTIONARY_MOST, values.length * DICTIONARY_SHARE)
  const indexes = new Map<number, number>()
  const codes = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    // a Map treats 0 and -0 as equal
    if (value === 0 && Object.is(value, -0)) return undefined
    let index = indexes.get(value)
    if (index === undefined) {
      if (indexes.size >= most || hasTooMany(indexes.size, i)) return undefined
      index = indexes.size
      indexes.set(value, index)
    }
    codes[i] = index
  }
  return { codes, words: [...indexes.keys()] }
}

/** Returns whether there are too many distinct values. If values rarely repeat, this is known early. */
function hasTooMany(different: number, seen: number): boolean {
  return seen >= 4_096 && different > seen * 0.9
}

function texts({ values, texts: all }: ColumnValues, rows: Int32Array): EncodedColumn {
  const wordIndex = new Int32Array(all.length).fill(-1)
  const words: Buffer[] = []
  const codes = new Int32Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    const word = (values as Int32Array)[rows[i] as number] as number
    if (wordIndex[word] === -1) wordIndex[word] = words.push(Buffer.from(all[word] as string)) - 1
    codes[i] = wordIndex[word] as number
  }
  const sorted = [...words].sort(Buffer.compare)
  const [first, last] = [sorted[0], sorted.at(-1)]
  const isShort = first !== undefined && last !== undefined && Math.max(first.length, last.length) <= EXTREME_CHARACTERS
  const known = { min: isShort ? `${first}` : undefined, max: isShort ? `${last}` : undefined }
  const size = words.reduce((sum, word) => sum + word.length, 0)
  const isWorthIt = words.length <= rows.length * DICTIONARY_SHARE || size <= SMALL_DICTIONARY_BYTES
  if (words.length === 0 || !isWorthIt) {
    const bytes = plainTexts(Array.from(codes, code => words[code] as Buffer))
    return { encoding: 'PLAIN', dictionary: null, values: bytes, ...known, isPacked: false }
  }
  return {
    encoding: 'RLE_DICTIONARY',
    dictionary: { bytes: plainTexts(words), count: words.length },
    values: packedCodes(codes, words.length),
    ...known,
    isPacked: false,
  }
}

function plainTexts(words: readonly Buffer[]): Uint8Array {
  const bytes = Buffer.alloc(words.reduce((sum, word) => sum + 4 + word.length, 0))
  let at = 0
  for (const word of words) {
    bytes.writeUInt32LE(word.length, at)
    word.copy(bytes, at + 4)
    at += 4 + word.length
  }
  return bytes
}

/** Returns the bit width, followed by one run, either of a single value or of packed values. */
function packedCodes(codes: Int32Array, words: number): Uint8Array {
  const width = Math.max(1, bitWidth(Math.max(0, words - 1)))
  const groups = Math.ceil(codes.length / 8)
  const writer = new BitWriter(16 + groups * width)
  writer.byte(width)
  if (codes.length === 0) return writer.bytes()
  if (words === 1) {
    writer.varint(codes.length * 2)
    writer.byte(0)
    return writer.bytes()
  }
  writer.varint(groups * 2 + 1)
  for (let i = 0; i < groups * 8; i++) writer.bits(codes[i] ?? 0, width)
  return writer.bytes()
}
