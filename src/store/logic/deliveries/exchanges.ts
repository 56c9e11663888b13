/** Stores the sealed requests and responses of attempts as rows. They have no checksum, because their seal reveals any change. */
import type { EpochMs } from '../../../core/time.ts'
import type { AttemptOutcome, EventKey, KeptExchange } from '../../delivery.ts'
import { agingRows, removeOldRows } from '../aging.ts'
import type { Database } from '../database.ts'
import { command, many, query, type Steps, send } from '../steps.ts'

/** Stores an exchange if its delivery exists, because the user or endpoint may have been removed during the attempt. */
const PUT_EXCHANGE = command(
  `INSERT INTO delivery_exchange (user_id, sequence, endpoint_id, number, at, sealed)
   SELECT user_id, sequence, endpoint_id, attempts, ?, ? FROM delivery WHERE user_id=? AND sequence=? AND endpoint_id=?
   ON CONFLICT DO NOTHING`,
)

/** Stores an exchange. Must run directly after the attempt was counted, because the number is read from the delivery. */
export function* putExchange({ userId, sequence, endpointId, exchange }: AttemptOutcome): Steps<void> {
  if (exchange === null) return
  yield* send(PUT_EXCHANGE, [exchange.at, exchange.sealed, userId, sequence, endpointId])
}

const EXCHANGES_OF_EVENT = query<KeptExchange>(
  `SELECT endpoint_id AS "endpointId", number, at, sealed FROM delivery_exchange
   WHERE user_id=? AND sequence=? AND at>=? ORDER BY endpoint_id, number`,
)

/** Returns the requests and responses that are stored for an event's delivery attempts since a real time. */
export function* listExchanges({ userId, sequence }: EventKey, since: EpochMs): Steps<KeptExchange[]> {
  return yield* many(EXCHANGES_OF_EVENT, [userId, sequence, since])
}

const OLD_EXCHANGES = agingRows('delivery_exchange', 'at')

/** Removes the requests and responses of attempts before a real time. Returns the number of affected attempts. */
export function removeExchanges(db: Database, before: EpochMs, signal?: AbortSignal): Promise<number> {
  return removeOldRows(db, OLD_EXCHANGES, before, signal)
}
