/** Yields a body's pieces as they arrive, within a time limit. */
import type { Readable } from 'node:stream'
import { ServiceError } from '../../core/errors.ts'

/** Lets other code stop waiting for a body at any time. */
export class Stopper {
  private error: Error | undefined
  private waiting: ((error: Error) => void) | undefined

  readonly stop = (error: Error): void => {
    this.error ??= error
    this.waiting?.(this.error)
  }

  /**
   * Settles like `piece`, or rejects if an error comes first. Each piece has its own promise, because one shared promise would keep every
   * piece in memory.
   */
  until<T>(piece: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.error) reject(this.error)
      this.waiting = reject
      piece.then(resolve, reject)
    })
  }
}

/**
 * Yields the pieces of a stream. `mostMs` limits the time for the whole body (`whole`) or for each piece (`piece`). Throws ServiceError
 * `request_timeout`, ServiceError `cancelled` if the caller disconnects, and any error passed to the stopper. Leaves the stream open,
 * because destroying it would cut the connection before the error response is sent.
 */
export async function* arriving(
  stream: Readable,
  mostMs: number,
  per: 'whole' | 'piece',
  stopper = new Stopper(),
): AsyncGenerator<Uint8Array> {
  const pieces = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  const late = (): void => stopper.stop(tooSlow(mostMs))
  let timer = setTimeout(late, mostMs)
  try {
    for (;;) {
      const next = await stopper.until(pieces.next())
      if (next.done) return
      yield next.value
      if (per === 'whole') continue
      clearTimeout(timer)
      timer = setTimeout(late, mostMs)
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? callerLeft(error) : error
  } finally {
    clearTimeout(timer)
  }
}

function callerLeft(cause: unknown): ServiceError {
  return new ServiceError('cancelled', 'The caller closed the connection. Nothing was stored.', { cause })
}

/** Late bytes would be read as the next request, so the connection closes with this response. */
function tooSlow(mostMs: number): ServiceError {
  return new ServiceError('request_timeout', `The body did not arrive within ${mostMs / 1000} s.`, {
    headers: { connection: 'close' },
  })
}
