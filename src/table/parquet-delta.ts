/**
 * Packs integers as Parquet's DELTA_BINARY_PACKED: regular times take almost no space, and counts take a few bits. Reads by index are
 * unchecked (`as number`), because the loops are hot and stay in range.
 */

const BLOCK = 128
const MINIBLOCKS = 4
const MINIBLOCK = BLOCK / MINIBLOCKS
const VALUE_BYTES = 8
const VARINT_BYTES = 10
/** Numbers with more bits than this are written in two steps, because the number and the pending bits must fit into 32 bits. */
const STEP_BITS = 24

/**
 * Returns the packed values. The values, and the difference between any two of them, must be exact as doubles (`isPackable`). `at` reads
 * the value at an index from 0.
 */
export function deltaPacked(count: number, at: (index: number) => number): Uint8Array {
  // the last miniblock is also written completely
  const packed = Math.ceil(count / MINIBLOCK) * MINIBLOCK * VALUE_BYTES
  const writer = new BitWriter(32 + Math.ceil(count / BLOCK) * (VARINT_BYTES + MINIBLOCKS) + packed)
  for (const size of [BLOCK, MINIBLOCKS, count]) writer.varint(size)
  writer.zigzag(count === 0 ? 0 : at(0))
  const deltas = new Float64Array(BLOCK)
  let previous = count === 0 ? 0 : at(0)
  for (let from = 1; from < count; from += BLOCK) {
    const size = Math.min(BLOCK, count - from)
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < size; i++) {
      const value = at(from + i)
      const delta = value - previous
      deltas[i] = delta
      if (delta < least) least = delta
      previous = value
    }
    for (let i = 0; i < size; i++) deltas[i] = (deltas[i] as number) - least
    writer.zigzag(least)
    writeBlock(writer, deltas, size)
  }
  return writer.bytes()
}

/** Returns whether all differences between values in this range are exact. */
export function isPackable(min: number, max: number): boolean {
  return Number.isSafeInteger(min) && Number.isSafeInteger(max) && Number.isSafeInteger(2 * (max - min))
}

function writeBlock(writer: BitWriter, deltas: Float64Array, size: number): void {
  const widths = new Uint8Array(MINIBLOCKS)
  for (let m = 0; m * MINIBLOCK < size; m++) {
    let most = 0
    for (let i = m * MINIBLOCK; i < Math.min(size, (m + 1) * MINIBLOCK); i++) {
      if ((deltas[i] as number) > most) most = deltas[i] as number
    }
    widths[m] = bitWidth(most)
  }
  for (const width of widths) writer.byte(width)
  for (let m = 0; m * MINIBLOCK < size; m++) {
    const width = widths[m] as number
    if (width === 0) continue
    for (let i = m * MINIBLOCK; i < (m + 1) * MINIBLOCK; i++) writer.bits(i < size ? (deltas[i] as number) : 0, width)
  }
}

/** Returns the number of bits that a non-negative integer needs. */
export function bitWidth(value: number): number {
  const high = Math.floor(value / 2 ** 32)
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value)
}

/** Writes numbers bit by bit, starting with the lowest bit. */
export class BitWriter {
  private readonly buffer: Uint8Array<ArrayBuffer>
  private at = 0
  private waiting = 0
  private waitingBits = 0

  /** `capacity` is in bytes; the caller must know the size in advance. */
  constructor(capacity: number) {
    this.buffer = new Uint8Array(capacity)
  }

  /** Returns the bytes. Throws if more bits were written than fit, because the caller then underestimated the size. */
  bytes(): Uint8Array {
    if (this.at > this.buffer.length) throw new Error(`${this.at} bytes were written into ${this.buffer.length}`)
    return this.buffer.subarray(0, this.at)
  }

  byte(value: number): void {
    this.buffer[this.at++] = value
  }

  varint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) + 0x80)
    this.byte(rest)
  }

  zigzag(value: number): void {
    // uses BigInt, because twice a large difference is not an exact double
    let rest = value < 0 ? BigInt(value) * -2n - 1n : BigInt(value) * 2n
    for (; rest >= 0x80n; rest >>= 7n) this.byte(Number(rest & 0x7fn) + 0x80)
    this.byte(Number(rest))
  }

  /** Writes a non-negative integer with `width` bits. */
  bits(value: number, width: number): void {
    let [rest, left] = [value, width]
    for (; left > STEP_BITS; left -= STEP_BITS) {
      this.fewBits(rest % 2 ** STEP_BITS, STEP_BITS)
      rest = Math.floor(rest / 2 ** STEP_BITS)
    }
    this.fewBits(rest, left)
  }

  private fewBits(value: number, width: number): void {
    this.waiting |= value << this.waitingBits
    this.waitingBits += width
    while (this.waitingBits >= 8) {
      this.buffer[this.at++] = this.waiting & 0xff
      this.waiting >>>= 8
      this.waitingBits -= 8
    }
  }
}
