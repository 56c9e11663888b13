/**
 * Manages a provider's subscriptions for individual people. Each pull maintains them, and ended-access.ts removes them before the access
 * ends.
 */
import type { SubscriptionCalls } from '../../../connectors/notifications.ts'
import type { PersonSubscription } from '../../../store/live/connections.ts'
import type { EngineContext } from '../../context.ts'
import { openAppSecrets } from '../oauth-apps/app-secrets.ts'
import { buildNotificationPath, buildNotificationUrl, findLiveApp, type LiveApp } from '../oauth-apps/live-app.ts'
import type { LivePerson } from '../pulling/live-person.ts'
import { type KnownSubscription, seenTo, unsubscribed } from './subscription.ts'

type Subscriptions = Readonly<Record<string, PersonSubscription>>

/**
 * Creates, renews, moves and removes one person's subscriptions under the connection's lease. Failures are recorded and retried. Throws
 * ProviderError `grant_lost`, and the signal's reason.
 */
export async function ensurePersonSubscriptions(
  engine: EngineContext,
  person: LivePerson,
  known: Subscriptions,
): Promise<void> {
  const { connector, user } = person
  const calls = connector.notifications?.subscriptions
  if (calls?.owner !== 'person') return
  const live = await findLiveApp(engine, user.teamId, connector.provider)
  if (!live) return
  // this app cannot remove another app's subscriptions
  const own = Object.entries(known).filter(([, { clientId = live.app.clientId }]) => clientId === live.app.clientId)
  const after = await ensured(engine, person, { live, calls, known: Object.fromEntries(own) })
  if (after) await engine.store.live.pulls.subscribed({ userId: user.userId, provider: connector.provider }, after)
}

interface Known {
  readonly live: LiveApp
  readonly calls: SubscriptionCalls
  readonly known: Subscriptions
}

/** Returns the resulting subscriptions, or null if nothing was due. */
async function ensured(
  engine: EngineContext,
  person: LivePerson,
  { live: { oauthApp, app }, calls, known }: Known,
): Promise<Subscriptions | null> {
  const callbackUrl = buildNotificationUrl(engine, oauthApp, app.apiUrl)
  const publicUrl = engine.publicUrl()
  // do not change anything in a process without a server, because a server elsewhere may receive the notifications
  if (callbackUrl === null || publicUrl === null) return null
  const path = buildNotificationPath(engine, oauthApp)
  const { verificationToken } = openAppSecrets(engine, oauthApp)
  const session = await person.session()
  const wanted = calls.wanted(person.scopes, app).map(({ name }) => name)
  const states: Record<string, PersonSubscription> = {}
  let isChanged = false
  for (const name of new Set([...wanted, ...Object.keys(known)])) {
    person.lease.signal.throwIfAborted()
    const asked = { name, callbackUrl, verificationToken }
    const before = known[name]
    const former = before?.publicUrl === undefined ? null : before.publicUrl + path
    if (wanted.includes(name)) {
      const knownOne: KnownSubscription | null = before ? { state: before, callbackUrl: former } : null
      const seen = await seenTo(engine, calls, { session, asked, before: knownOne })
      const registration = { publicUrl: seen?.made ? publicUrl : before?.publicUrl, clientId: app.clientId }
      if (seen) states[name] = { ...seen.state, ...defined(registration) }
      else if (before) states[name] = before
      isChanged ||= seen !== null
    } else if (before) {
      const request = { ...asked, callbackUrl: former ?? callbackUrl }
      const left = await unsubscribed(engine, calls, { session, asked: request, state: before })
      if (left !== null) states[name] = { ...before, ...left }
      isChanged ||= left !== before
    }
  }
  return isChanged ? states : null
}

/** Returns the subscriptions that are present. */
function defined({
  publicUrl,
  clientId,
}: {
  readonly publicUrl: string | undefined
  readonly clientId: string
}): Pick<PersonSubscription, 'publicUrl' | 'clientId'> {
  return publicUrl === undefined ? { clientId } : { publicUrl, clientId }
}
