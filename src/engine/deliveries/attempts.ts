/** Shows an event's delivery attempts, with request and response if these are still stored. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { formatInstant } from '../../core/time.ts'
import type { Attempt } from '../../store/delivery.ts'
import type { EventDelivery } from '../../store/event.ts'
import { type Handler, ok } from '../context.ts'
import { eventNotFound } from '../events/listing.ts'
import { type Exchange, exchangesSince, openExchange } from './exchange.ts'

type ListedAttempt = ReplyBody<Operations['event.attempts']>['attempts'][number]

export const listAttempts: Handler<'event.attempts'> = async (engine, { params }, call) => {
  const found = await engine.store.events.find(call.team.teamId, params.event_id)
  if (!found) throw eventNotFound()
  const { userId, sequence } = found.event
  const kept = await engine.store.deliveries.exchanges({ userId, sequence }, exchangesSince(engine))
  const attempts = found.deliveries.flatMap(delivery => {
    const { endpointId } = delivery
    const exchanges = new Map(
      kept
        .filter(each => each.endpointId === endpointId)
        .map(each => [each.number, openExchange(engine, { userId, sequence, endpointId }, each)]),
    )
    return attemptViews(delivery, exchanges)
  })
  return ok({ attempts })
}

/** If an event was resent after a success, only the exchange shows which attempt was accepted. */
function attemptViews(
  { endpointId, url, attempts }: EventDelivery,
  exchanges: ReadonlyMap<number, Exchange>,
): ListedAttempt[] {
  const all = new Map<number, Attempt>([...exchanges].map(([number, { attempt }]) => [number, attempt]))
  for (const each of attempts) all.set(each.number, each)
  return [...all]
    .sort(([a], [b]) => a - b)
    .map(([number, { at, status, ms, error }]) => {
      const { requestHeaders, answer = null } = exchanges.get(number) ?? {}
      return {
        endpoint_id: endpointId,
        url,
        number,
        attempted_at: formatInstant(at),
        status,
        duration_ms: ms,
        error,
        request_headers: requestHeaders === undefined ? null : toHeaders(requestHeaders),
        response_headers: answer === null ? null : { ...answer.headers },
        response_body: answer?.text ?? null,
        response_truncated: answer?.isTruncated ?? null,
      }
    })
}

function toHeaders(pairs: readonly string[]): Record<string, string> {
  const headers: [string, string][] = []
  for (let i = 0; i + 1 < pairs.length; i += 2) headers.push([pairs[i] as string, pairs[i + 1] as string])
  return Object.fromEntries(headers)
}
