/** Builds FIT files byte by byte, so that tests can write any header, valid or false. */

export const U8 = 0x02
export const U16 = 0x84
export const U32 = 0x86
export const S16 = 0x83
export const S32 = 0x85
export const F32 = 0x88
export const ENUM = 0x00
export const BYTES = 0x0d
export const TEXT = 0x07

const SIZES: Readonly<Record<number, number>> = { [U8]: 1, [U16]: 2, [U32]: 4, [S16]: 2, [S32]: 4, [F32]: 4, [ENUM]: 1 }
const FIT_EPOCH_MS = 631_065_600_000

/** Converts an ISO time to FIT seconds. */
export function fitTime(iso: string): number {
  return (Date.parse(iso) - FIT_EPOCH_MS) / 1000
}

export type FieldSpec = readonly [number: number, baseType: number, sizeBytes?: number]

interface Local {
  readonly fields: readonly FieldSpec[]
  readonly developer: readonly (readonly [number: number, sizeBytes: number, index: number, baseType: number])[]
  readonly bigEndian: boolean
}

/** Writes definitions and messages; `bytes` returns the finished file. */
export class FitFile {
  private readonly out: number[] = []
  private readonly locals = new Map<number, Local>()

  define(
    local: number,
    message: number,
    fields: readonly FieldSpec[],
    options: { readonly developer?: Local['developer']; readonly bigEndian?: boolean } = {},
  ): this {
    const { developer = [], bigEndian = false } = options
    this.locals.set(local, { fields, developer, bigEndian })
    this.out.push(0x40 | local | (developer.length > 0 ? 0x20 : 0), 0, bigEndian ? 1 : 0)
    this.number(message, U16, bigEndian)
    this.out.push(fields.length)
    for (const [number, baseType, size] of fields) this.out.push(number, size ?? (SIZES[baseType] as number), baseType)
    if (developer.length > 0) {
      this.out.push(developer.length)
      for (const [number, size, index] of developer) this.out.push(number, size, index)
    }
    return this
  }

  /** Adds a message with a normal header. A value is a number, or bytes or text padded with zeros. */
  data(local: number, ...values: readonly (number | readonly number[] | string)[]): this {
    this.out.push(local)
    this.values(local, values)
    return this
  }

  /** Adds a message with a compressed header. */
  compressed(local: number, seconds: number, ...values: readonly (number | readonly number[])[]): this {
    this.out.push(0x80 | (local << 5) | (seconds & 0x1f))
    this.values(local, values)
    return this
  }

  /** Adds one definition and its messages. */
  message(number: number, fields: readonly FieldSpec[], ...rows: readonly (readonly number[])[]): this {
    this.define(0, number, fields)
    for (const row of rows) this.data(0, ...row)
    return this
  }

  /** Adds the `file_id` message: 4 is an activity, 32 monitoring; 1 is Garmin. */
  fileId(type: number, manufacturer = 1): this {
    return this.message(0, [[0, ENUM], [1, U16]], [type, manufacturer]) // biome-ignore format: a row a message
  }

  raw(...bytes: readonly number[]): this {
    this.out.push(...bytes)
    return this
  }

  bytes(options: { readonly shortHeader?: boolean; readonly headerCrc?: number; readonly crc?: number } = {}): Buffer {
    const header = Buffer.alloc(options.shortHeader ? 12 : 14)
    header[0] = header.length
    header[1] = 0x20
    header.writeUInt16LE(2100, 2)
    header.writeUInt32LE(this.out.length, 4)
    header.write('.FIT', 8, 'latin1')
    if (!options.shortHeader) header.writeUInt16LE(options.headerCrc ?? crc16(header.subarray(0, 12)), 12)
    const content = Buffer.concat([header, Buffer.from(this.out)])
    const crc = Buffer.alloc(2)
    crc.writeUInt16LE(options.crc ?? crc16(content))
    return Buffer.concat([content, crc])
  }

  private values(local: number, values: readonly (number | readonly number[] | string)[]): void {
    const { fields, developer, bigEndian } = this.locals.get(local) as Local
    const positions = [
      ...fields.map(([, baseType, size]) => ({ baseType, size: size ?? (SIZES[baseType] as number) })),
      ...developer.map(([, size, , baseType]) => ({ baseType, size })),
    ]
    // a compressed header may replace the first field
    const used = positions.slice(positions.length - values.length)
    for (const [i, { baseType, size }] of used.entries()) {
      const value = values[i] as number | readonly number[] | string
      if (typeof value === 'number') this.number(value, baseType, bigEndian)
      else {
        const bytes = Buffer.alloc(size)
        bytes.set(Buffer.from(value as string))
        this.out.push(...bytes)
      }
    }
  }

  private number(value: number, baseType: number, bigEndian: boolean): void {
    const size = SIZES[baseType] as number
    const bytes = Buffer.alloc(size)
    if (baseType === F32) bytes.writeFloatLE(value)
    else bytes.writeUIntLE(value < 0 ? value + 2 ** (8 * size) : value, 0, size)
    this.out.push(...(bigEndian ? bytes.reverse() : bytes))
  }
}

/** Returns the checksum of the protocol, bit by bit: a different method from the importer's. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return crc
}
