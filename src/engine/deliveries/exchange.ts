/** The request and response of one delivery attempt, stored for debugging. They are encrypted, and removed after one week in real time. */
import { ServiceError } from '../../core/errors.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { Attempt, DeliveryKey, SealedExchange } from '../../store/delivery.ts'
import type { EngineContext } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'

export const EXCHANGE_KEPT_MS = 7 * DAY_MS
/** Maximum number of bytes to store of a response body. */
export const KEPT_RESPONSE_BYTES = 4 * 1024

export interface Exchange {
  readonly attempt: Attempt
  /** Alternating names and values. */
  readonly requestHeaders: readonly string[]
  /** Null if there was no response. */
  readonly answer: KeptResponse | null
}

export interface KeptResponse {
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the body. Bytes that are not valid UTF-8 are replaced. */
  readonly text: string
  /** Whether the body was longer than the stored text or ended early. */
  readonly isTruncated: boolean
}

const sealing = new Sealing('delivery exchanges')

export function sealExchange(engine: EngineContext, key: DeliveryKey, exchange: Exchange): SealedExchange {
  const plain = Buffer.from(JSON.stringify(exchange))
  const nonce = engine.random.bytes(NONCE_BYTES)
  return { at: engine.wall.now(), sealed: sealing.seal(engine, boundTo(key), plain, nonce) }
}

/** Throws ServiceError `data_damaged`. */
export function openExchange(engine: EngineContext, key: DeliveryKey, { sealed }: SealedExchange): Exchange {
  try {
    return JSON.parse(sealing.open(engine, boundTo(key), sealed).toString('utf8')) as Exchange // the text was sealed by sealExchange
  } catch (cause) {
    throw new ServiceError(
      'data_damaged',
      'The request and response of a delivery attempt cannot be opened: they are damaged, or were sealed with another master key.',
      { suggestions: ['`svc event get` shows the attempts without them.'], cause },
    )
  }
}

/** Removes exchanges older than a week. Returns the number of affected attempts. */
export function removeOldExchanges({ store, wall }: EngineContext, signal?: AbortSignal): Promise<number> {
  return store.deliveries.removeExchanges(wall.now() - EXCHANGE_KEPT_MS, signal)
}

/** Returns the earliest time whose attempts are still shown. */
export function exchangesSince({ wall }: EngineContext): EpochMs {
  return wall.now() - EXCHANGE_KEPT_MS
}

function boundTo({ userId, sequence, endpointId }: DeliveryKey): string {
  return `${userId}\0${sequence}\0${endpointId}`
}
