/**
 * Applies the effects of a link, a disconnect, a failure or a pause to live connections, in the transaction that changes the connection.
 */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { NewLiveConnection } from '../../live/connections.ts'
import { LIVE_CONNECTIONS, type LiveConnectionRow } from '../rows/tables.ts'
import { command, many, type Steps, send } from '../steps.ts'
import { requireOAuthApp } from './oauth-apps.ts'
import { findLeased, progressed, putLease } from './rows.ts'
import { putTokenSet, queueRevocations } from './token-sets.ts'

const CONNECTIONS_OF_USER = LIVE_CONNECTIONS.query('WHERE user_id=?')
const FIND_CONNECTION = LIVE_CONNECTIONS.query('WHERE user_id=? AND provider=?')
/** Statements that remove a live connection and its records' states, because a later link pulls everything again. */
const REMOVALS = ['live_connection', 'live_record', 'person_budget', 'raw_answer'].map(table => ({
  one: command(`DELETE FROM ${table} WHERE user_id=? AND provider=?`),
  all: command(`DELETE FROM ${table} WHERE user_id=?`),
}))
const FORGET_HISTORY = command('DELETE FROM pull WHERE user_id=? AND provider=?')

/** Writes a link's token set and live connection. The history is pulled from the beginning. Throws ServiceError `conflict`. */
export function* linkLive(
  { userId, teamId, provider }: { readonly userId: UserId; readonly teamId: TeamId; readonly provider: string },
  { tokenSet, progress, dueAt, at }: NewLiveConnection,
): Steps<void> {
  yield* requireOAuthApp(teamId, provider)
  yield* putTokenSet(userId, teamId, provider, tokenSet)
  const known = yield* findLeased({ userId, provider })
  const row: LiveConnectionRow = {
    user_id: userId,
    provider,
    team_id: teamId,
    linked_at: at,
    due_at: null,
    in_history: 0,
    last_pull_at: null,
    progress: '{}',
    hastened: null,
    announced: '[]',
    subscriptions: known?.subscriptions ?? '{}',
  }
  yield* LIVE_CONNECTIONS.put(progressed(row, progress, dueAt))
  // a pull with the previous token set stops at its next write
  yield* putLease({ userId, provider }, null, 0)
  yield* send(FORGET_HISTORY, [userId, provider])
}

/** Ends a live connection, if there is one, and queues its token set for revocation. */
export function* unlinkLive(userId: UserId, provider: string): Steps<void> {
  for (const { one } of REMOVALS) yield* send(one, [userId, provider])
  yield* queueRevocations(userId, provider)
}

/** Ends all of a user's live connections. */
export function* unlinkAll(userId: UserId): Steps<void> {
  for (const { all } of REMOVALS) yield* send(all, [userId])
  yield* queueRevocations(userId, null)
}

/** Stops the pulls of one connection, or of all of the user's connections (null), until the next link. */
export function* stopPulls(userId: UserId, provider: string | null): Steps<void> {
  const rows =
    provider === null ? yield* many(CONNECTIONS_OF_USER, [userId]) : yield* many(FIND_CONNECTION, [userId, provider])
  for (const row of rows) yield* LIVE_CONNECTIONS.replace({ ...row, due_at: null, hastened: null })
}
