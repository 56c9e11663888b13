/** Copies bytes into separate memory, so that the counted bytes are the bytes in use and can be moved to a thread without another copy. */

/** Minimum size of a slab. Pieces from the network are views of larger buffers, and may be single bytes. */
const LEAST_SLAB_BYTES = 4 * 1024
const MOST_SLAB_BYTES = 256 * 1024

export class Slabs {
  length = 0
  private readonly slabs: Buffer<ArrayBuffer>[] = []
  /** Number of used bytes in the last slab. */
  private used = 0

  add(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      let last = this.slabs.at(-1)
      if (last === undefined || this.used === last.length) {
        const wanted = Math.max(piece.length - from, this.length, LEAST_SLAB_BYTES)
        // most bodies are one small piece, and copying it would cost more than reading it
        const isSmall = this.slabs.length === 0 && piece.length < LEAST_SLAB_BYTES
        last = isSmall ? Buffer.allocUnsafe(piece.length) : Buffer.allocUnsafeSlow(Math.min(wanted, MOST_SLAB_BYTES))
        this.slabs.push(last)
        this.used = 0
      }
      const part = piece.subarray(from, from + last.length - this.used)
      last.set(part, this.used)
      this.used += part.length
      this.length += part.length
      from += part.length
    }
  }

  /** Returns the pieces in order of arrival. */
  pieces(): Uint8Array<ArrayBuffer>[] {
    return this.slabs.map((slab, i) => (i === this.slabs.length - 1 ? slab.subarray(0, this.used) : slab))
  }

  whole(): Buffer {
    const [first] = this.slabs
    if (first !== undefined && this.slabs.length === 1) return first.subarray(0, this.used)
    return Buffer.concat(this.pieces(), this.length)
  }
}
