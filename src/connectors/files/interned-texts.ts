/** Texts that come again and again in the bytes of a file: each is decoded once and found again by its bytes. */

const MAX_ENTRIES = 4096
const MAX_LENGTH_BYTES = 512
const HASHED_BYTES = 16

interface Known<T> {
  readonly bytes: Uint8Array
  readonly value: T
}

/** What was once made of some bytes; bounded, so that a file without repetition costs no memory. */
export class InternedTexts<T = string> {
  private readonly known = new Map<number, Known<T>>()
  private readonly make: (text: string) => T

  /** `make` is given the bytes as UTF-8 text. */
  constructor(make: (text: string) => T) {
    this.make = make
  }

  of(bytes: Buffer, from: number, to: number): T {
    // FNV-1a of the length and the last bytes, where the texts of a file differ; texts of one hash take each other's place
    let hash = to - from
    for (let i = Math.max(from, to - HASHED_BYTES); i < to; i++)
      hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
    const found = this.known.get(hash)
    if (found !== undefined && equalBytes(found.bytes, bytes, from, to)) return found.value
    const value = this.make(bytes.toString('utf8', from, to))
    if (to - from > MAX_LENGTH_BYTES) return value
    if (this.known.size >= MAX_ENTRIES) this.known.clear()
    this.known.set(hash, { bytes: Uint8Array.from(bytes.subarray(from, to)), value })
    return value
  }
}

function equalBytes(known: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (known.length !== to - from) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[from + i]) return false
  return true
}
