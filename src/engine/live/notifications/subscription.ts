/** Maintains one subscription of an app or a person at a provider. Determines the calls to make and the resulting state. */
import type { Subscription, SubscriptionCalls, SubscriptionRequest } from '../../../connectors/notifications.ts'
import { type AppSession, ProviderError } from '../../../connectors/provider-session.ts'
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../../core/time.ts'
import type { SubscriptionState } from '../../../store/live/connections.ts'
import type { EngineContext } from '../../context.ts'
import { pauseAfter } from '../backoff.ts'

/** Maximum time between two checks of a subscription, regardless of the expiry given by the provider. */
const FURTHEST_LOOK_MS = 90 * DAY_MS
const RETRY = { firstMs: 5 * MINUTE_MS, mostMs: DAY_MS }

/** A subscription's known state. */
export interface KnownSubscription {
  readonly state: SubscriptionState
  /** The URL that receives the notifications, or null if it is unknown or the subscription was never created. */
  readonly callbackUrl: string | null
}

export interface Seen {
  readonly state: SubscriptionState
  /** Null if the call failed. The state then contains the reason. */
  readonly made: Subscription | null
}

interface SubscriptionTask {
  readonly session: AppSession
  readonly asked: SubscriptionRequest
  readonly before: KnownSubscription | null
}

/**
 * Maintains a subscription that should exist: creates it, renews it if renewal is due, or creates it again for another URL. Returns null if
 * there is nothing to do. Throws the signal's reason.
 */
export async function seenTo(
  engine: EngineContext,
  calls: SubscriptionCalls,
  { session, asked, before }: SubscriptionTask,
): Promise<Seen | null> {
  const former = before?.callbackUrl ?? null
  // the service's public URL has changed
  const isElsewhere = former !== null && former !== asked.callbackUrl
  const isNew = before === null || (isElsewhere && before.state.failures === 0)
  if (!isNew && !isDue(before.state, engine.wall.now())) return null
  const state = before?.state ?? null
  return attempt(engine, state, calls, async () => {
    if (state === null) return calls.subscribe(session, asked)
    if (isElsewhere) {
      // a provider that allows only one subscription of each kind would refuse the next one, or replace this one
      await remove(calls, session, state, { ...asked, callbackUrl: former })
      return calls.subscribe(session, asked)
    }
    return state.remoteId === '' ? calls.subscribe(session, asked) : renew(calls, session, state, asked)
  })
}

/**
 * Removes an unwanted subscription at the provider. Returns null if it was removed, the state with the failure if it was not, or the
 * unchanged state if the removal is not due again yet. Throws the signal's reason.
 */
export async function unsubscribed(
  engine: EngineContext,
  calls: SubscriptionCalls,
  {
    session,
    asked,
    state,
  }: { readonly session: AppSession; readonly asked: SubscriptionRequest; readonly state: SubscriptionState },
): Promise<SubscriptionState | null> {
  if (state.failures > 0 && state.dueAt !== null && !isDue(state, engine.wall.now())) return state
  try {
    await remove(calls, session, state, asked)
    return null
  } catch (error) {
    return failed(engine, state, error)
  }
}

/** Returns whether maintenance is due. A subscription without a due time never ends and needs no maintenance. */
function isDue({ dueAt }: SubscriptionState, now: EpochMs): boolean {
  return dueAt !== null && (dueAt <= now || dueAt > now + FURTHEST_LOOK_MS)
}

async function remove(
  calls: SubscriptionCalls,
  session: AppSession,
  { remoteId, expiresAt }: SubscriptionState,
  asked: SubscriptionRequest,
): Promise<void> {
  // a person's subscriptions are distinguished by their URL
  if (remoteId === '' && calls.owner === 'app') return
  try {
    await calls.remove(session, { remoteId, expiresAt }, asked)
  } catch (error) {
    if (!(error instanceof ProviderError && error.kind === 'not_found')) throw error
  }
}

async function renew(
  calls: SubscriptionCalls,
  session: AppSession,
  { remoteId, expiresAt }: SubscriptionState,
  asked: SubscriptionRequest,
): Promise<Subscription> {
  if (!calls.renew) return calls.subscribe(session, asked)
  try {
    return await calls.renew(session, { remoteId, expiresAt }, asked)
  } catch (error) {
    // the subscription no longer exists at the provider
    if (error instanceof ProviderError && error.kind === 'not_found') return calls.subscribe(session, asked)
    throw error
  }
}

/** Makes a call, and returns the subscription's state afterwards. */
async function attempt(
  engine: EngineContext,
  before: SubscriptionState | null,
  calls: SubscriptionCalls,
  call: () => Promise<Subscription>,
): Promise<Seen> {
  try {
    const made = await call()
    const { remoteId, expiresAt } = made
    const state = { remoteId, expiresAt, dueAt: nextLook(calls, made, engine.wall.now()), failures: 0, lastError: null }
    return { state, made }
  } catch (error) {
    return { state: failed(engine, before, error), made: null }
  }
}

/** Returns the state after a failure. Throws any error that is not a provider failure. */
function failed(engine: EngineContext, before: SubscriptionState | null, error: unknown): SubscriptionState {
  if (!(error instanceof ProviderError)) throw error
  const failures = (before?.failures ?? 0) + 1
  const pauseMs = Math.max(pauseAfter(failures, RETRY, engine.random), error.retryAfterMs ?? 0)
  const dueAt = Math.ceil(engine.wall.now() + pauseMs)
  const { remoteId = '', expiresAt = null } = before ?? {}
  return { remoteId, expiresAt, dueAt, failures, lastError: `${error.kind}: ${error.message}` }
}

function nextLook(calls: SubscriptionCalls, { expiresAt }: Subscription, now: EpochMs): EpochMs | null {
  const times = [
    ...(expiresAt === null ? [] : [Math.max(expiresAt - calls.renewBeforeMs, now + MINUTE_MS)]),
    ...(calls.checkEveryMs === undefined ? [] : [now + calls.checkEveryMs]),
  ]
  return times.length === 0 ? null : Math.min(...times, now + FURTHEST_LOOK_MS)
}
