/** Removes events after the number of days that their team has set, by the engine's clock. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { DELIVERY_TABLES } from '../../tables/catalogue.ts'
import { DEFAULT_TEAM_SETTINGS } from '../../team.ts'
import type { Database } from '../database.ts'
import { dropJob, scheduleJob } from '../jobs.ts'
import { requireProgress } from '../rows/damage.ts'
import { COUNTERS, IMPORTS, OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps, send } from '../steps.ts'
import { lockingUser } from '../users/lock.ts'
import { FIND_USER } from '../users/users.ts'
import { freePositions } from './positions.ts'
import { FIND_COUNTERS, FIND_EVENT } from './row.ts'

const KEEP_UNTIL = command(
  `INSERT INTO job (user_id, kind, due_at) VALUES (?, 'retention', ?) ON CONFLICT (user_id, kind) DO NOTHING`,
)
const HASTEN_RETENTION = command(
  `UPDATE job SET due_at=0 WHERE kind='retention' AND user_id IN (SELECT user_id FROM user WHERE team_id=?)`,
)
const DAYS_OF_TEAM = query<{ readonly days: number | null }>('SELECT event_days AS days FROM team WHERE team_id=?')

/**
 * Schedules the removal of an event that is being written, unless an earlier removal is already scheduled. `days` is how long its team
 * keeps events, or null for the default.
 */
export function keepFor(days: number | null, userId: UserId, at: EpochMs): Steps<void> {
  return send(KEEP_UNTIL, [userId, at + DAY_MS * (days ?? DEFAULT_TEAM_SETTINGS.eventDays)])
}

/** Makes the removal due immediately for all of a team's users, because the team's retention time has changed. */
export function* hastenRetention(teamId: TeamId): Steps<void> {
  yield* run(HASTEN_RETENTION, [teamId])
}

/** Number of events removed per transaction, so that others can write in between. */
const SLICE = 100

/**
 * Removes the user's events that are older than the team's retention time, with their delivery rows. Stops at the first event that is newer
 * or still waiting for an endpoint. Events that are needed to undo an import are kept but hidden. Returns how many events were removed or
 * hidden, and schedules the next removal.
 */
export async function removeOldEvents(db: Database, userId: UserId, now: EpochMs): Promise<number> {
  let removed = 0
  for (;;) {
    const slice = await db.write(() => lockingUser(userId, () => removeSlice(userId, now)))
    removed += slice.removed
    if (!slice.hasMore) return removed
  }
}

function* removeSlice(userId: UserId, now: EpochMs): Steps<{ readonly removed: number; readonly hasMore: boolean }> {
  const user = yield* one(FIND_COUNTERS, [userId])
  const team = (yield* one(FIND_USER, [userId]))?.team_id
  if (!user || team === undefined) {
    yield* dropJob(userId, 'retention')
    return { removed: 0, hasMore: false }
  }
  const days = (yield* one(DAYS_OF_TEAM, [team]))?.days ?? DEFAULT_TEAM_SETTINGS.eventDays
  const to = Math.min(user.event_floor + SLICE, user.event_sequence)
  const { last, due } = yield* lastToRemove(userId, { after: user.event_floor, to, now, keptMs: days * DAY_MS })
  const removed = last > user.event_floor ? yield* removeEvents(team, userId, user.event_floor, last) : 0
  if (due !== null) {
    yield* scheduleJob(userId, { kind: 'retention', dueAt: due })
    return { removed, hasMore: false }
  }
  if (to < user.event_sequence) return { removed, hasMore: true }
  yield* dropJob(userId, 'retention')
  return { removed, hasMore: false }
}

const RANGE = 'user_id=? AND sequence>? AND sequence<=?'
// deliveries to an endpoint whose removal was interrupted are never sent (webhooks/kept-deliveries.ts)
const FIRST_WAITING = query<{
  readonly sequence: number
}>(`SELECT sequence FROM delivery WHERE ${RANGE} AND state='waiting'
   AND EXISTS (SELECT 1 FROM endpoint WHERE endpoint.team_id=delivery.team_id AND endpoint.endpoint_id=delivery.endpoint_id
     AND disabled_at IS NULL)
 ORDER BY sequence LIMIT 1`)

