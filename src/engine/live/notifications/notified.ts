/**
 * Processes queued notifications. They are only hints: the data that they refer to is read from the provider, so repeated and reordered
 * notifications do no harm. Each notification is processed under its connection's lease, and is done only when all its data is stored.
 */
import { ProviderError } from '../../../connectors/provider-session.ts'
import { clockAt } from '../../../core/clock.ts'
import { HOUR_MS, SECOND_MS } from '../../../core/time.ts'
import type { NotificationRecord } from '../../../store/live/notifications.ts'
import type { EngineContext } from '../../context.ts'
import { pauseAfter } from '../backoff.ts'
import { failLive } from '../failures.ts'
import { PullInterrupted } from '../mapping/mapping.ts'
import { findLiveApp } from '../oauth-apps/live-app.ts'
import { LeaseLost } from '../pulling/lease.ts'
import { type LeaseOptions, type LivePerson, leaseConnection } from '../pulling/live-person.ts'
import { currentTokenSet, refreshTokenSet } from '../token-sets.ts'
import { bringHints, type Hints, mergeHints } from './hints.ts'
import { openNotification } from './notification-queue.ts'

const RETRY = { firstMs: 10 * SECOND_MS, mostMs: HOUR_MS }
/** Number of attempts after which all collections of the connection are polled instead. */
const MOST_TRIES = 20
/** When to retry a connection that another worker is processing. */
const BUSY_MS = 5 * SECOND_MS
const MOST_AT_ONCE = 500

/** Queued notifications for one account. */
export interface Notified {
  readonly teamId: NotificationRecord['teamId']
  readonly provider: string
  readonly accountId: string
  readonly hints: Hints
  readonly records: readonly NotificationRecord[]
}

/** Returns the due notifications, by account. Removes notifications that cannot be opened. */
export async function dueNotifications(engine: EngineContext): Promise<readonly Notified[]> {
  const due = await engine.store.live.notifications.due(engine.wall.now(), null, MOST_AT_ONCE)
  const groups = new Map<string, { readonly records: NotificationRecord[]; readonly events: Hints[] }>()
  const accounts = new Map<string, string>()
  for (const record of due) {
    const event = openNotification(engine, record)
    if (event === null) {
      await settle(engine, record.provider, [record], 'given_up')
      continue
    }
    const name = `${record.teamId} ${record.provider} ${event.accountId}`
    const group = groups.get(name) ?? { records: [], events: [] }
    groups.set(name, group)
    accounts.set(name, event.accountId)
    group.records.push(record)
    group.events.push(event.hints)
  }
  return [...groups].flatMap(([name, { records, events }]) => {
    const [first] = records
    const accountId = accounts.get(name)
    if (!first || accountId === undefined) return []
    return [{ teamId: first.teamId, provider: first.provider, accountId, records, hints: events.flat() }]
  })
}

/** Processes the notifications for one account. Returns whether they are done. Throws any store error. */
export async function processNotified(
  engine: EngineContext,
  notified: Notified,
  options: LeaseOptions,
): Promise<boolean> {
  const { teamId, provider, accountId, records } = notified
  const done = async (outcome: string): Promise<true> => {
    await settle(engine, provider, records, outcome)
    return true
  }
  const userId = await engine.store.live.pulls.userOfAccount(teamId, provider, accountId)
  if (userId === null) return done('unknown_user')
  const person = await leaseConnection(engine, { userId, provider }, options)
  if (person === 'none') return done('unknown_user')
  // the data is read once no other worker has the lease
  if (person === 'busy') return retry(engine, records, BUSY_MS)
  try {
    return await handled(engine, person, notified, done)
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof PullInterrupted || person.lease.signal.aborted) return false
    throw error
  } finally {
    await person.lease.release()
  }
}

async function handled(
  engine: EngineContext,
  person: LivePerson,
  { hints, records, provider }: Notified,
  done: (outcome: string) => Promise<true>,
): Promise<boolean> {
  const key = { userId: person.user.userId, provider }
  try {
    if (hints.some(({ kind }) => kind === 'revoked') && (await hasEnded(engine, person))) {
      await disconnect(engine, person)
      return done('processed')
    }
    await bringHints(engine, person, mergeHints(person, hints, engine.wall.now()))
    return done('processed')
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.kind === 'scope_missing') return done('processed')
    if (await failLive(engine, { ...key, teamId: person.user.teamId }, error)) return done('processed')
    const tries = Math.max(...records.map(each => each.tries)) + 1
    if (tries < MOST_TRIES) {
      return retry(engine, records, Math.max(error.retryAfterMs ?? 0, pauseAfter(tries, RETRY, engine.random)))
    }
    await engine.store.live.pulls.hasten(key, null, engine.wall.now())
    return done('given_up')
  }
}

/** Asks the provider whether it still refreshes the token set, so that a repeated or forged notification cannot end a connection. */
async function hasEnded(engine: EngineContext, person: LivePerson): Promise<boolean> {
  const { connector, user } = person
  const { userId, teamId } = user
  try {
    const current = await currentTokenSet(engine, { userId, provider: connector.provider })
    const live = await findLiveApp(engine, teamId, connector.provider)
    if (live) await refreshTokenSet(engine, { app: live.app, signal: person.lease.signal }, connector, current)
    return false
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'grant_lost') return true
    throw error
  }
}

/** Disconnects, because the person revoked the access at the provider. */
async function disconnect(engine: EngineContext, { user, connector: { provider } }: LivePerson): Promise<void> {
  const { teamId, userId } = user
  await engine.store.connections.fail(teamId, userId, provider, {
    type: 'deregistered_per_provider',
    message: 'The account was disconnected at the provider',
    at: clockAt(await engine.store.clock.read(), engine.time.now()),
  })
  const tokenSet = await engine.store.live.tokenSets.find(userId, provider)
  if (tokenSet) await engine.store.live.tokenSets.remove(tokenSet)
}

async function settle(
  engine: EngineContext,
  provider: string,
  records: readonly NotificationRecord[],
  outcome: string,
): Promise<void> {
  await engine.store.live.notifications.settle(records, engine.wall.now())
  engine.observe?.({ kind: 'notification', provider, outcome, count: records.length })
}

async function retry(engine: EngineContext, records: readonly NotificationRecord[], pauseMs: number): Promise<false> {
  const dueAt = Math.ceil(engine.wall.now() + pauseMs)
  for (const record of records) await engine.store.live.notifications.retry(record, dueAt)
  return false
}
