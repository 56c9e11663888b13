/**
 * Stores providers' notifications as rows. The IDs of processed notifications are kept for a while, so that repeated notifications are
 * recognized.
 */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { NotificationRecord } from '../../live/notifications.ts'
import { PROVIDER_NOTIFICATION } from '../../tables/live.ts'
import { part, read, writeAside } from '../part.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { command, many, run, type Steps } from '../steps.ts'
import { lockOAuthApp } from './oauth-apps.ts'

interface NotificationRow {
  readonly team_id: string
  readonly provider: string
  readonly notification_id: string
  readonly received_at: number
  readonly due_at: number
  readonly tries: number
  /** Null after the notification has been processed. */
  readonly sealed: Uint8Array | null
  readonly settled_at: number | null
}

const NOTIFICATIONS = new PlainRows<NotificationRow>(PROVIDER_NOTIFICATION)
const DUE = NOTIFICATIONS.query('WHERE settled_at IS NULL AND due_at<=? ORDER BY due_at, received_at LIMIT ?')
/**
 * Selects the due notifications of each team and provider in turn. Otherwise, the notifications of an unavailable provider would fill every
 * list.
 */
const DUE_IN_TURN = NOTIFICATIONS.query(
  `WHERE settled_at IS NULL AND due_at<=?
  ORDER BY row_number() OVER (PARTITION BY team_id, provider ORDER BY due_at, received_at), due_at, received_at LIMIT ?`,
)
const DUE_OF_TEAM = NOTIFICATIONS.query(
  'WHERE team_id=? AND settled_at IS NULL AND due_at<=? ORDER BY due_at, received_at LIMIT ?',
)
const IS_IT = 'WHERE team_id=? AND provider=? AND notification_id=?'
const SETTLE = command(`UPDATE provider_notification SET settled_at=?, sealed=NULL ${IS_IT} AND settled_at IS NULL`)
const RETRY = command(`UPDATE provider_notification SET due_at=?, tries=tries+1 ${IS_IT} AND settled_at IS NULL`)
const HASTEN = command('UPDATE provider_notification SET due_at=? WHERE settled_at IS NULL AND due_at>=?')
const REMOVE_OLD = command('DELETE FROM provider_notification WHERE settled_at<?')

type Key = Pick<NotificationRecord, 'teamId' | 'provider' | 'notificationId'>

export class NotificationStore extends part({
  add: writeAside(add),
  due: read(due),
  settle: writeAside(settle),
  /** Postpones a notification to a later time. */
  retry: writeAside((key: Key, dueAt: EpochMs) => run(RETRY, [dueAt, ...keyValues(key)])),
  /** Makes notifications due now whose due time is at or after this time, because a clock or a provider was wrong. Returns their number. */
  hasten: writeAside((notBefore: EpochMs, now: EpochMs) => run(HASTEN, [now, notBefore])),
  /** Removes the IDs of notifications that were processed before this time. Returns their number. */
  removeOld: writeAside((before: EpochMs) => run(REMOVE_OLD, [before])),
}) {}

/** Stores notifications durably. Returns the number of new ones. */
function* add(notifications: readonly NotificationRecord[]): Steps<number> {
  yield* lockOAuthApps(notifications)
  let added = 0
  for (const { teamId, provider, notificationId, receivedAt, dueAt, tries, sealed } of notifications) {
    added += yield* NOTIFICATIONS.add({
      team_id: teamId,
      provider,
      notification_id: notificationId,
      received_at: receivedAt,
      due_at: dueAt,
      tries,
      sealed,
      settled_at: null,
    })
  }
  return added
}

/** Marks notifications as processed. Their IDs are kept for a week, so that repeated notifications are recognized. */
function* settle(keys: readonly Key[], now: EpochMs): Steps<void> {
  yield* lockOAuthApps(keys)
  for (const key of keys) yield* run(SETTLE, [now, ...keyValues(key)])
}

/** Locks the OAuth apps of these notifications, always in the same order, so that no other write in the store is blocked. */
function* lockOAuthApps(keys: readonly Key[]): Steps<void> {
  const names = new Map(keys.map(key => [`${key.teamId} ${key.provider}`, key]))
  for (const name of [...names.keys()].sort()) {
    const { teamId, provider } = names.get(name) as Key // `names` has this key
    yield* lockOAuthApp(teamId, provider)
  }
}

/** Returns the waiting notifications of one team, oldest first, or of all teams (null), taking each team and provider in turn. */
function* due(now: EpochMs, teamId: TeamId | null, limit: number): Steps<NotificationRecord[]> {
  const first = teamId === null ? yield* many(DUE, [now, limit]) : yield* many(DUE_OF_TEAM, [teamId, now, limit])
  const rows = teamId === null && first.length === limit ? yield* many(DUE_IN_TURN, [now, limit]) : first
  return rows.map(row => ({
    teamId: row.team_id as TeamId,
    provider: row.provider,
    notificationId: row.notification_id,
    receivedAt: row.received_at,
    dueAt: row.due_at,
    tries: row.tries,
    sealed: row.sealed ?? new Uint8Array(),
  }))
}

function keyValues({ teamId, provider, notificationId }: Key): string[] {
  return [teamId, provider, notificationId]
}
