/** Subscriptions at providers, which make notifications come: made, renewed in time, looked after, and removed. */
import type { LiveConnector } from '../../connectors/live/live-connector.ts'
import type { Subscription, SubscriptionCalls, SubscriptionRequest } from '../../connectors/notifications.ts'
import { type AppSession, ProviderError } from '../../connectors/provider-session.ts'
import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { SubscriptionState } from '../../store/live/connections.ts'
import type { SetupRecord } from '../../store/live/setups.ts'
import type { SubscriptionRecord } from '../../store/live/subscriptions.ts'
import type { EngineContext } from '../context.ts'
import { pauseAfter } from './backoff.ts'
import { openSubscription, sealSubscription } from './notifications/subscription-secrets.ts'
import type { LivePerson } from './pulling/live-person.ts'
import { openAppSession } from './session.ts'
import { type LiveSetup, liveSetup, notificationUrlOf } from './setups/live-setup.ts'
import { secretsOf } from './setups/setup-secrets.ts'

const RETRY = { firstMs: 5 * MINUTE_MS, mostMs: DAY_MS }
/** How long a teardown waits for the provider. */
const REMOVE_MS = 10 * SECOND_MS

/**
 * Makes the subscriptions of apps that are missing, renews those that are due, and removes those that nobody wants. Failures are noted and
 * tried again. Returns how many calls succeeded. Throws the signal's reason.
 */
