/**
 * Reads the framing of FIT files: header, definitions, data messages, checksum, and several consecutive files. No library is used, because
 * damaged files must be read up to the damage, old protocol versions must be supported, and no object may be created per field. Reads by
 * index are unchecked (`as number`), because the loops are hot and stay in range.
 */
import { ServiceError } from '../../../core/errors.ts'
import { toDataView } from '../xml/byte-window.ts'
import type { FieldPosition } from './fields.ts'
import { type DeveloperField, FitMessage, type MessageDefinition, TIMESTAMP } from './message.ts'

const MAGIC = '.FIT'
const CRC_BYTES = 2
const TIME_BYTES = 4
/** Maximum time between two consecutive messages: one day. */
const NEAR_SECONDS = 86_400
const SHORT_HEADER = 12
const LONG_HEADER = 14
const CRC_TABLE = [
  0, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801,
  0x4400,
] as const

/** Returns whether these are the first bytes of a FIT file. */
export function isFit(head: Uint8Array): boolean {
  const size = head[0]
  return (
    (size === SHORT_HEADER || size === LONG_HEADER) && Buffer.from(head.subarray(8, 12)).toString('latin1') === MAGIC
  )
}

/**
 * Yields the files in `bytes`, each as a generator of its messages, which must be read to the end before the next file. Throws ServiceError
 * `invalid_file` at the first damage, after yielding the messages before it. A wrong checksum is detected at the end of a file.
 */
export function* fitFiles(bytes: Uint8Array): Generator<Generator<FitMessage, void>> {
  let start = 0
  do {
    if (start > 0 && bytes.subarray(start).every(byte => byte === 0)) return
    const header = headerAt(bytes, start)
    yield readMessages(bytes, start, header)
    start = header.end + CRC_BYTES
  } while (start < bytes.length)
}

interface Header {
  /** Byte positions at which the messages start and end. */
  readonly from: number
  readonly end: number
}

function headerAt(bytes: Uint8Array, start: number): Header {
  const head = bytes.subarray(start)
  if (!isFit(head)) {
    throw start === 0
      ? new ServiceError('invalid_file', 'The file is not a FIT file: it does not start with a FIT header.')
      : damaged(`The FIT file has data after its end, at byte ${start}, that is not another FIT file.`)
  }
  const view = toDataView(bytes)
  const size = view.getUint8(start)
  if (head.length < size) throw cutShort()
  if (size === LONG_HEADER) {
    const stated = view.getUint16(start + SHORT_HEADER, true)
    if (stated !== 0 && stated !== computeCrc(bytes, start, start + SHORT_HEADER)) {
      throw damaged(`The FIT file is damaged: the checksum of its header at byte ${start} is wrong.`)
    }
  }
  const from = start + size
  return { from, end: from + view.getUint32(start + 4, true) }
}

function* readMessages(bytes: Uint8Array, start: number, header: Header): Generator<FitMessage, void> {
  const reader = new MessageReader(bytes, header)
  let crc = 0
  let checked = start
  for (;;) {
    const message = reader.next()
    // computed while reading, so that the end of a large file does not block other work
    crc = computeCrc(bytes, checked, reader.pos, crc)
    checked = reader.pos
    if (message === undefined) break
    yield message
  }
  if (header.end + CRC_BYTES > bytes.length) throw cutShort()
  if (toDataView(bytes).getUint16(header.end, true) !== crc) {
    throw damaged('The FIT file is damaged: its checksum is wrong, so its contents may be wrong too.')
  }
}

/** Reads the messages one after another. */
class MessageReader {
  private readonly bytes: Uint8Array
  private readonly view: DataView
  private readonly end: number
  private readonly definitions: (MessageDefinition | undefined)[] = new Array(16)
  private readonly message: FitMessage
  pos: number
  private lastTimestamp: number | undefined

  constructor(bytes: Uint8Array, header: Header) {
    this.bytes = bytes
    this.pos = header.from
    this.end = header.end
    this.view = toDataView(bytes)
    this.message = new FitMessage(this.view)
  }

