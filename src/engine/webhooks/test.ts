/** Sends an example event about the team's newest user to a single endpoint. */
import { ServiceError } from '../../core/errors.ts'
import { type Handler, ok } from '../context.ts'
import { emitExample } from '../triggers/only-event.ts'
import { endpointNamed, targetRefusal } from './endpoints.ts'

/** Sends a test event. Like any other event, it is listed and retried, and can be resent. */
export const testEndpoint: Handler<'webhook.test'> = async (engine, { params, body }, call) => {
  const endpoint = await endpointNamed(engine, call, params.endpoint_id)
  const { endpointId, teamId, disabledAt } = endpoint
  if (disabledAt !== null) {
    throw new ServiceError('conflict', 'The webhook endpoint is disabled, so nothing is sent to it.', {
      suggestions: [`Enable it first: svc webhook enable ${endpointId}`],
    })
  }
  const refusal = await targetRefusal(engine, endpoint)
  if (refusal !== null) throw new ServiceError('conflict', refusal)
  const [user] = (await engine.store.users.list(teamId, 0, 1)).users
  if (user === undefined) {
    throw new ServiceError('conflict', 'An event is about a user, and the team has no users.', {
      suggestions: ['Create one: svc user create CLIENT_USER_ID'],
    })
  }
  const { userId } = user
  call.about('user_id', userId)
  const { type } = body
  const { compatibilityDate, now } = call
  const example = { user, type, now, compatibilityDate, endpointIds: [endpointId] }
  return call.settle(
    () => emitExample(engine, example),
    event => ok({ event_id: event.eventId, event_type: type, endpoint_id: endpointId, user_id: userId }),
  )
}
