/** How long events are kept: as many days as their team has set, by the engine's clock. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { DEFAULT_TEAM_SETTINGS } from '../../team.ts'
import { requireProgress } from '../checksums/damage.ts'
import { COUNTERS, IMPORTS, OUTBOX, type OutboxRow, USERS } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { dropJob, scheduleJob } from '../jobs.ts'

const DAYS = `coalesce((SELECT event_days FROM team WHERE team_id=?), ${DEFAULT_TEAM_SETTINGS.eventDays})`

/** Makes the removal of an event that was written now due, unless that of an earlier one already is. */
export function keepUntil(db: Connection, teamId: TeamId, userId: UserId, at: EpochMs): void {
  db.run(
    `INSERT INTO job (user_id, kind, due_at) VALUES (?, 'retention', ?+${DAY_MS}*${DAYS}) ON CONFLICT (user_id, kind) DO NOTHING`,
    userId,
    at,
    teamId,
  )
}

/** Makes the removal due for all users of a team, because how long it keeps events has changed. */
export function hastenRetention(db: Connection, teamId: TeamId): void {
  const sql = `UPDATE job SET due_at=0 WHERE kind='retention' AND user_id IN (SELECT user_id FROM user WHERE team_id=?)`
  db.run(sql, teamId)
}

/** Number of events removed in one transaction, so that others can write in between. */
const SLICE = 100

/** See the port. */
export async function removeOldEvents(db: Connection, userId: UserId, now: EpochMs): Promise<number> {
  let removed = 0
  for (;;) {
    const slice = await db.write(() => removeSlice(db, userId, now))
    removed += slice.removed
    if (!slice.hasMore) return removed
  }
}

function removeSlice(
  db: Connection,
  userId: UserId,
  now: EpochMs,
): { readonly removed: number; readonly hasMore: boolean } {
  const user = COUNTERS.get(db, 'WHERE user_id=?', userId)
  const team = USERS.get(db, 'WHERE user_id=?', userId)?.team_id
  if (!user || team === undefined) {
    dropJob(db, userId, 'retention')
    return { removed: 0, hasMore: false }
  }
  const days = db.get<{ days: number }>(`SELECT ${DAYS} AS days`, team)?.days ?? DEFAULT_TEAM_SETTINGS.eventDays
  const to = Math.min(user.event_floor + SLICE, user.event_sequence)
  const { last, due } = oldOf(db, userId, { after: user.event_floor, to, now, keptMs: days * DAY_MS })
  const removed = last > user.event_floor ? removeEvents(db, userId, user.event_floor, last) : 0
  if (due !== null) {
    scheduleJob(db, userId, { kind: 'retention', dueAt: due })
    return { removed, hasMore: false }
  }
  if (to < user.event_sequence) return { removed, hasMore: true }
  dropJob(db, userId, 'retention')
  return { removed, hasMore: false }
}

/** Returns the number of the last event to be removed, and when the next removal is due; null if all of these are removed. */
function oldOf(
  db: Connection,
  userId: UserId,
  {
    after,
    to,
    now,
    keptMs,
  }: { readonly after: number; readonly to: number; readonly now: EpochMs; readonly keptMs: number },
): { readonly last: number; readonly due: EpochMs | null } {
  const range = 'user_id=? AND sequence>? AND sequence<=?'
  const young = firstAfter(db, userId, { after, to, at: now - keptMs })
  // deliveries to an endpoint whose removal was interrupted are never sent (webhooks/kept-deliveries.ts)
  const waiting = db.get<{ sequence: number }>(
    `SELECT sequence FROM delivery WHERE ${range} AND state='waiting'
       AND EXISTS (SELECT 1 FROM endpoint WHERE endpoint.team_id=delivery.team_id AND endpoint.endpoint_id=delivery.endpoint_id
         AND disabled_at IS NULL)
     ORDER BY sequence LIMIT 1`,
    userId,
    after,
    to,
  )
  // what has not been delivered yet must not be lost: look again tomorrow
  if (waiting && waiting.sequence < (young?.sequence ?? Number.POSITIVE_INFINITY)) {
    return { last: waiting.sequence - 1, due: now + DAY_MS }
  }
  return young ? { last: young.sequence - 1, due: young.at + keptMs } : { last: to, due: null }
}

/** Number of events read at once to find the first young one. */
const READ_AT_ONCE = 50

function lastOf(rows: readonly OutboxRow[], before: number): number {
  const last = rows.at(-1)?.sequence ?? before
  requireProgress(last > before, 'events')
  return last
}

/** Returns the first event within a range of numbers that is younger than a time. */
function firstAfter(
  db: Connection,
  userId: UserId,
  { after, to, at }: { readonly after: number; readonly to: number; readonly at: EpochMs },
): OutboxRow | undefined {
  const tail = 'WHERE user_id=? AND sequence>? AND sequence<=? ORDER BY sequence LIMIT ?'
  for (let last = after; ; ) {
    const rows = OUTBOX.all(db, tail, userId, last, to, READ_AT_ONCE)
    const young = rows.find(row => row.at > at)
    if (young || rows.length < READ_AT_ONCE) return young
    last = lastOf(rows, last)
  }
}

/** Returns a test for the numbers of events that belong to imports which can be undone: undoing an import needs its events. */
function neededEvents(db: Connection, userId: UserId): (sequence: number) => boolean {
  const imports = IMPORTS.all(db, 'WHERE user_id=?', userId).filter(each => each.undone_at === null)
  return sequence => imports.some(each => each.first_sequence < sequence && each.last_sequence >= sequence)
}

function removeEvents(db: Connection, userId: UserId, after: number, to: number): number {
  const range = 'user_id=? AND sequence>? AND sequence<=?'
  for (const table of ['failed_attempt', 'delivery']) {
    db.run(`DELETE FROM ${table} WHERE ${range}`, userId, after, to)
  }
  const isNeeded = neededEvents(db, userId)
  let gone = 0
  const numbers = db.all<{ sequence: number }>(`SELECT sequence FROM outbox WHERE ${range}`, userId, after, to)
  for (const { sequence } of numbers) {
    if (!isNeeded(sequence)) {
      gone += db.run('DELETE FROM outbox WHERE user_id=? AND sequence=?', userId, sequence)
      continue
    }
    const row = OUTBOX.get(db, 'WHERE user_id=? AND sequence=?', userId, sequence)
    if (row && row.arrival > 0) gone += OUTBOX.update(db, { ...row, arrival: 0 })
  }
  const counters = COUNTERS.get(db, 'WHERE user_id=?', userId)
  if (counters) COUNTERS.update(db, { ...counters, event_floor: to })
  return gone
}

/** Removes events that were kept only to undo an import, which is undone now. Its events are those after `first`, up to `last`. */
export function releaseEvents(db: Connection, userId: UserId, first: number, last: number): void {
  const floor = COUNTERS.get(db, 'WHERE user_id=?', userId)?.event_floor ?? 0
  const tail = 'WHERE user_id=? AND sequence>? AND sequence<=? ORDER BY sequence LIMIT ?'
  const to = Math.min(last, floor)
  for (let from = first; ; ) {
    const rows = OUTBOX.all(db, tail, userId, from, to, READ_AT_ONCE)
    for (const { sequence, arrival } of rows) {
      if (arrival === 0) db.run('DELETE FROM outbox WHERE user_id=? AND sequence=?', userId, sequence)
    }
    if (rows.length < READ_AT_ONCE) return
    from = lastOf(rows, from)
  }
}
