/** Resends events with their original IDs: one event, or all events in a time range. */
import { invalid, ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import type { ResendPosition } from '../../store/delivery.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { parseRangeStart } from '../readings/timeseries.ts'

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
  const since = parseRangeStart(body.since)
  // events from now on are sent anyway; if the clock was set back, some events are in the future
  const until = body.until === undefined ? null : parseRangeStart(body.until)
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
    // end at this event, so that a busy store cannot keep the loop running forever
  } while (after !== null && after.arrival <= end.arrival)
  return ok({ queued })
}

/** Throws 409 for a disabled endpoint, to which nothing is sent, and 404 for an unknown endpoint or one that belongs to another team. */
async function refuseIdle(engine: EngineContext, teamId: TeamId, endpointId: string | null): Promise<void> {
  if (endpointId === null) return
  const endpoint = await engine.store.webhooks.find(teamId, endpointId)
  if (endpoint === null) throw new ServiceError('not_found', 'Webhook endpoint not found')
  if (endpoint.disabledAt === null) return
  throw new ServiceError('conflict', 'The webhook endpoint is disabled, so nothing is sent to it.', {
    suggestions: [`Enable it first: svc webhook enable ${endpointId}`],
  })
}
