/** Reads Google Health's notifications: the handshake, the signature, and the collections that changed and when. */
import { hash, timingSafeEqual } from 'node:crypto'
import { DAY_MS, type EpochMs, HOUR_MS, readInstant } from '../../../core/time.ts'
import type {
  Hint,
  IncomingNotification,
  NotificationReader,
  NotificationSecrets,
  NotifiedEvent,
  Reception,
} from '../../notifications.ts'
import type { AppSession, ProviderApp } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { asList, asObject, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import { parsedJson } from '../requests.ts'
import { COLLECTIONS } from './collections.ts'
import { isSigned, signatureId } from './keyset.ts'
import { lastPart, readDate } from './point.ts'
import { subscriberBody, subscriberCalls } from './subscriber.ts'

/** Signature headers. Google's guide documents the first header, and Google's reference documents the second. */
const SIGNATURE_HEADERS = ['google-health-api-signature', 'x-healthapi-signature'] as const
/** How far to read beyond the interval of an event. */
const MARGIN_MS = HOUR_MS
/** Maximum UTC offset that is assumed for a time without an offset. */
const FURTHEST_MS = 14 * HOUR_MS
/** Time range to read for an event without an interval. */
const RECENT_MS = 3 * DAY_MS
const MOST_EVENTS = 99
/** Maximum size of the body of a URL check. */
const LONGEST_HANDSHAKE = 4096

/** The mapped types for which notifications are documented. Others are polled. */
const PUSHED_TYPES: readonly string[] = [
  'steps',
  'distance',
  'floors',
  'heart-rate',
  'heart-rate-variability',
  'daily-heart-rate-variability',
  'daily-resting-heart-rate',
  'daily-oxygen-saturation',
  'daily-respiratory-rate',
  'respiratory-rate-sleep-summary',
  'daily-sleep-temperature-derivations',
  'sleep',
  'exercise',
  'weight',
  'body-fat',
  'height',
  'blood-glucose',
  'run-vo2-max',
  'nutrition-log',
  'hydration-log',
]

export const notifications: NotificationReader = {
  receive,
  // subscribers belong to the cloud project, and only a service account can manage them
  subscriptions: subscriberCalls(({ callbackUrl, verificationToken }) =>
    subscriberBody(callbackUrl, secretHeader(verificationToken), PUSHED_TYPES),
  ),
  instructions,
}

async function receive(
  session: AppSession,
  incoming: IncomingNotification,
  secrets: NotificationSecrets,
): Promise<Reception> {
  if (incoming.method !== 'POST') return { kind: 'answered', status: 405 }
  const signature = SIGNATURE_HEADERS.map(name => incoming.header(name)).find(value => value !== null)
  if (signature === undefined || signature === null) {
    // the handshake is short; no other request without a signature is read
    const isShort = incoming.body.length <= LONGEST_HANDSHAKE
    const isHandshake = isShort && member(parsedJson(incoming.body), 'type') === 'verification'
    if (!isHandshake) return { kind: 'refused', status: 401, reason: 'no signature' }
    return { kind: 'answered', status: hasSecret(incoming, secrets) ? 201 : 401 }
  }
  // Google documents this header for every notification, but omits it in some; for these, only the signature counts
  if (incoming.header('authorization') !== null && !hasSecret(incoming, secrets)) {
    return { kind: 'refused', status: 401, reason: 'the secret is wrong' }
  }
  if (!(await isSigned(session, signature, incoming.body))) {
    return { kind: 'refused', status: 401, reason: 'the signature is not of a known key' }
  }
  const body = parsedJson(incoming.body)
  if (member(body, 'type') === 'verification') {
    return { kind: 'answered', status: hasSecret(incoming, secrets) ? 201 : 401 }
  }
  const delivery = signatureId(signature)
  const sent = Array.isArray(body) ? body : [body]
  if (sent.length > MOST_EVENTS) return { kind: 'refused', status: 400, reason: 'too many events' }
  const events = sent.flatMap((each, i) => eventIn(each, `${delivery} ${i}`, incoming.receivedAt) ?? [])
  return { kind: 'received', status: 204, events }
}

/**
 * Returns whether the header contains the secret. Compares the whole header, because the operator's secret includes the scheme; the docs
 * recommend Bearer.
 */
function hasSecret(incoming: IncomingNotification, { verificationToken }: NotificationSecrets): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(incoming.header('authorization') ?? ''), digest(secretHeader(verificationToken)))
}

function secretHeader(verificationToken: string): string {
  return `Bearer ${verificationToken}`
}

