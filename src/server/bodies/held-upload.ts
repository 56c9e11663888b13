/** An upload that stays in memory during its call. It is gathered within the budget, and its unpacked size counts. */
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ServiceError } from '../../core/errors.ts'
import { damagedGzip, isGzip, PUSH_LIMIT_BYTES, pushTooLarge } from '../../engine/intake/pushed-items.ts'
import { UPLOAD_STALL_MS } from '../guards/limits.ts'
import { arriving, Stopper } from './arriving.ts'
import type { BodyBudget, Hold } from './budget.ts'
import { Slabs } from './slabs.ts'

const INFLATED_PIECE_BYTES = 64 * 1024
/** Memory that storing a push takes, as a multiple of its size. It includes the push's text, its items, and their columns. */
const PARSED_TIMES = 4

/** The result of gathering an upload. */
export interface GatheredUpload {
  /** Unpacked size of the body. */
  readonly bytes: number
  /** The body as received, or null if it is compressed. */
  readonly pieces: readonly Uint8Array[] | null
}

/** A call's body. Until it is gathered, it is the request's stream. */
export class HeldUpload {
  readonly kind = 'stream'
  stream: AsyncIterable<Uint8Array>
  private readonly hold: Hold
  private readonly stopper = new Stopper()

  constructor(source: Readable, budget: BodyBudget) {
    this.hold = budget.hold(this.stopper.stop)
    this.stream = arriving(source, UPLOAD_STALL_MS, 'piece', this.stopper)
  }

  /**
   * Gathers the body. Returns null if it is invalid; the error is then thrown to its reader. Throws only ServiceError `overloaded` itself.
   * A compressed body is inflated once to count its bytes and stays compressed, because it may wait for a long time.
   */
  async gather(): Promise<GatheredUpload | null> {
    const came = new Slabs()
    let inflating: Inflating | undefined
    let isKnown = false
    try {
      for await (const piece of this.stream) {
        this.hold.add(piece.length)
        came.add(piece)
        if (came.length > PUSH_LIMIT_BYTES) throw pushTooLarge()
        if (isKnown) await inflating?.take(piece)
        else if (came.length >= 2) {
          isKnown = true
          const first = came.whole()
          if (isGzip(first)) inflating = new Inflating(this.hold, this.stopper.stop)
          await inflating?.take(first)
        }
      }
      await inflating?.end()
    } catch (error) {
      inflating?.stop()
      this.hold.release()
      if (error instanceof ServiceError && error.code === 'overloaded') throw error
      this.stream = failing(error)
      return null
    }
    this.hold.arrived()
    const pieces = came.pieces()
    this.stream = streamPieces(pieces)
    return inflating ? { bytes: inflating.bytes, pieces: null } : { bytes: came.length, pieces }
  }

  /** Counts the memory for parsing on the event loop's heap. Throws ServiceError `overloaded`. */
  weigh(): void {
    this.hold.weigh(this.hold.bytes * PARSED_TIMES)
  }

  /** Releases the memory when the call is over. */
  release(): void {
    this.hold.release()
  }
}

/** Inflates gzip to count its bytes. Zlib's own threads do the work. */
class Inflating {
  bytes = 0
  private readonly gunzip = createGunzip({ chunkSize: INFLATED_PIECE_BYTES })
  private readonly ended: Promise<void>

  /** `fail` stops the wait for the rest of the body. */
  constructor(hold: Hold, fail: (error: Error) => void) {
    this.ended = new Promise((resolve, reject) => {
      const failed = (error: Error): void => {
        reject(error)
        fail(error)
        this.gunzip.destroy()
      }
      this.gunzip.on('data', (piece: Uint8Array) => {
        try {
          hold.add(piece.length)
          this.bytes += piece.length
          if (this.bytes > PUSH_LIMIT_BYTES) throw pushTooLarge()
        } catch (error) {
          failed(error as Error)
        }
      })
      this.gunzip.once('error', () => failed(damagedGzip()))
      this.gunzip.once('end', resolve)
    })
    // the error reaches the caller that waits for the next piece
    this.ended.catch(() => {})
  }

  /** Resolves when the whole piece is inflated. */
  async take(piece: Uint8Array): Promise<void> {
    const taken = new Promise<void>(resolve => this.gunzip.write(piece, () => resolve()))
    await Promise.race([taken, this.ended])
  }

  async end(): Promise<void> {
    this.gunzip.end()
    await this.ended
  }

  stop(): void {
    this.gunzip.destroy()
  }
}

async function* streamPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

function failing(error: unknown): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
}