  /** Returns the next data message, or undefined at the end. */
  next(): FitMessage | undefined {
    while (this.pos < this.end) {
      const at = this.pos
      const header = this.byte()
      if ((header & 0x80) !== 0) return this.compressed(at, header)
      if ((header & 0x40) === 0) return this.data(at, header & 0x0f)
      this.define(header & 0x0f, (header & 0x20) !== 0)
    }
    return undefined
  }

  private data(at: number, local: number): FitMessage {
    const message = this.show(at, local)
    message.timestamp = message.get(TIMESTAMP)
    if (message.timestamp !== undefined) this.lastTimestamp = message.timestamp
    return message
  }

  /** Reads a message whose header contains the time: the low five bits of the seconds, which only increase. */
  private compressed(at: number, header: number): FitMessage {
    const local = (header >> 5) & 0x03
    const message = this.show(at, local, this.omitsTime(local) ? TIME_BYTES : 0)
    const last = this.lastTimestamp
    message.timestamp = last === undefined ? undefined : last + (((header & 0x1f) - (last & 0x1f)) & 0x1f)
    this.lastTimestamp = message.timestamp
    return message
  }

  /**
   * Returns whether a message with a compressed header omits the time that its definition contains, as some programs do. The time is
   * present if the value in its position is close to the previous time.
   */
  private omitsTime(local: number): boolean {
    const definition = this.definitions[local]
    const position = definition?.fields.get(TIMESTAMP)
    if (definition === undefined || position?.at !== 0 || position.sizeBytes !== TIME_BYTES) return false
    if (this.pos + TIME_BYTES > this.bytes.length) return true
    const value = this.view.getUint32(this.pos, definition.littleEndian)
    return Math.abs(value - (this.lastTimestamp ?? 0)) > NEAR_SECONDS
  }

  /** `omitted` is the number of bytes from the start of the definition that the message lacks. */
  private show(at: number, local: number, omitted = 0): FitMessage {
    const definition = this.definitions[local]
    if (definition === undefined)
      throw damaged(`The FIT file is damaged: there is a message without a definition at byte ${at}.`)
    const from = this.pos - omitted
    this.take(definition.sizeBytes - omitted)
    this.message.show(definition, at, from)
    return this.message
  }

  private define(local: number, hasDeveloperFields: boolean): void {
    const at = this.pos
    this.take(5)
    const littleEndian = this.bytes[at + 1] === 0
    const number = this.view.getUint16(at + 2, littleEndian)
    const fields = new Map<number, FieldPosition>()
    let sizeBytes = 0
    for (let k = this.view.getUint8(at + 4); k > 0; k--) {
      const [field, size, baseType] = [this.byte(), this.byte(), this.byte()]
      fields.set(field, { at: sizeBytes, sizeBytes: size, baseType })
      sizeBytes += size
    }
    const developerFields: DeveloperField[] = []
    for (let k = hasDeveloperFields ? this.byte() : 0; k > 0; k--) {
      const [field, size, developerIndex] = [this.byte(), this.byte(), this.byte()]
      developerFields.push({ number: field, developerIndex, at: sizeBytes, sizeBytes: size })
      sizeBytes += size
    }
    this.definitions[local] = { number, littleEndian, fields, developerFields, sizeBytes }
  }

  private byte(): number {
    const at = this.pos
    this.take(1)
    return this.view.getUint8(at)
  }

  private take(sizeBytes: number): void {
    if (this.pos + sizeBytes > this.bytes.length) throw cutShort()
    if (this.pos + sizeBytes > this.end)
      throw damaged('The FIT file is damaged: its last message is longer than the file says.')
    this.pos += sizeBytes
  }
}

function computeCrc(bytes: Uint8Array, from: number, to: number, before = 0): number {
  let crc = before
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number
    crc = (crc >> 4) ^ (CRC_TABLE[crc & 0xf] as number) ^ (CRC_TABLE[byte & 0xf] as number)
    crc = (crc >> 4) ^ (CRC_TABLE[crc & 0xf] as number) ^ (CRC_TABLE[byte >> 4] as number)
  }
  return crc
}

function cutShort(): ServiceError {
  return damaged('The FIT file is cut short: it ends before the length that it states.')
}

function damaged(message: string): ServiceError {
  return new ServiceError('invalid_file', message, {
    suggestions: ['Copy the file from the device again and import it unchanged.'],
  })
}
