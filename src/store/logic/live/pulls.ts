/** Stores due connections, their leases and their progress. The data of a pull is stored by bring.ts. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { LiveConnectionRecord, LiveKey } from '../../live/connections.ts'
import { part, read, write, writeAbout } from '../part.ts'
import { LIVE_CONNECTIONS } from '../rows/tables.ts'
import { many, one, query, type Steps } from '../steps.ts'
import { usersOfAccount } from '../users/accounts.ts'
import { FIND_CONNECTION } from '../users/connections.ts'
import { bring } from './bring.ts'
import { readFigures } from './figures.ts'
import { findRawContent, listRaw, listRawHeads, removeRaw } from './raw.ts'
import {
  findLeased,
  hastenedIn,
  isConnected,
  type LeasedRow,
  progressed,
  progressIn,
  putLease,
  SELECT_LEASED,
  settled,
  toLiveConnection,
} from './rows.ts'

interface DueRow {
  readonly user_id: UserId
  readonly provider: string
  readonly due_at: number
}

const DUE_COLUMNS = 'SELECT user_id, provider, due_at FROM live_connection WHERE'
const IS_DUE = 'due_at<=? AND (leased_by IS NULL OR leased_until<=?)'
/** Selects the due connections of each team and provider in turn. Otherwise, many overdue connections of one team would fill every list. */
const DUE = query<DueRow>(
  `SELECT user_id, provider, due_at FROM (
     SELECT user_id, provider, due_at, row_number() OVER (PARTITION BY team_id, provider ORDER BY due_at) AS place
     FROM live_connection WHERE ${IS_DUE}
   ) AS of_team ORDER BY place, due_at LIMIT ?`,
)
const NOT_BEFORE = query<DueRow>(`${DUE_COLUMNS} due_at>=? ORDER BY due_at DESC LIMIT ?`)
const DUE_OF_USER = query<DueRow>(`${DUE_COLUMNS} user_id=? AND ${IS_DUE}`)
const OF_USER = LIVE_CONNECTIONS.widerQuery<LeasedRow>(`${SELECT_LEASED} WHERE user_id=? ORDER BY provider`)
const OF_TEAM = LIVE_CONNECTIONS.widerQuery<LeasedRow>(
  `${SELECT_LEASED} WHERE team_id=? AND (user_id, provider)>(?,?) ORDER BY user_id, provider LIMIT ?`,
)
const OF_TEAM_AT = LIVE_CONNECTIONS.widerQuery<LeasedRow>(
  `${SELECT_LEASED} WHERE team_id=? AND provider=? AND user_id>? ORDER BY user_id LIMIT ?`,
)

const ownerId = ({ userId }: LiveKey): UserId => userId

export class LivePullStore extends part({
  find: read(find),
  ofUser: read(ofUser),
  due: read(due),
  notBefore: read(notBefore),
  lease: writeAbout(leaseConnection, ownerId),
  release: writeAbout(release, ownerId),
  bring: writeAbout(bring, ownerId),
  note: writeAbout(note, ownerId),
  hasten: writeAbout(hasten, ownerId),
  subscribed: writeAbout(subscribed, ownerId),
  userOfAccount: read(userOfAccount),
  raw: read(listRaw),
  rawHeads: read(listRawHeads),
  rawContent: read(findRawContent),
  removeRaw: write(removeRaw),
  recordVersions: read(recordVersions),
  figures: read(readFigures),
  list: read(list),
}) {}

function* find(key: LiveKey): Steps<LiveConnectionRecord | null> {
  const row = yield* findLeased(key)
  return row ? toLiveConnection(row) : null
}

function* ofUser(userId: UserId): Steps<LiveConnectionRecord[]> {
  return (yield* many(OF_USER, [userId])).map(toLiveConnection)
}

/**
 * Returns connections with due collections. For these users, they are listed earliest first. For all users (null), the list begins with the
 * earliest connection of each team and provider, followed by the next one of each. Expired leases are ignored.
 */
function* due(now: EpochMs, userIds: readonly UserId[] | null, limit: number): Steps<LiveKey[]> {
  if (userIds === null) return toKeys(yield* many(DUE, [now, now, limit]))
  const rows: DueRow[] = []
  for (const userId of userIds) rows.push(...(yield* many(DUE_OF_USER, [userId, now, now])))
  return toKeys(rows.sort((a, b) => a.due_at - b.due_at).slice(0, limit))
}

/** Returns connections whose due time is at or after this time, latest first. */
function* notBefore(then: EpochMs, limit: number): Steps<LiveKey[]> {
  return toKeys(yield* many(NOT_BEFORE, [then, limit]))
}

