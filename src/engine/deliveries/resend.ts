/** Sends events again, under the same ids: one, or all of a time. */
import { invalid, ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import { instantOf, type ParsedDateTime, parseDate, parseDateTime } from '../../core/time.ts'
import type { ResendPosition } from '../../store/delivery.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'

export const resendEvent: Handler<'event.resend'> = async (engine, { params, body }, call) => {
  const { teamId } = call.team
  const found = await engine.store.events.find(teamId, params.event_id)
  if (found === null) throw new ServiceError('not_found', 'Event not found')
  const endpointId = body.endpoint_id ?? null
  await refuseIdle(engine, teamId, endpointId)
  return call.settle(
    () => engine.store.deliveries.resend(teamId, found.event, endpointId, call.now),
    queued => ok({ queued }),
  )
}

export const resendEvents: Handler<'events.resend'> = async (engine, { body }, call) => {
  const { teamId } = call.team
  const since = instant(body.since)
  // what happens from now on is sent anyway; a clock that was set back leaves events of times to come
  const until = body.until === undefined ? null : instant(body.until)
  if (until !== null && until <= since) {
    throw invalid([{ loc: ['body', 'until'], msg: 'must be after since', type: 'value_error' }])
  }
  const endpointId = body.endpoint_id ?? null
  await refuseIdle(engine, teamId, endpointId)
  const scope = { since, until, type: body.type ?? null, endpointId, deadOnly: body.dead_only }
  const end = await engine.store.events.end(teamId, null)
  let queued = 0
  let after: ResendPosition | null = null
  do {
    call.signal?.throwIfAborted()
    const some: { readonly queued: number; readonly next: ResendPosition | null } =
      await engine.store.deliveries.resendSome(teamId, scope, after, call.now)
    queued += some.queued
    after = some.next
    // a busy store must not be walked for ever
  } while (after !== null && after.arrival <= end.arrival)
  return ok({ queued })
}

function instant(text: string): number {
  return parseDate(text) ?? instantOf(parseDateTime(text) as ParsedDateTime)
}

/** Nothing is sent to an endpoint that is disabled, and an unknown one is not another's. */
async function refuseIdle(engine: EngineContext, teamId: TeamId, endpointId: string | null): Promise<void> {
  if (endpointId === null) return
  const endpoint = await engine.store.webhooks.find(teamId, endpointId)
  if (endpoint === null) throw new ServiceError('not_found', 'Webhook endpoint not found')
  if (endpoint.disabledAt === null) return
  throw new ServiceError('conflict', 'The webhook endpoint is disabled: nothing is sent to it.', {
    suggestions: [`svc webhook enable ${endpointId}`],
  })
}
