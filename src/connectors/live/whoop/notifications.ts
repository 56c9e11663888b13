/** Reads notifications from WHOOP about new, changed or deleted data. The URL must be entered by hand in WHOOP's developer dashboard. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashSecret } from '../../../core/ids.ts'
import { MINUTE_MS } from '../../../core/time.ts'
import type { Hint, IncomingNotification, NotificationReader, Reception } from '../../notifications.ts'
import { asText, member } from '../../shared/json-fields.ts'
import { parsedJson } from '../requests.ts'

/** Limit on the sum of the clock difference and a notification's transit time. */
const TOLERANCE_MS = 5 * MINUTE_MS

/**
 * The effects of events. A recovery has its sleep's ID, and both are one record here: when a recovery is deleted, the sleep is read again
 * without it.
 */
const HINTS: Readonly<Record<string, Readonly<{ kind: 'record' | 'deleted'; collection: string }>>> = {
  'workout.updated': { kind: 'record', collection: 'workout' },
  'workout.deleted': { kind: 'deleted', collection: 'workout' },
  'sleep.updated': { kind: 'record', collection: 'sleep' },
  'sleep.deleted': { kind: 'deleted', collection: 'sleep' },
  'recovery.updated': { kind: 'record', collection: 'sleep' },
  'recovery.deleted': { kind: 'record', collection: 'sleep' },
}

export const whoopNotifications: NotificationReader = {
  subscriptions: null,

  async receive(_session, incoming, { clientSecret }): Promise<Reception> {
    if (incoming.method !== 'POST') return { kind: 'answered', status: 405 }
    const problem = signatureProblem(incoming, clientSecret)
    if (problem !== null) return { kind: 'refused', status: 401, reason: problem }
    return read(incoming.body)
  },

  instructions: callbackUrl => [
    "Open WHOOP's developer dashboard (see https://developer.whoop.com) and choose your app.",
    `Add this webhook URL with the model version v2: ${callbackUrl}`,
    'WHOOP signs what it sends with the client secret, so there is nothing else to enter.',
  ],
}

function signatureProblem(incoming: IncomingNotification, clientSecret: string): string | null {
  const timestamp = incoming.header('x-whoop-signature-timestamp')
  const signature = incoming.header('x-whoop-signature')
  if (timestamp === null || signature === null) return 'it has no signature'
  const expected = createHmac('sha256', clientSecret).update(timestamp).update(incoming.body).digest()
  const given = Buffer.from(signature, 'base64')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'its signature is wrong'
  const isRecent = /^\d{1,15}$/.test(timestamp) && Math.abs(incoming.receivedAt - Number(timestamp)) <= TOLERANCE_MS
  return isRecent ? null : 'its timestamp is more than five minutes off'
}

function read(body: Uint8Array): Reception {
  const refused = { kind: 'refused', status: 400, reason: 'its body is not what WHOOP documents' } as const
  const event = parsedJson(body)
  const user = member(event, 'user_id')
  const type = asText(member(event, 'type'))
  if ((typeof user !== 'number' && typeof user !== 'string') || type === undefined) return refused
  const id = member(event, 'id')
  const hint = Object.hasOwn(HINTS, type) ? HINTS[type] : undefined
  const hints: Hint[] = []
  if (hint !== undefined) {
    if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) return refused
    hints.push({ ...hint, recordId: id })
  }
  // events from a later API version are accepted, so that WHOOP does not send them again
  const eventId = asText(member(event, 'trace_id')) ?? hashSecret(Buffer.from(body).toString('base64'))
  const events = hints.length === 0 ? [] : [{ eventId, accountId: String(user), hints }]
  return { kind: 'received', status: 204, events }
}
