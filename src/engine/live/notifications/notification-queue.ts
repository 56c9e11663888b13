/** Receives providers' notifications: verifies them, and durably queues the genuine ones before responding. */
import { timingSafeEqual } from 'node:crypto'
import { liveConnector } from '../../../connectors/live/live-connectors.ts'
import type {
  IncomingNotification,
  NotificationSecrets,
  NotifiedEvent,
  Reception,
} from '../../../connectors/notifications.ts'
import { ProviderError } from '../../../connectors/provider-session.ts'
import { hashSecret } from '../../../core/ids.ts'
import type { NotificationRecord } from '../../../store/live/notifications.ts'
import type { OAuthAppRecord } from '../../../store/live/oauth-apps.ts'
import type { EngineContext } from '../../context.ts'
import { NONCE_BYTES, Sealing } from '../../sealing.ts'
import { openAppSecrets, teamOfNotification } from '../oauth-apps/app-secrets.ts'
import { toProviderApp } from '../oauth-apps/live-app.ts'
import { openAppSession } from '../session.ts'
import { issuedSecrets } from './subscription-secrets.ts'

/** Time limit for a connector, for example to read a provider's public key. */
const RECEIVE_MS = 500
/** Number of seconds after which a provider may resend a notification that could not be accepted. */
const RETRY_AFTER_S = 30

const sealing = new Sealing('provider notifications')

/** The response to a notification. */
export interface NotificationResponse {
  readonly status: number
  readonly type?: string | undefined
  readonly body?: string | undefined
  readonly retryAfterS?: number | undefined
}

/** Where a notification was received. */
export interface NotificationTarget {
  readonly provider: string
  readonly token: string
}

/** Receives a notification and returns the response, or null if no OAuth app has this URL. When it returns, the content is queued. */
export async function receiveNotification(
  engine: EngineContext,
  target: NotificationTarget,
  incoming: IncomingNotification,
): Promise<NotificationResponse | null> {
  const { provider } = target
  const count = (outcome: string, count = 1): void =>
    engine.observe?.({ kind: 'notification', provider, outcome, count })
  const oauthApp = await findOAuthApp(engine, target)
  const connector = oauthApp && (await liveConnector(provider))
  if (!oauthApp || !connector?.notifications) {
    // the caller chose the name, so it must not become a metric
    engine.observe?.({ kind: 'notification', provider: 'unknown', outcome: 'unknown_token', count: 1 })
    return null
  }
  const secrets = secretsFor(engine, oauthApp)
  const late = new AbortController()
  const { signal } = late
  // AbortSignal.timeout would still fire for each notification, long after the response
  const timer = setTimeout(() => late.abort(), RECEIVE_MS)
  const app = toProviderApp(engine, oauthApp, connector)
  const session = openAppSession(engine, { teamId: oauthApp.teamId, connector, app, signal })
  let reception: Reception
  try {
    reception = await inTime(connector.notifications.receive(session, incoming, secrets), signal)
  } catch (error) {
    if (!(error instanceof ProviderError) && error !== signal.reason) throw error
    count('unavailable')
    return { status: 503, retryAfterS: RETRY_AFTER_S }
  } finally {
    clearTimeout(timer)
  }
  if (reception.kind !== 'received') {
    count(reception.kind)
    if (reception.kind === 'refused') {
      engine.count?.({ teamId: oauthApp.teamId, name: 'refused_notifications', subject: provider, n: 1 })
    }
    return reception.kind === 'refused' ? { status: reception.status } : reception
  }
  const { events, status } = reception
  const added = await queue(engine, oauthApp, events)
  if (added > 0) count('received', added)
  if (added < events.length) count('repeated', events.length - added)
  return { status }
}

/** Returns the OAuth app with this URL, or null. Takes the same time for a wrong token as for a correct one. */
async function findOAuthApp(
  engine: EngineContext,
  { provider, token }: NotificationTarget,
): Promise<OAuthAppRecord | null> {
  const teamId = teamOfNotification(token)
  const oauthApp = teamId && (await engine.store.live.oauthApps.find(teamId, provider))
  const given = Buffer.from(hashSecret(token))
  const isIt = timingSafeEqual(given, Buffer.from(oauthApp?.notificationHash ?? hashSecret('')))
  return oauthApp && isIt ? oauthApp : null
}

function secretsFor(engine: EngineContext, oauthApp: OAuthAppRecord): NotificationSecrets {
  const { clientSecret, verificationToken } = openAppSecrets(engine, oauthApp)
  return { clientSecret, verificationToken, issued: () => issuedSecrets(engine, oauthApp) }
}

/** Settles like the promise, or rejects with the signal's reason if the signal is aborted first. */
function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })
}

/** The part of an event that is stored in the queue. */
export type QueuedEvent = Pick<NotifiedEvent, 'accountId' | 'hints'>

async function queue(
  engine: EngineContext,
  { teamId, provider }: OAuthAppRecord,
  events: readonly NotifiedEvent[],
): Promise<number> {
  const now = engine.wall.now()
  const records = events.map(({ eventId, accountId, hints }): NotificationRecord => {
    const notificationId = hashSecret(eventId)
    const plain = Buffer.from(JSON.stringify({ accountId, hints } satisfies QueuedEvent))
    const nonce = engine.random.bytes(NONCE_BYTES)
    const sealed = sealing.seal(engine, boundTo({ teamId, provider, notificationId }), plain, nonce)
    return { teamId, provider, notificationId, receivedAt: now, dueAt: now, tries: 0, sealed }
  })
  return records.length === 0 ? 0 : engine.store.live.notifications.add(records)
}

/** Returns a queued notification's content, or null if it was sealed under another master key. */
export function openNotification(
  engine: Pick<EngineContext, 'masterKey'>,
  record: NotificationRecord,
): QueuedEvent | null {
  try {
    return JSON.parse(sealing.open(engine, boundTo(record), record.sealed).toString()) as QueuedEvent // the text was written by `queue`
  } catch {
    return null
  }
}

function boundTo({
  teamId,
  provider,
  notificationId,
}: Pick<NotificationRecord, 'teamId' | 'provider' | 'notificationId'>): string {
  return `${teamId}\0${provider}\0${notificationId}`
}