/** Returns the number of the last event to remove, and when the next removal is due, or null if all of these events are removed. */
function* lastToRemove(
  userId: UserId,
  {
    after,
    to,
    now,
    keptMs,
  }: { readonly after: number; readonly to: number; readonly now: EpochMs; readonly keptMs: number },
): Steps<{ readonly last: number; readonly due: EpochMs | null }> {
  const young = yield* firstAfter(userId, { after, to, at: now - keptMs })
  const waiting = yield* one(FIRST_WAITING, [userId, after, to])
  // undelivered events must not be lost, so try again tomorrow
  if (waiting && waiting.sequence < (young?.sequence ?? Number.POSITIVE_INFINITY)) {
    return { last: waiting.sequence - 1, due: now + DAY_MS }
  }
  return young ? { last: young.sequence - 1, due: young.at + keptMs } : { last: to, due: null }
}

/** Number of events read at a time to find the first event to keep. */
const READ_AT_ONCE = 50
const NEXT_EVENTS = OUTBOX.query(`WHERE ${RANGE} ORDER BY sequence LIMIT ?`)

function lastBefore(rows: readonly OutboxRow[], before: number): number {
  const last = rows.at(-1)?.sequence ?? before
  requireProgress(last > before, 'events')
  return last
}

/** Returns the first event in a range of numbers that is newer than a time. */
function* firstAfter(
  userId: UserId,
  { after, to, at }: { readonly after: number; readonly to: number; readonly at: EpochMs },
): Steps<OutboxRow | undefined> {
  for (let last = after; ; ) {
    const rows = yield* many(NEXT_EVENTS, [userId, last, to, READ_AT_ONCE])
    const young = rows.find(row => row.at > at)
    if (young || rows.length < READ_AT_ONCE) return young
    last = lastBefore(rows, last)
  }
}

const IMPORTS_OF_USER = IMPORTS.query('WHERE user_id=?')

/** Returns a function that tests whether an event number belongs to an import that can be undone, because undoing it needs its events. */
function* neededEvents(userId: UserId): Steps<(sequence: number) => boolean> {
  const imports = (yield* many(IMPORTS_OF_USER, [userId])).filter(each => each.undone_at === null)
  return sequence => imports.some(each => each.first_sequence < sequence && each.last_sequence >= sequence)
}

const REMOVE_DELIVERIES = DELIVERY_TABLES.map(({ name: table }) => command(`DELETE FROM ${table} WHERE ${RANGE}`))
const NUMBERS = query<{ readonly sequence: number }>(`SELECT sequence FROM outbox WHERE ${RANGE}`)
const REMOVE_EVENT = command('DELETE FROM outbox WHERE user_id=? AND sequence=?')

function* removeEvents(teamId: string, userId: UserId, after: number, to: number): Steps<number> {
  for (const removal of REMOVE_DELIVERIES) yield* run(removal, [userId, after, to])
  const isNeeded = yield* neededEvents(userId)
  let gone = 0
  for (const { sequence } of yield* many(NUMBERS, [userId, after, to])) {
    if (!isNeeded(sequence)) {
      gone += yield* run(REMOVE_EVENT, [userId, sequence])
      continue
    }
    const row = yield* one(FIND_EVENT, [userId, sequence])
    if (row && row.arrival > 0) gone += yield* OUTBOX.update({ ...row, arrival: 0 })
  }
  yield* freePositions(teamId, userId, after, to)
  const counters = yield* one(FIND_COUNTERS, [userId])
  if (counters) yield* COUNTERS.update({ ...counters, event_floor: to })
  return gone
}

/**
 * Removes events that were kept only to undo an import that has now been undone. They are the events after `first`, up to and including
 * `last`.
 */
export function* releaseEvents(userId: UserId, first: number, last: number): Steps<void> {
  const floor = (yield* one(FIND_COUNTERS, [userId]))?.event_floor ?? 0
  const to = Math.min(last, floor)
  for (let from = first; ; ) {
    const rows = yield* many(NEXT_EVENTS, [userId, from, to, READ_AT_ONCE])
    for (const { sequence, arrival } of rows) {
      if (arrival === 0) yield* run(REMOVE_EVENT, [userId, sequence])
    }
    if (rows.length < READ_AT_ONCE) return
    from = lastBefore(rows, from)
  }
}