function toKeys(rows: readonly DueRow[]): LiveKey[] {
  return rows.map(({ user_id: userId, provider }) => ({ userId, provider }))
}

interface Lease {
  readonly holder: string
  readonly now: EpochMs
  readonly until: EpochMs
}

/** Leases a connection for a pull, or extends the lease. Returns the connection's state, or null if another process has leased it. */
function* leaseConnection(key: LiveKey, { holder, now, until }: Lease): Steps<LiveConnectionRecord | null> {
  const row = yield* findLeased(key)
  if (!row) return null
  const isFree = row.leased_by === null || row.leased_until <= now
  if (!isFree && row.leased_by !== holder) return null
  yield* putLease(key, holder, until)
  const leased = { leased_by: holder, leased_until: until }
  // a process that extends a lease uses its own state
  if (row.leased_by === holder || row.hastened === null) return toLiveConnection({ ...row, ...leased })
  const changed = settled(row)
  yield* LIVE_CONNECTIONS.replace(changed)
  return toLiveConnection({ ...changed, ...leased })
}

function* release(key: LiveKey, holder: string): Steps<void> {
  const row = yield* findLeased(key)
  if (row?.leased_by !== holder) return
  yield* putLease(key, null, 0)
  if (row.hastened !== null) yield* LIVE_CONNECTIONS.replace(settled(row))
}

interface Note {
  readonly holder: string
  readonly progress: LiveConnectionRecord['progress']
  readonly dueAt: EpochMs | null
}

/** Stores progress without data: a failure or a new due time. Returns false if the lease was lost. */
function* note(key: LiveKey, { holder, progress, dueAt }: Note): Steps<boolean> {
  const row = yield* findLeased(key)
  if (row?.leased_by !== holder) return false
  yield* LIVE_CONNECTIONS.replace(progressed(row, progress, dueAt))
  return true
}

/** Makes collections due now because of a request or a notification. Does nothing if the connection is not connected. */
function* hasten(key: LiveKey, collections: readonly string[] | null, now: EpochMs): Steps<void> {
  const row = yield* findLeased(key)
  if (!row || !(yield* isConnected(key))) return
  const progress = progressIn(row)
  const names = Object.keys(progress).filter(name => collections === null || collections.includes(name))
  if (names.length === 0) return
  const hastened = { ...hastenedIn(row), ...Object.fromEntries(names.map(name => [name, now])) }
  const asked = { ...row, hastened: JSON.stringify(hastened), due_at: Math.min(now, row.due_at ?? now) }
  // a pull in progress will write its own progress, and may have read the data before it changed
  yield* LIVE_CONNECTIONS.replace(row.leased_by === null ? settled(asked) : asked)
}

const VERSIONS = query<{ readonly record_id: string; readonly version: string }>(
  dialect => `SELECT record_id, version FROM live_record
    WHERE user_id=? AND provider=? AND collection=? AND record_id IN (${dialect.listed})`,
)

/** Returns the versions of a provider's records that are stored, by ID. */
function* recordVersions(
  { userId, provider }: LiveKey,
  collection: string,
  ids: readonly string[],
): Steps<ReadonlyMap<string, string>> {
  const rows = yield* many(VERSIONS, [userId, provider, collection, JSON.stringify(ids)])
  return new Map(rows.map(row => [row.record_id, row.version]))
}

/** Stores a person's subscriptions. */
function* subscribed(key: LiveKey, subscriptions: LiveConnectionRecord['subscriptions']): Steps<void> {
  const row = yield* findLeased(key)
  if (row) yield* LIVE_CONNECTIONS.replace({ ...row, subscriptions: JSON.stringify(subscriptions) })
}

/** Returns the user who is connected to a provider account, or null. */
function* userOfAccount(teamId: TeamId, provider: string, accountId: string): Steps<UserId | null> {
  for (const userId of yield* usersOfAccount(teamId, provider, accountId)) {
    const connection = yield* one(FIND_CONNECTION, [userId, provider])
    if (connection?.external_user_id !== accountId) continue
    if ((yield* findLeased({ userId, provider }))?.team_id === teamId) return userId
  }
  return null
}

/** Returns the team's live connections to a provider by user, for a page of `svc provider status`. */
function* list(
  teamId: TeamId,
  provider: string | null,
  after: LiveKey | null,
  limit: number,
): Steps<LiveConnectionRecord[]> {
  const rows =
    provider === null
      ? yield* many(OF_TEAM, [teamId, after?.userId ?? '', after?.provider ?? '', limit])
      : yield* many(OF_TEAM_AT, [teamId, provider, after?.userId ?? '', limit])
  return rows.map(toLiveConnection)
}
