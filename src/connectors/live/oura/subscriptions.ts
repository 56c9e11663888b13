/**
 * The app's subscriptions at Oura: one for each combination of event type and data type. They expire after about 90 days unless they are
 * renewed.
 */
import { DAY_MS, readInstant } from '../../../core/time.ts'
import type { Subscription, SubscriptionCalls, SubscriptionRequest } from '../../notifications.ts'
import { type AppSession, ProviderError } from '../../provider-session.ts'
import { asObject, asText, member } from '../../shared/json-fields.ts'
import { withTexts } from '../field-table.ts'
import { apiUrl } from '../requests.ts'

/** A data type in Oura's notifications: Oura's name for it, and the collection to pull. There are no notifications about heart rate. */
export interface NotifiedType {
  /** A subscription's `data_type`. */
  readonly name: string
  readonly collection: string
  /**
   * Whether the event contains the ID of a document in the collection. Otherwise, the event's document is joined to documents in the
   * collection.
   */
  readonly isDocument: boolean
  readonly scope: string
}

export const NOTIFIED_TYPES: readonly NotifiedType[] = [
  { name: 'daily_activity', collection: 'daily_activity', isDocument: true, scope: 'daily' },
  { name: 'sleep', collection: 'sleep', isDocument: true, scope: 'daily' },
  { name: 'daily_sleep', collection: 'sleep', isDocument: false, scope: 'daily' },
  { name: 'daily_readiness', collection: 'sleep', isDocument: false, scope: 'daily' },
  { name: 'daily_spo2', collection: 'daily_spo2', isDocument: true, scope: 'spo2' },
  { name: 'vo2_max', collection: 'vO2_max', isDocument: true, scope: 'heart_health' },
  { name: 'session', collection: 'session', isDocument: true, scope: 'session' },
  { name: 'enhanced_tag', collection: 'enhanced_tag', isDocument: true, scope: 'tag' },
  { name: 'workout', collection: 'workout', isDocument: true, scope: 'workout' },
]

const EVENT_TYPES = ['create', 'update', 'delete'] as const

export const ouraSubscriptions: SubscriptionCalls = {
  owner: 'app',
  wanted: scopes =>
    NOTIFIED_TYPES.filter(({ scope }) => scopes.includes(scope)).flatMap(({ name }) =>
      EVENT_TYPES.map(event => ({ name: `${event}:${name}` })),
    ),
  subscribe,
  renew,
  remove,
  renewBeforeMs: 21 * DAY_MS,
}

async function subscribe(session: AppSession, asked: SubscriptionRequest): Promise<Subscription> {
  const json = subscriptionBody(asked)
  const listed = (await send(session, 'GET', '')).json()
  // Oura has one subscription per pair, so this replaces an earlier OAuth app's URL
  const same = (Array.isArray(listed) ? listed : []).find(
    each => member(each, 'event_type') === json.event_type && member(each, 'data_type') === json.data_type,
  )
  const id = asText(member(same, 'id'))
  if (id === undefined) return parseSubscription((await send(session, 'POST', '', { json })).json())
  if (member(same, 'callback_url') === asked.callbackUrl) return parseSubscription(same)
  return parseSubscription((await send(session, 'PUT', `/${encodeURIComponent(id)}`, { json })).json())
}

async function renew(
  session: AppSession,
  { remoteId }: Subscription,
  asked: SubscriptionRequest,
): Promise<Subscription> {
  const response = await send(session, 'PUT', `/renew/${encodeURIComponent(remoteId)}`, { accepted: [404] })
  return response.status === 404 ? subscribe(session, asked) : parseSubscription(response.json())
}

async function remove(session: AppSession, { remoteId }: Subscription): Promise<void> {
  await send(session, 'DELETE', `/${encodeURIComponent(remoteId)}`, { accepted: [404] })
}

function subscriptionBody({ name, callbackUrl, verificationToken }: SubscriptionRequest) {
  const [event, type] = name.split(':')
  return {
    callback_url: callbackUrl,
    verification_token: verificationToken,
    event_type: event,
    data_type: type,
  }
}

function send(
  session: AppSession,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  more: { readonly json?: unknown; readonly accepted?: readonly number[] } = {},
) {
  const { clientId, clientSecret } = session.app
  return session.send({
    method,
    url: apiUrl(session, `/v2/webhook/subscription${path}`),
    headers: { 'x-client-id': clientId, 'x-client-secret': clientSecret },
    ...more,
  })
}

function parseSubscription(value: unknown): Subscription {
  const id = withTexts(asObject(value), 'id')?.id
  if (id === undefined) throw new ProviderError('bad_answer', 'The response about a subscription has no id.')
  return { remoteId: id, expiresAt: readInstant(member(value, 'expiration_time')) ?? null }
}
