/** A section of a document's bytes that is refilled at its end. Searches and comparisons process four bytes at a time. */

/**
 * Byte written after the last one. It cannot be part of a name or of white space, so reading either one stops there without a length check.
 */
const STOPPER = 0x22
/** Maximum length of the text passed to `same` if the position may be near the end. */
export const COMPARED_BYTES = 96
const ROOM_BYTES = COMPARED_BYTES + 8
const EACH_BYTE = 0x01010101
const HIGH_BITS = 0x80808080

export class ByteWindow {
  /** The first `length` bytes belong to the document; the remaining bytes are meaningless. */
  bytes: Buffer = Buffer.alloc(ROOM_BYTES)
  view: DataView = toDataView(this.bytes)
  length = 0

  /** Drops the bytes before `from` and appends `piece`. */
  refill(from: number, piece: Uint8Array): void {
    const left = this.length - from
    const length = left + piece.length
    const isTooSmall = length + ROOM_BYTES > this.bytes.length
    const target = isTooSmall ? Buffer.alloc((length + ROOM_BYTES) * 2) : this.bytes
    this.bytes.copy(target, 0, from, this.length)
    target.set(piece, left)
    if (isTooSmall) {
      this.bytes = target
      this.view = toDataView(target)
    }
    this.cut(length)
  }

  /** Drops the bytes at and after `length`. */
  cut(length: number): void {
    this.bytes[length] = STOPPER
    this.length = length
  }

  /** Returns the first position of `code` at or after `from`, or `length`. Optimized for long distances. */
  indexOf(code: number, from: number): number {
    const at = this.bytes.indexOf(code, from)
    return at === -1 || at > this.length ? this.length : at
  }

  /** Returns the first position of `code` in [from, to), or a position at or after `to`. Optimized for short distances. */
  search(code: number, from: number, to: number): number {
    const { view } = this
    const wanted = code * EACH_BYTE
    for (let i = from; i < to; i += 4) {
      // a byte of `word` is zero at each match; of several zero bytes, the lowest one (the first match) is always exact
      const word = view.getInt32(i, true) ^ wanted
      const zeros = (word - EACH_BYTE) & ~word & HIGH_BITS
      if (zeros !== 0) return i + ((31 - Math.clz32(zeros & -zeros)) >>> 3)
    }
    return to
  }

  /** Returns whether the bytes at `at` equal the `length` bytes of `other` from `offset` on. */
  same(at: number, other: DataView, offset: number, length: number): boolean {
    const { view } = this
    if (length < 4) {
      for (let i = 0; i < length; i++) if (view.getUint8(at + i) !== other.getUint8(offset + i)) return false
      return true
    }
    const last = length - 4
    for (let i = 0; i < last; i += 4) {
      if (view.getInt32(at + i, true) !== other.getInt32(offset + i, true)) return false
    }
    return view.getInt32(at + last, true) === other.getInt32(offset + last, true)
  }
}

/** Returns the bytes of a `Uint8Array` in the form that `same` needs. */
export function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
