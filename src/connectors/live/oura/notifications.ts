/** Reads Oura's notifications: a handshake, and signed events with a document's ID. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { DAY_MS, readInstant, SECOND_MS } from '../../../core/time.ts'
import type {
  Hint,
  IncomingNotification,
  NotificationReader,
  NotificationSecrets,
  Reception,
} from '../../notifications.ts'
import type { AppSession } from '../../provider-session.ts'
import { asObject, asText, member } from '../../shared/json-fields.ts'
import { withTexts } from '../field-table.ts'
import { parsedJson } from '../requests.ts'
import { NOTIFIED_TYPES, type NotifiedType, ouraSubscriptions } from './subscriptions.ts'

export const ouraNotifications: NotificationReader = {
  receive: async (session, incoming, secrets) => receive(session, incoming, secrets),
  subscriptions: ouraSubscriptions,
  instructions: () => [],
}

function receive({ app }: AppSession, incoming: IncomingNotification, secrets: NotificationSecrets): Reception {
  if (incoming.method !== 'POST') return handshake(incoming, secrets)
  const stamp = incoming.header('x-oura-timestamp') ?? ''
  const signature = incoming.header('x-oura-signature') ?? ''
  const expected = createHmac('sha256', secrets.clientSecret).update(stamp).update(incoming.body).digest('hex')
  if (!isSame(signature.toLowerCase(), expected)) {
    return { kind: 'refused', status: 401, reason: 'The signature is missing or wrong.' }
  }
  const sentAt = parseStamp(stamp)
  const mostAge = Number(app.settings['signature_age_seconds']) * SECOND_MS
  if (sentAt === undefined || !(Math.abs(incoming.receivedAt - sentAt) <= mostAge)) {
    return { kind: 'refused', status: 401, reason: 'The signature is too old, or from the future.' }
  }
  return readEvent(incoming)
}

/** Responds to the handshake, with which Oura verifies the URL when a subscription is created. */
function handshake({ query }: IncomingNotification, secrets: NotificationSecrets): Reception {
  const challenge = query.get('challenge')
  if (challenge === null || !isSame(query.get('verification_token') ?? '', secrets.verificationToken)) {
    return { kind: 'refused', status: 401, reason: 'The verification token of the handshake is missing or wrong.' }
  }
  return { kind: 'answered', status: 200, type: 'application/json', body: JSON.stringify({ challenge }) }
}

function readEvent({ body }: IncomingNotification): Reception {
  const event = asObject(parsedJson(body))
  const named = withTexts(event, 'event_type', 'data_type', 'object_id', 'user_id')
  if (named === undefined) return { kind: 'refused', status: 400, reason: 'The event lacks a field.' }
  const { event_type: eventType, data_type: dataType, object_id: objectId, user_id: accountId } = named
  const time = asText(member(event, 'event_time')) ?? ''
  const type = NOTIFIED_TYPES.find(each => each.name === dataType)
  if (type === undefined) return { kind: 'received', status: 200, events: [] }
  const eventId = hash('sha256', JSON.stringify([eventType, dataType, objectId, accountId, time]), 'hex')
  const hints = [buildHint(type, eventType, objectId, time)].filter(each => each !== null)
  return { kind: 'received', status: 200, events: [{ eventId, accountId, hints }] }
}

function buildHint(
  { collection, isDocument }: NotifiedType,
  eventType: string,
  recordId: string,
  time: string,
): Hint | null {
  if (isDocument) return { kind: eventType === 'delete' ? 'deleted' : 'record', collection, recordId }
  // a day's score, which is stored with that day's night
  const at = readInstant(time)
  return at === undefined ? null : { kind: 'window', collection, window: { from: at - 3 * DAY_MS, to: at + DAY_MS } }
}

/** Reads a timestamp whose unit is not documented. Seconds and milliseconds can be distinguished by their size. */
function parseStamp(stamp: string): number | undefined {
  if (!/^\d{9,14}(?:\.\d+)?$/.test(stamp)) return readInstant(stamp)
  const number = Number(stamp)
  return number < 1e11 ? number * SECOND_MS : number
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
