/** Creates, renews, moves and removes apps' subscriptions at providers. Subscriptions make providers send notifications. */
import type { LiveConnector } from '../../connectors/live/live-connector.ts'
import type { SubscriptionCalls, SubscriptionRequest } from '../../connectors/notifications.ts'
import type { AppSession } from '../../connectors/provider-session.ts'
import { SECOND_MS } from '../../core/time.ts'
import type { OAuthAppRecord } from '../../store/live/oauth-apps.ts'
import type { SubscriptionRecord } from '../../store/live/subscriptions.ts'
import type { EngineContext } from '../context.ts'
import { seenTo, unsubscribed } from './notifications/subscription.ts'
import { openSubscription, sealSubscription } from './notifications/subscription-secrets.ts'
import { openAppSecrets } from './oauth-apps/app-secrets.ts'
import { buildNotificationUrl, findLiveApp, type LiveApp } from './oauth-apps/live-app.ts'
import { openAppSession } from './session.ts'

/** Maximum time that a teardown waits for the provider. */
const REMOVE_MS = 10 * SECOND_MS

/**
 * Creates missing app subscriptions, renews those that are due, moves those that use an earlier public URL, and removes unwanted ones,
 * either for these OAuth apps or for all of them. Failures are recorded and retried. Returns the number of successful calls. Throws the
 * signal's reason.
 */
export async function ensureSubscriptions(
  engine: EngineContext,
  signal: AbortSignal | undefined,
  oauthApps?: readonly OAuthAppRecord[],
): Promise<number> {
  let done = 0
  for (const { teamId, provider } of oauthApps ?? (await engine.store.live.oauthApps.list(null))) {
    signal?.throwIfAborted()
    const live = await findLiveApp(engine, teamId, provider)
    if (live) done += await ensureOfApp(engine, live, signal)
  }
  return done
}

async function ensureOfApp(
  engine: EngineContext,
  { oauthApp, connector, app }: LiveApp,
  signal: AbortSignal | undefined,
): Promise<number> {
  const calls = connector.notifications?.subscriptions
  const callbackUrl = buildNotificationUrl(engine, oauthApp, app.apiUrl)
  if (calls?.owner !== 'app' || callbackUrl === null) return 0
  const { teamId, provider } = oauthApp
  const { subscriptions } = engine.store.live
  const known = new Map((await subscriptions.list(teamId, provider)).map(each => [each.name, each]))
  const session = openAppSession(engine, { teamId, connector, app, signal })
  const asked = subscriptionRequest(engine, oauthApp, callbackUrl)
  let done = 0
  for (const { name } of calls.wanted(oauthApp.scopes, app)) {
    const record = known.get(name)
    known.delete(name)
    const kept = record ? openSubscription(engine, record) : null
    const before = record ? { state: record, callbackUrl: kept?.callbackUrl ?? null } : null
    const seen = await seenTo(engine, calls, { session, asked: { ...asked, name }, before })
    if (seen === null) continue
    const { state, made } = seen
    const secret = made?.secret ?? kept?.secret ?? null
    const sealed = made ? sealSubscription(engine, { teamId, provider, name }, { callbackUrl, secret }) : record?.sealed
    await subscriptions.put({ teamId, provider, name, ...state, sealed: sealed ?? null })
    if (made) done++
  }
  for (const record of known.values()) if (await removeOne(engine, session, calls, record, asked)) done++
  return done
}

async function removeOne(
  engine: EngineContext,
  session: AppSession,
  calls: SubscriptionCalls,
  record: SubscriptionRecord,
  asked: Omit<SubscriptionRequest, 'name'>,
): Promise<boolean> {
  const { teamId, provider, name } = record
  const { subscriptions } = engine.store.live
  const callbackUrl = openSubscription(engine, record)?.callbackUrl ?? asked.callbackUrl
  const left = await unsubscribed(engine, calls, { session, asked: { ...asked, callbackUrl, name }, state: record })
  if (left === null) await subscriptions.remove(teamId, provider, name)
  else if (left !== record) await subscriptions.put({ ...record, ...left })
  return left === null
}

/**
 * Removes as many as possible of an OAuth app's subscriptions at the provider within 10 s. Any remaining subscription has no effect.
 * Afterwards, no subscription is stored.
 */
export async function removeSubscriptions(engine: EngineContext, oauthApp: OAuthAppRecord): Promise<void> {
  const { teamId, provider } = oauthApp
  const live = await findLiveApp(engine, teamId, provider)
  const calls = live?.connector.notifications?.subscriptions
  if (!live || calls?.owner !== 'app') return
  const signal = AbortSignal.timeout(REMOVE_MS)
  const session = openAppSession(engine, { teamId, connector: live.connector, app: live.app, signal })
  const asked = subscriptionRequest(engine, oauthApp, buildNotificationUrl(engine, oauthApp, live.app.apiUrl) ?? '')
  const { subscriptions } = engine.store.live
  try {
    for (const record of await subscriptions.list(teamId, provider)) {
      // regardless of when the removal was last tried
      await removeOne(engine, session, calls, { ...record, dueAt: null }, asked)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  for (const { name } of await subscriptions.list(teamId, provider)) await subscriptions.remove(teamId, provider, name)
}

function subscriptionRequest(
  engine: EngineContext,
  oauthApp: OAuthAppRecord,
  callbackUrl: string,
): Omit<SubscriptionRequest, 'name'> {
  return { callbackUrl, verificationToken: openAppSecrets(engine, oauthApp).verificationToken }
}

/** Returns whether notifications can reach this service. */
export function isNotified(engine: EngineContext, oauthApp: OAuthAppRecord, connector: LiveConnector): boolean {
  const apiUrl = oauthApp.apiUrl ?? connector.defaults.apiUrl
  return connector.notifications !== null && buildNotificationUrl(engine, oauthApp, apiUrl) !== null
}
