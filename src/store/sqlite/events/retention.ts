/** How long events are kept: as many days as their team says, by the engine's clock. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { DEFAULT_TEAM_SETTINGS } from '../../team.ts'
import type { Connection } from '../connection.ts'
import { dropJob, scheduleJob } from '../jobs.ts'

const DAYS = `coalesce((SELECT event_days FROM team WHERE team_id=?), ${DEFAULT_TEAM_SETTINGS.eventDays})`

/** Makes the removal of an event due that was written now, unless that of an earlier one is. */
export function keepUntil(connection: Connection, teamId: TeamId, userId: UserId, at: EpochMs): void {
  connection.run(
    `INSERT INTO job (user_id, kind, due_at) VALUES (?, 'retention', ?+${DAY_MS}*${DAYS}) ON CONFLICT (user_id, kind) DO NOTHING`,
    userId,
    at,
    teamId,
  )
}

/** Makes the removal due for all users of a team: how long it keeps events has changed. */
export function hastenRetention(connection: Connection, teamId: TeamId): void {
  const sql = `UPDATE job SET due_at=0 WHERE kind='retention' AND user_id IN (SELECT user_id FROM user WHERE team_id=?)`
  connection.run(sql, teamId)
}

/** Events removed in one transaction: others write between two. */
const SLICE = 100

/** See the port. */
export async function removeOldEvents(connection: Connection, userId: UserId, now: EpochMs): Promise<number> {
  let removed = 0
  for (;;) {
    const slice = await connection.write(() => removeSlice(connection, userId, now))
    removed += slice.removed
    if (!slice.hasMore) return removed
  }
}

interface UserRow {
  readonly event_sequence: number
  readonly event_floor: number
  readonly days: number
}

function removeSlice(
  connection: Connection,
  userId: UserId,
  now: EpochMs,
): { readonly removed: number; readonly hasMore: boolean } {
  const user = connection.get<UserRow>(
    `SELECT event_sequence, event_floor, coalesce(event_days, ${DEFAULT_TEAM_SETTINGS.eventDays}) AS days
     FROM user JOIN team USING (team_id) WHERE user_id=?`,
    userId,
  )
  if (!user) {
    dropJob(connection, userId, 'retention')
    return { removed: 0, hasMore: false }
  }
  const to = Math.min(user.event_floor + SLICE, user.event_sequence)
  const { last, due } = oldOf(connection, userId, { after: user.event_floor, to, now, keptMs: user.days * DAY_MS })
  const removed = last > user.event_floor ? removeEvents(connection, userId, user.event_floor, last) : 0
  if (due !== null) {
    scheduleJob(connection, userId, { kind: 'retention', dueAt: due })
    return { removed, hasMore: false }
  }
  if (to < user.event_sequence) return { removed, hasMore: true }
  dropJob(connection, userId, 'retention')
  return { removed, hasMore: false }
}

/** Number of the last event that goes, and when the next one will; null where all of these go. */
function oldOf(
  connection: Connection,
  userId: UserId,
  {
    after,
    to,
    now,
    keptMs,
  }: { readonly after: number; readonly to: number; readonly now: EpochMs; readonly keptMs: number },
): { readonly last: number; readonly due: EpochMs | null } {
  const range = 'user_id=? AND sequence>? AND sequence<=?'
  const young = connection.get<{ sequence: number; at: number }>(
    `SELECT sequence, at FROM outbox WHERE ${range} AND at>? ORDER BY sequence LIMIT 1`,
    userId,
    after,
    to,
    now - keptMs,
  )
  // those of an endpoint whose removal was cut off are never sent (webhooks/kept-deliveries.ts)
  const waiting = connection.get<{ sequence: number }>(
    `SELECT sequence FROM delivery WHERE ${range} AND state='waiting'
       AND EXISTS (SELECT 1 FROM endpoint WHERE endpoint.team_id=delivery.team_id AND endpoint.endpoint_id=delivery.endpoint_id
         AND disabled_at IS NULL)
     ORDER BY sequence LIMIT 1`,
    userId,
    after,
    to,
  )
  // what was not delivered yet is not lost: another look tomorrow
  if (waiting && waiting.sequence < (young?.sequence ?? Number.POSITIVE_INFINITY)) {
    return { last: waiting.sequence - 1, due: now + DAY_MS }
  }
  return young ? { last: young.sequence - 1, due: young.at + keptMs } : { last: to, due: null }
}

/** An import that can be undone is undone by its events. */
const IS_NEEDED = `EXISTS (SELECT 1 FROM import WHERE import.user_id=outbox.user_id AND undone_at IS NULL
  AND first_sequence<outbox.sequence AND last_sequence>=outbox.sequence)`

function removeEvents(connection: Connection, userId: UserId, after: number, to: number): number {
  const range = 'user_id=? AND sequence>? AND sequence<=?'
  for (const table of ['failed_attempt', 'delivery']) {
    connection.run(`DELETE FROM ${table} WHERE ${range}`, userId, after, to)
  }
  const hidden = connection.run(
    `UPDATE outbox SET arrival=0 WHERE ${range} AND arrival>0 AND ${IS_NEEDED}`,
    userId,
    after,
    to,
  )
  const removed = connection.run(`DELETE FROM outbox WHERE ${range} AND NOT ${IS_NEEDED}`, userId, after, to)
  connection.run('UPDATE user SET event_floor=? WHERE user_id=?', to, userId)
  return hidden + removed
}

/** Removes what was kept for the undoing of an import that is undone now: its events are those after `first`, up to `last`. */
export function releaseEvents(connection: Connection, userId: UserId, first: number, last: number): void {
  connection.run(
    `DELETE FROM outbox WHERE user_id=? AND sequence>? AND sequence<=? AND arrival=0
       AND sequence<=(SELECT event_floor FROM user WHERE user.user_id=outbox.user_id)`,
    userId,
    first,
    last,
  )
}