/** Reads an event. `delivery` identifies the event, because events have no ID and two changes to one interval look alike. */
function eventIn(value: unknown, delivery: string, receivedAt: EpochMs): NotifiedEvent | undefined {
  const data = asObject(member(value, 'data')) ?? asObject(value)
  const accountId = data && asText(data['healthUserId'])
  if (data === undefined || accountId === undefined) return undefined
  return { eventId: hash('sha256', delivery, 'base64url'), accountId, hints: hintsIn(data, receivedAt) }
}

function hintsIn(data: JsonObject, receivedAt: EpochMs): readonly Hint[] {
  const type = typeName(asText(data['dataType']) ?? '')
  const isDeletion = data['operation'] === 'DELETE'
  const recordId = lastPart(asText(data['recordId']) ?? '')
  const windows = asList(data['intervals'])
    .map(readWindow)
    .filter(window => window !== undefined)
  const hints: Hint[] = []
  for (const { name: collection, types, idOf } of COLLECTIONS) {
    if (!types.includes(type)) continue
    const id = isDeletion && recordId !== null ? idOf(type, recordId) : null
    if (id !== null) hints.push({ kind: 'deleted', collection, recordId: id })
    const isUnbounded = windows.length === 0 && id === null
    const read = isUnbounded ? [{ from: receivedAt - RECENT_MS, to: receivedAt + MARGIN_MS }] : windows
    for (const window of read) hints.push({ kind: 'window', collection, window })
  }
  return hints
}

/** Returns a type as spelled in paths, from any of the provider's spellings: `heart_rate`, `heartRate`, `dataTypes/heart-rate`. */
function typeName(text: string): string {
  return (lastPart(text) ?? '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase()
    .replaceAll('_', '-')
}

/** Returns an interval's window, widened. An interval without physical times has local times. */
function readWindow(interval: unknown): PullWindow | undefined {
  const physical = bounds(member(interval, 'physicalTimeInterval'), MARGIN_MS)
  if (physical !== undefined) return physical
  const margin = MARGIN_MS + FURTHEST_MS
  return (
    bounds(member(interval, 'civilIso8601TimeInterval'), margin) ??
    bounds(member(interval, 'civilDateTimeInterval'), margin)
  )
}

function bounds(interval: unknown, margin: number): PullWindow | undefined {
  // the civil form names its bounds `startDateTime` and `endDateTime`
  const from = instantIn(member(interval, 'startTime') ?? member(interval, 'startDateTime'))
  const to = instantIn(member(interval, 'endTime') ?? member(interval, 'endDateTime'))
  if (from === undefined || to === undefined || to < from) return undefined
  return { from: from - margin, to: to + margin }
}

/** Reads an instant, a local time as text, or `{date, time}`. */
function instantIn(value: unknown): EpochMs | undefined {
  const date = readDate(member(value, 'date'))
  if (date === undefined) return readInstant(value)
  const time = member(value, 'time')
  const part = (key: string): number => Number(member(time, key) ?? 0) || 0
  const midnight = readInstant(`${date}T00:00:00Z`) ?? 0
  return midnight + ((part('hours') * 60 + part('minutes')) * 60 + part('seconds')) * 1000
}

function instructions(
  callbackUrl: string,
  { verificationToken }: NotificationSecrets,
  { serviceAccount }: ProviderApp,
): readonly string[] {
  if (serviceAccount) return []
  const subscriber = subscriberBody(callbackUrl, secretHeader(verificationToken), PUSHED_TYPES)
  return [
    'A service account of your Google Cloud project creates the subscriber. With its key file, svc does the rest: add --service-account FILE.',
    'To create it by hand instead, give the service account a role that may edit Google Health subscribers.',
    'Sign in as the service account with gcloud, set PROJECT_NUMBER to the number of the project (not its id), and run:',
    [
      'curl -X POST "https://health.googleapis.com/v4/projects/$PROJECT_NUMBER/subscribers?subscriberId=svc-notifications"',
      '-H "Authorization: Bearer $(gcloud auth print-access-token)"',
      '-H "Content-Type: application/json"',
      `-d '${JSON.stringify(subscriber)}'`,
    ].join(' '),
    'Google Health then checks the URL twice, so the server must be running. To stop the notifications, run:',
    [
      'curl -X DELETE "https://health.googleapis.com/v4/projects/$PROJECT_NUMBER/subscribers/svc-notifications?force=true"',
      '-H "Authorization: Bearer $(gcloud auth print-access-token)"',
    ].join(' '),
  ]
}