export async function ensureSubscriptions(engine: EngineContext, signal: AbortSignal | undefined): Promise<number> {
  let done = 0
  for (const { teamId, provider } of await engine.store.live.setups.list(null)) {
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
  const callbackUrl = notificationUrlOf(engine, setup, app.apiUrl)
  if (calls?.owner !== 'app' || callbackUrl === null) return 0
  const { teamId, provider } = setup
  const { subscriptions } = engine.store.live
  const known = new Map((await subscriptions.list(teamId, provider)).map(each => [each.name, each]))
  const session = openAppSession(engine, { teamId, connector, app, signal })
  const asked = requestOf(engine, setup, callbackUrl)
  let done = 0
  for (const { name } of calls.wanted(setup.scopes)) {
    const record = known.get(name)
    known.delete(name)
    const kept = record ? openSubscription(engine, record) : null
    // the public address of the service was changed
    const isElsewhere = record !== undefined && kept !== null && kept.callbackUrl !== callbackUrl
    if (!isElsewhere && !isDue(record, engine.wall.now())) continue
    const { state, made } = await attempt(engine, record ?? null, calls, () => {
      const isRenewed = record && record.remoteId !== '' && !isElsewhere
      return make(session, calls, isRenewed ? record : null, { ...asked, name })
    })
    const secret = made?.secret ?? kept?.secret ?? null
    const sealed = made ? sealSubscription(engine, { teamId, provider, name }, { callbackUrl, secret }) : record?.sealed
    await subscriptions.put({ teamId, provider, name, ...state, sealed: sealed ?? null })
    if (made) done++
  }
  for (const record of known.values()) if (await removeOne(engine, session, calls, record, asked)) done++
  return done
}

/** Does the same for the subscriptions of one person, under the lease of the connection. */
export async function ensurePersonSubscriptions(
  engine: EngineContext,
  person: LivePerson,
  known: Readonly<Record<string, SubscriptionState>>,
): Promise<void> {
  const { connector, user, lease } = person
  const calls = connector.notifications?.subscriptions
  if (calls?.owner !== 'person') return
  const live = await liveSetup(engine, user.teamId, connector.provider)
  const callbackUrl = live && notificationUrlOf(engine, live.setup, live.app.apiUrl)
  if (!live || !callbackUrl) return
  const now = engine.wall.now()
  const due = calls.wanted(person.scopes).filter(({ name }) => isDue(known[name], now))
  if (due.length === 0) return
  const session = await person.session()
  const asked = requestOf(engine, live.setup, callbackUrl)
  const states: Record<string, SubscriptionState> = { ...known }
  for (const { name } of due) {
    lease.signal.throwIfAborted()
    const before = states[name] ?? null
    const { state } = await attempt(engine, before, calls, () => {
      return make(session, calls, before && before.remoteId !== '' ? before : null, { ...asked, name })
    })
    states[name] = state
  }
  await engine.store.live.pulls.subscribed({ userId: user.userId, provider: connector.provider }, states)
}

/** One without a due time never ends, and is never looked after. */
function isDue(state: SubscriptionState | undefined, now: EpochMs): boolean {
  return state === undefined || (state.dueAt !== null && state.dueAt <= now)
}

function make(
  session: AppSession,
  calls: SubscriptionCalls,
  existing: Pick<SubscriptionState, 'remoteId' | 'expiresAt'> | null,
  asked: SubscriptionRequest,
): Promise<Subscription> {
  if (!existing || !calls.renew) return calls.subscribe(session, asked)
  return calls.renew(session, { remoteId: existing.remoteId, expiresAt: existing.expiresAt }, asked).catch(error => {
    // it is gone at the provider
    if (error instanceof ProviderError && error.kind === 'not_found') return calls.subscribe(session, asked)
    throw error
  })
}

interface Attempt {
  readonly state: SubscriptionState
  readonly made: Subscription | null
}

/** Makes a call, and returns the state of the subscription after it. */
async function attempt(
  engine: EngineContext,
  before: SubscriptionState | null,
  calls: SubscriptionCalls,
  call: () => Promise<Subscription>,
): Promise<Attempt> {
  try {
    const made = await call()
    const { remoteId, expiresAt } = made
    const state = { remoteId, expiresAt, dueAt: nextLook(calls, made, engine.wall.now()), failures: 0, lastError: null }
    return { state, made }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const failures = (before?.failures ?? 0) + 1
    const pauseMs = Math.max(pauseAfter(failures, RETRY, engine.random), error.retryAfterMs ?? 0)
    const dueAt = Math.ceil(engine.wall.now() + pauseMs)
    const { remoteId = '', expiresAt = null } = before ?? {}
    return { state: { remoteId, expiresAt, dueAt, failures, lastError: `${error.kind}: ${error.message}` }, made: null }
  }
}

function nextLook(calls: SubscriptionCalls, { expiresAt }: Subscription, now: EpochMs): EpochMs | null {
  const times = [
    ...(expiresAt === null ? [] : [Math.max(expiresAt - calls.renewBeforeMs, now + MINUTE_MS)]),
    ...(calls.checkEveryMs === undefined ? [] : [now + calls.checkEveryMs]),
  ]
  return times.length === 0 ? null : Math.min(...times)
}

async function removeOne(
  engine: EngineContext,
  session: AppSession,
  calls: SubscriptionCalls,
  record: SubscriptionRecord,
  asked: Omit<SubscriptionRequest, 'name'>,
): Promise<boolean> {
  const { teamId, provider, name, remoteId, expiresAt } = record
  const callbackUrl = openSubscription(engine, record)?.callbackUrl ?? asked.callbackUrl
  try {
    if (remoteId !== '') await calls.remove(session, { remoteId, expiresAt }, { ...asked, callbackUrl, name })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.kind !== 'not_found') return false
  }
  await engine.store.live.subscriptions.remove(teamId, provider, name)
  return true
}

/** Removes the subscriptions of a set-up at the provider, as far as that succeeds within 10 s: what is left there leads nowhere. */
export async function removeSubscriptions(engine: EngineContext, setup: SetupRecord): Promise<void> {
  const { teamId, provider } = setup
  const live = await liveSetup(engine, teamId, provider)
  const calls = live?.connector.notifications?.subscriptions
  if (!live || calls?.owner !== 'app') return
  const signal = AbortSignal.timeout(REMOVE_MS)
  const session = openAppSession(engine, { teamId, connector: live.connector, app: live.app, signal })
  const asked = requestOf(engine, setup, notificationUrlOf(engine, setup, live.app.apiUrl) ?? '')
  try {
    for (const record of await engine.store.live.subscriptions.list(teamId, provider)) {
      await removeOne(engine, session, calls, record, asked)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function requestOf(engine: EngineContext, setup: SetupRecord, callbackUrl: string): Omit<SubscriptionRequest, 'name'> {
  return { callbackUrl, verificationToken: secretsOf(engine, setup).verificationToken }
}

/** Whether notifications can reach this service. */
export function isNotified(engine: EngineContext, setup: SetupRecord, connector: LiveConnector): boolean {
  const apiUrl = setup.apiUrl ?? connector.defaults.apiUrl
  return connector.notifications !== null && notificationUrlOf(engine, setup, apiUrl) !== null
}
