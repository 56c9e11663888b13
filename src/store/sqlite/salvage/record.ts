/** Reads rows from the pages of a database file. Throws Unreadable for bytes that are not a row. */
import type { SqlValue } from '../../logic/steps.ts'
import type { PageFile } from './page-file.ts'

/** Thrown for bytes that are not a row. */
export class Unreadable extends Error {}

export interface RecordCell {
  /** Null in an index, or in a table without rowid. */
  readonly rowid: bigint | null
  readonly values: readonly SqlValue[]
  /** Whether a page that contains part of the row consists only of zeros. Only a checksum can show whether this is correct. */
  readonly isDoubtful: boolean
}

/** A row by column name, with integers as numbers. */
export type FoundRow = Readonly<Record<string, SqlValue>>

/** First byte of a page, by kind of page. */
export const PAGE_KIND = { indexInner: 2, tableInner: 5, indexLeaf: 10, tableLeaf: 13 } as const

const MOST_COLUMNS = 64
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A page in a tree: its kind, and where its cells begin. Reading a cell may throw Unreadable. */
export interface TreePage {
  readonly kind: number
  readonly bytes: Buffer
  readonly cells: readonly number[]
  /** An inner page's last child. */
  readonly last: number
}

export function treePage(file: PageFile, number: number): TreePage {
  const bytes = file.page(number)
  if (bytes === undefined) throw new Unreadable()
  // the first page begins with the file header
  const at = number === 1 ? 100 : 0
  const kind = bytes.readUInt8(at)
  const isInner = kind === PAGE_KIND.tableInner || kind === PAGE_KIND.indexInner
  if (!isInner && kind !== PAGE_KIND.tableLeaf && kind !== PAGE_KIND.indexLeaf) throw new Unreadable()
  const count = bytes.readUInt16BE(at + 3)
  const from = at + (isInner ? 12 : 8)
  if (from + 2 * count > bytes.length) throw new Unreadable()
  const cells = Array.from({ length: count }, (_, i) => bytes.readUInt16BE(from + 2 * i))
  return { kind, bytes, cells, last: isInner ? bytes.readUInt32BE(at + 8) : 0 }
}

/** Returns the child page to which an inner page's cell refers. */
export function readChild({ bytes }: TreePage, at: number): number {
  if (at + 4 > bytes.length) throw new Unreadable()
  return bytes.readUInt32BE(at)
}

/** Returns the row in a cell. Inner pages of tables contain no rows. */
export function readCell(file: PageFile, { kind, bytes }: TreePage, at: number): RecordCell {
  const reader = new Reader(bytes, kind === PAGE_KIND.indexInner ? at + 4 : at)
  const length = Number(reader.varint())
  if (length > file.count * file.pageBytes) throw new Unreadable()
  const rowid = kind === PAGE_KIND.tableLeaf ? reader.varint() : null
  const { bytes: record, isDoubtful } = payload(file, kind, reader, length)
  return { rowid, values: decodeValues(record), isDoubtful }
}

interface Payload {
  readonly bytes: Buffer
  readonly isDoubtful: boolean
}

/** Returns the cell's content, including the part on overflow pages. */
function payload(file: PageFile, kind: number, reader: Reader, length: number): Payload {
  const usable = file.usableBytes
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const most = kind === PAGE_KIND.tableLeaf ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (length <= most) return { bytes: reader.bytes(length), isDoubtful: false }
  const fitting = least + ((length - least) % (usable - 4))
  const first = reader.bytes(fitting <= most ? fitting : least)
  const parts = [first]
  let next = reader.bytes(4).readUInt32BE(0)
  let isDoubtful = false
  for (let left = length - first.length; left > 0; ) {
    const page = file.page(next)
    if (page === undefined) throw new Unreadable()
    const part = page.subarray(4, 4 + Math.min(left, usable - 4))
    parts.push(part)
    left -= part.length
    isDoubtful ||= page.every(byte => byte === 0)
    next = page.readUInt32BE(0)
  }
  return { bytes: Buffer.concat(parts), isDoubtful }
}

function decodeValues(record: Buffer): SqlValue[] {
  const head = new Reader(record, 0)
  const end = Number(head.varint())
  const body = new Reader(record, end)
  const values: SqlValue[] = []
  while (head.at < end) {
    if (values.length === MOST_COLUMNS) throw new Unreadable()
    values.push(body.value(Number(head.varint())))
  }
  if (head.at !== end || body.at !== record.length) throw new Unreadable()
  return values
}

/** Sizes in bytes of the integer types, and of the types that take no bytes. */
const INTEGER_BYTES: readonly number[] = [0, 1, 2, 3, 4, 6, 8]

class Reader {
  at: number
  private readonly source: Buffer

  constructor(source: Buffer, at: number) {
    this.source = source
    this.at = at
  }

  varint(): bigint {
    let value = 0n
    for (let i = 0; i < 9; i++) {
      const byte = this.bytes(1).readUInt8(0)
      if (i === 8) return BigInt.asIntN(64, (value << 8n) | BigInt(byte))
      value = (value << 7n) | BigInt(byte & 0x7f)
      if (byte < 0x80) return value
    }
    throw new Unreadable()
  }

  bytes(count: number): Buffer {
    if (!(count >= 0) || this.at + count > this.source.length) throw new Unreadable()
    this.at += count
    return this.source.subarray(this.at - count, this.at)
  }

  value(type: number): SqlValue {
    if (type === 0) return null
    if (type === 7) return this.bytes(8).readDoubleBE(0)
    if (type === 8 || type === 9) return BigInt(type - 8)
    const bytesOfInteger = INTEGER_BYTES[type]
    if (bytesOfInteger !== undefined) return this.integer(bytesOfInteger)
    if (type < 12) throw new Unreadable()
    const bytes = this.bytes(Math.floor((type - 12) / 2))
    if (type % 2 === 0) return Uint8Array.from(bytes)
    try {
      return UTF8.decode(bytes)
    } catch {
      throw new Unreadable()
    }
  }

  private integer(count: number): bigint {
    let value = 0n
    for (const byte of this.bytes(count)) value = (value << 8n) | BigInt(byte)
    return BigInt.asIntN(8 * count, value)
  }
}
