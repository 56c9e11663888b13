/** Creates, renews, moves and removes apps' subscriptions at providers, which cause notifications. */
import type { LiveConnector } from '../../connectors/live/live-connector.ts'
import type { SubscriptionCalls, SubscriptionRequest } from '../../connectors/notifications.ts'
import type { AppSession } from '../../connectors/provider-session.ts'
import { SECOND_MS } from '../../core/time.ts'
import type { SetupRecord } from '../../store/live/setups.ts'
import type { SubscriptionRecord } from '../../store/live/subscriptions.ts'
import type { EngineContext } from '../context.ts'
import { seenTo, unsubscribed } from './notifications/subscription.ts'
import { openSubscription, sealSubscription } from './notifications/subscription-secrets.ts'
import { openAppSession } from './session.ts'
import { buildNotificationUrl, type LiveSetup, liveSetup } from './setups/live-setup.ts'
import { openSetupSecrets } from './setups/setup-secrets.ts'

/** How long a teardown waits for the provider. */
const REMOVE_MS = 10 * SECOND_MS

/**
 * Creates missing app subscriptions, renews due ones, moves those that send to an earlier public URL, and removes unwanted ones, for these
 * OAuth apps or for all. Failures are recorded and retried. Returns the number of successful calls. Throws the signal's reason.
 */
export async function ensureSubscriptions(
  engine: EngineContext,
  signal: AbortSignal | undefined,
  setups?: readonly SetupRecord[],
): Promise<number> {
  let done = 0
  for (const { teamId, provider } of setups ?? (await engine.store.live.setups.list(null))) {
    signal?.throwIfAborted()
    const live = await liveSetup(engine, teamId, provider)
    if (live) done += await ensureOfApp(engine, live, signal)
  }
  return done
}

async function ensureOfApp(
  engine: EngineContext,
  { setup, connector, app }: LiveSetup,
  signal: AbortSignal | undefined,
): Promise<number> {
  const calls = connector.notifications?.subscriptions
  const callbackUrl = buildNotificationUrl(engine, setup, app.apiUrl)
  if (calls?.owner !== 'app' || callbackUrl === null) return 0
  const { teamId, provider } = setup
  const { subscriptions } = engine.store.live
  const known = new Map((await subscriptions.list(teamId, provider)).map(each => [each.name, each]))
  const session = openAppSession(engine, { teamId, connector, app, signal })
  const asked = requestOf(engine, setup, callbackUrl)
  let done = 0
  for (const { name } of calls.wanted(setup.scopes, app)) {
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
 * Removes an OAuth app's subscriptions at the provider, as far as possible within 10 s. Any that remain have no effect. None is stored
 * afterwards.
 */
export async function removeSubscriptions(engine: EngineContext, setup: SetupRecord): Promise<void> {
  const { teamId, provider } = setup
  const live = await liveSetup(engine, teamId, provider)
  const calls = live?.connector.notifications?.subscriptions
  if (!live || calls?.owner !== 'app') return
  const signal = AbortSignal.timeout(REMOVE_MS)
  const session = openAppSession(engine, { teamId, connector: live.connector, app: live.app, signal })
  const asked = requestOf(engine, setup, buildNotificationUrl(engine, setup, live.app.apiUrl) ?? '')
  const { subscriptions } = engine.store.live
  try {
    for (const record of await subscriptions.list(teamId, provider)) {
      // regardless of when it was last tried
      await removeOne(engine, session, calls, { ...record, dueAt: null }, asked)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  for (const { name } of await subscriptions.list(teamId, provider)) await subscriptions.remove(teamId, provider, name)
}

function requestOf(engine: EngineContext, setup: SetupRecord, callbackUrl: string): Omit<SubscriptionRequest, 'name'> {
  return { callbackUrl, verificationToken: openSetupSecrets(engine, setup).verificationToken }
}

/** Whether notifications can reach this service. */
export function isNotified(engine: EngineContext, setup: SetupRecord, connector: LiveConnector): boolean {
  const apiUrl = setup.apiUrl ?? connector.defaults.apiUrl
  return connector.notifications !== null && buildNotificationUrl(engine, setup, apiUrl) !== null
}
