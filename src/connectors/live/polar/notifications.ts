/** Reads Polar's notifications about new data, which Polar sends to a client's only webhook. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../../../core/ids.ts'
import { DAY_MS, parseDate } from '../../../core/time.ts'
import type { Hint, IncomingNotification, NotificationReader, Reception } from '../../notifications.ts'
import { asText, member } from '../../shared/json-fields.ts'
import { parsedJson } from '../requests.ts'
import { webhookCalls } from './webhook.ts'

/** An event's collection, and the field with the record's ID. There is only one record with physical information. */
const EVENTS: Readonly<Record<string, { readonly collection: string; readonly id: 'entity_id' | 'date' | null }>> = {
  EXERCISE: { collection: 'exercises', id: 'entity_id' },
  SLEEP: { collection: 'sleep', id: 'date' },
  CONTINUOUS_HEART_RATE: { collection: 'continuous_heart_rate', id: 'date' },
  ACTIVITY_SUMMARY: { collection: 'activities', id: 'date' },
  PHYSICAL_INFORMATION: { collection: 'physical_info', id: null },
}

/** Maximum size of a ping in bytes. */
const LONGEST_PING = 1024
const SIGNATURE_BYTES = 32

export const polarNotifications: NotificationReader = {
  subscriptions: webhookCalls(Object.keys(EVENTS)),

  async receive(_session, incoming, { issued }): Promise<Reception> {
    if (incoming.method !== 'POST') return { kind: 'answered', status: 405 }
    // the ping arrives before Polar returns the key, so it cannot be verified and has no effect
    const isShort = incoming.body.length <= LONGEST_PING
    if (isShort && member(parsedJson(incoming.body), 'event') === 'PING') return { kind: 'answered', status: 200 }
    if (!isGenuine(incoming, await issued()))
      return { kind: 'refused', status: 401, reason: 'its signature is wrong or missing' }
    return read(parsedJson(incoming.body), incoming)
  },

  instructions: () => [],
}

function isGenuine({ header, body }: IncomingNotification, keys: readonly string[]): boolean {
  const given = Buffer.from(header('polar-webhook-signature') ?? '', 'hex')
  return keys.some(key => {
    if (given.length !== SIGNATURE_BYTES) return false
    const expected = createHmac('sha256', key).update(body).digest()
    return timingSafeEqual(given, expected)
  })
}

/** Reads an event. The event's URL is never fetched; the record is read from the OAuth app's own API URL, by the ID in the event. */
function read(event: unknown, { body, receivedAt }: IncomingNotification): Reception {
  const refused = { kind: 'refused', status: 400, reason: 'its body is not what Polar documents' } as const
  const name = asText(member(event, 'event'))
  const user = member(event, 'user_id')
  if (name === undefined || (typeof user !== 'number' && typeof user !== 'string')) return refused
  const known = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined
  // events from a later API version are accepted, so that Polar does not send them again
  if (known === undefined) return { kind: 'received', status: 200, events: [] }
  const { collection, id } = known
  const recordId = id === null ? undefined : asText(member(event, id))
  if (id === 'entity_id' && !/^[\w-]{1,64}$/.test(recordId ?? '')) return refused
  if (id === 'date' && parseDate(recordId ?? '') === undefined) return refused
  const hint: Hint =
    recordId === undefined
      ? { kind: 'window', collection, window: { from: receivedAt - DAY_MS, to: receivedAt } }
      : { kind: 'record', collection, recordId }
  const eventId = hashSecret(Buffer.from(body).toString('base64'))
  return { kind: 'received', status: 200, events: [{ eventId, accountId: String(user), hints: [hint] }] }
}
