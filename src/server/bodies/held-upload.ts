/** An upload that is held in memory while its call runs: gathered within the budget, and counted as what it is unpacked. */
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ServiceError } from '../../core/errors.ts'
import { damagedGzip, isGzip, PUSH_LIMIT_BYTES, pushTooLarge } from '../../engine/intake/pushed-items.ts'
import { UPLOAD_STALL_MS } from '../guards/limits.ts'
import { arriving, Stopper } from './arriving.ts'
import type { BodyBudget, Hold } from './budget.ts'
import { Slabs } from './slabs.ts'

const INFLATED_PIECE_BYTES = 64 * 1024
/** What a push makes of itself on its way into the store, in its own size: its text, the items, and their columns. */
const PARSED_TIMES = 4

/** What was gathered. */
export interface Gathered {
  /** Of the body, unpacked. */
  readonly bytes: number
  /** The body as it is, or null where it is packed. */
  readonly pieces: readonly Uint8Array[] | null
}

/** The body of a call: until it is gathered, the stream of the request. */
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
   * Null: something is wrong with the body, and thrown to who reads it, in its turn. Only ServiceError `overloaded` is thrown at
   * once. What is packed is inflated once to be counted, and stays packed: it may wait for long.
   */
  async gather(): Promise<Gathered | null> {
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
    this.stream = inTurn(pieces)
    return inflating ? { bytes: inflating.bytes, pieces: null } : { bytes: came.length, pieces }
  }

  /** It is parsed on the heap of the event loop. Throws ServiceError `overloaded`. */
  weigh(): void {
    this.hold.weigh(this.hold.bytes * PARSED_TIMES)
  }

  /** The call is over. */
  release(): void {
    this.hold.release()
  }
}

/** Gzip on its way out of it; the work is done by zlib's own threads. */
class Inflating {
  bytes = 0
  private readonly gunzip = createGunzip({ chunkSize: INFLATED_PIECE_BYTES })
  private readonly ended: Promise<void>

  /** `fail` ends the wait for more of the body. */
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
    // who waits for the next piece is told
    this.ended.catch(() => {})
  }

  /** Resolves when all that it holds is out. */
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

async function* inTurn(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

function failing(error: unknown): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
}
