/** Moves bytes between a server and its thread. A piece is read only when the other side requests it; nothing is buffered. */

/** Messages from the reader (`pull`, `drop`) and from the source (`piece`, `broken`). `id` identifies the call. */
export type PieceMessage =
  | { readonly kind: 'pull' | 'drop' | 'broken'; readonly id: number }
  | { readonly kind: 'piece'; readonly id: number; readonly bytes: Uint8Array | null }

export type Post = (message: PieceMessage, transfer?: readonly ArrayBuffer[]) => void

/** The side that provides the bytes. */
export class PieceSource {
  private readonly pieces: AsyncIterator<Uint8Array>
  private readonly post: Post
  private readonly id: number
  private readonly ended: (error?: unknown) => void

  /** `ended` is called once: at the end, when the reader stops, or with the error if reading fails. */
  constructor(pieces: AsyncIterable<Uint8Array>, id: number, post: Post, ended: (error?: unknown) => void) {
    this.pieces = pieces[Symbol.asyncIterator]()
    this.id = id
    this.post = post
    this.ended = ended
  }

  async pull(): Promise<void> {
    const { id } = this
    try {
      const next = await this.pieces.next()
      const bytes = next.done ? null : toOwnBuffer(next.value)
      this.post({ kind: 'piece', id, bytes }, bytes ? [bytes.buffer as ArrayBuffer] : [])
      if (next.done) this.ended()
    } catch (error) {
      this.ended(error)
      this.post({ kind: 'broken', id })
    }
  }

  async drop(): Promise<void> {
    try {
      await this.pieces.return?.()
    } catch {
      // the remaining bytes are no longer needed
    } finally {
      this.ended()
    }
  }
}

/** The side that reads the bytes. */
export class PieceReader {
  private waiting:
    | { readonly resolve: (bytes: Uint8Array | null) => void; readonly reject: (error: unknown) => void }
    | undefined
  private failure: { readonly error: unknown } | undefined
  private readonly post: Post
  private readonly id: number

  constructor(id: number, post: Post) {
    this.id = id
    this.post = post
  }

  /** Yields the pieces. It can be read only once. Throws the error passed to `fail`. */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    const { id } = this
    let isOver = false
    try {
      for (;;) {
        if (this.failure) throw this.failure.error
        const next = new Promise<Uint8Array | null>((resolve, reject) => {
          this.waiting = { resolve, reject }
        })
        this.post({ kind: 'pull', id })
        const bytes = await next
        isOver = bytes === null
        if (bytes === null) return
        yield bytes
      }
    } finally {
      if (!isOver && !this.failure) this.post({ kind: 'drop', id })
    }
  }

  arrived(bytes: Uint8Array | null): void {
    this.waiting?.resolve(bytes)
  }

  fail(error: unknown): void {
    this.failure ??= { error }
    this.waiting?.reject(error)
  }
}

/** Returns bytes that own their whole buffer, because posting moves the buffer. Copies bytes that share a buffer. */
export function toOwnBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}
