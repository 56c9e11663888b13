/**
 * Caches texts that occur repeatedly in a file. Each text is decoded once and then found by its bytes. Reads by index are unchecked (`as
 * number`), because the loops are hot and stay in range.
 */
import { type ByteWindow, toDataView } from './byte-window.ts'

const MAX_ENTRIES = 4096
const MAX_LENGTH_BYTES = 512
const HASHED_BYTES = 16

interface Known<T> {
  readonly view: DataView
  readonly value: T
}

/**
 * A cache of values made from bytes. Its size is bounded, so that a file without repetition does not fill the memory. The two latest texts
 * are compared first, because a column rarely changes from one record to the next.
 */
export class InternedTexts<T = string> {
  private readonly known = new Map<number, Known<T>>()
  private readonly make: (text: string) => T
  private last: Known<T> | undefined
  private before: Known<T> | undefined

  /** `make` receives the bytes as UTF-8 text. */
  constructor(make: (text: string) => T) {
    this.make = make
  }

  /** Returns the value made from the bytes [from, to). */
  of(window: ByteWindow, from: number, to: number): T {
    const { last, before } = this
    if (last !== undefined && isText(last, window, from, to)) return last.value
    if (before !== undefined && isText(before, window, from, to)) {
      this.before = last
      this.last = before
      return before.value
    }
    return this.search(window, from, to)
  }

  private search(window: ByteWindow, from: number, to: number): T {
    const { bytes } = window
    // FNV-1a of the length and the last bytes, in which a file's texts differ; texts with the same hash replace each other
    let hash = to - from
    for (let i = Math.max(from, to - HASHED_BYTES); i < to; i++)
      hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
    let found = this.known.get(hash)
    if (found === undefined || !isText(found, window, from, to)) {
      const value = this.make(bytes.toString('utf8', from, to))
      if (to - from > MAX_LENGTH_BYTES) return value
      if (this.known.size >= MAX_ENTRIES) this.known.clear()
      found = { view: toDataView(Uint8Array.from(bytes.subarray(from, to))), value }
      this.known.set(hash, found)
    }
    this.before = this.last
    this.last = found
    return found.value
  }
}

function isText(known: Known<unknown>, window: ByteWindow, from: number, to: number): boolean {
  const length = known.view.byteLength
  return length === to - from && window.same(from, known.view, 0, length)
}
