/** Writes the headers of Parquet pages, which are structs in Thrift's compact protocol. */
import type { ByteWriter } from 'hyparquet-writer'

/** The page encodings in use, with their numbers in the format. */
const ENCODINGS = { PLAIN: 0, DELTA_BINARY_PACKED: 5, RLE_DICTIONARY: 8 } as const
export type PageEncoding = keyof typeof ENCODINGS

const [DICTIONARY_PAGE, DATA_PAGE_V2] = [2, 3]

/** First byte of each field: the difference from the previous field's number, then the field's type. */
const [NEXT_NUMBER, NEXT_FALSE, FOURTH_NEXT_STRUCT, FIFTH_NEXT_STRUCT] = [0x15, 0x12, 0x4c, 0x5c]
const END = 0

/** Sizes in bytes, without the header. */
interface PageSizes {
  readonly plain: number
  /** Size in the file, which is the number of bytes after the header. */
  readonly stored: number
}

export function writeDictionaryHeader(bytes: ByteWriter, { plain, stored }: PageSizes, words: number): void {
  writeNumbers(bytes, [DICTIONARY_PAGE, plain, stored])
  bytes.appendUint8(FOURTH_NEXT_STRUCT)
  writeNumbers(bytes, [words, ENCODINGS.PLAIN])
  bytes.appendUint8(END)
  bytes.appendUint8(END)
}

export interface DataPage extends PageSizes {
  readonly rows: number
  readonly nulls: number
  readonly encoding: PageEncoding
  readonly levelBytes: number
  readonly isCompressed: boolean
}

export function writeDataHeader(bytes: ByteWriter, page: DataPage): void {
  const { plain, stored, rows, nulls, encoding, levelBytes, isCompressed } = page
  const repetitionBytes = 0
  writeNumbers(bytes, [DATA_PAGE_V2, plain, stored])
  bytes.appendUint8(FIFTH_NEXT_STRUCT)
  writeNumbers(bytes, [rows, nulls, rows, ENCODINGS[encoding], levelBytes, repetitionBytes])
  // a page without this field is compressed
  if (!isCompressed) bytes.appendUint8(NEXT_FALSE)
  bytes.appendUint8(END)
  bytes.appendUint8(END)
}

function writeNumbers(bytes: ByteWriter, numbers: readonly number[]): void {
  for (const number of numbers) {
    bytes.appendUint8(NEXT_NUMBER)
    bytes.appendZigZag(number)
  }
}
