/** The pieces of a body as they come, for as long as they may take. */
import type { Readable } from 'node:stream'
import { ServiceError } from '../../core/errors.ts'

/** Ends the wait for a body from outside, while a piece is waited for or before the next one. */
export class Stopper {
  private error: Error | undefined
  private waiting: ((error: Error) => void) | undefined

  readonly stop = (error: Error): void => {
    this.error ??= error
    this.waiting?.(this.error)
  }

  /** The same promise, or the error, whichever is first. A promise a piece: one for all would remember every piece. */
  until<T>(piece: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.error) reject(this.error)
      this.waiting = reject
      piece.then(resolve, reject)
    })
  }
}

/**
 * `whole`: the time is for all of them, `piece`: for each. Throws ServiceError `request_timeout`, `cancelled` when the caller leaves,
 * and what the stopper is told. It leaves the stream open: destroying it would cut the connection before the refusal is out.
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
  return new ServiceError('cancelled', 'The caller closed the connection; nothing was stored.', { cause })
}

/** What comes late would be taken for the next request: the connection ends with the answer. */
function tooSlow(mostMs: number): ServiceError {
  return new ServiceError('request_timeout', `The body did not arrive within ${mostMs / 1000} s.`, {
    headers: { connection: 'close' },
  })
}
