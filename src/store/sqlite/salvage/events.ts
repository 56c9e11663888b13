/** Closes gaps in the numbers of events if some events were lost. */
import { randomUuid, systemRandom } from '../../../core/random.ts'
import { COUNTERS, OUTBOX } from '../../logic/rows/tables.ts'
import type { SqliteDatabase } from '../database.ts'
import type { Losses } from './losses.ts'

interface NumbersRow {
  readonly user_id: string
  readonly team_id: string
  readonly event_sequence: number
  readonly event_floor: number
  readonly first: number | null
  readonly last: number | null
  readonly count: number
}

/** Repairs the numbers. Clients that follow the numbers continue from their position, and no number is reused. */
export function repairEvents(db: SqliteDatabase, losses: Losses): void {
  const users = db.all<NumbersRow>(
    `SELECT user_id, user.team_id, event_sequence, event_floor, min(sequence) AS first, max(sequence) AS last, count(sequence) AS count
     FROM user LEFT JOIN outbox USING (user_id) WHERE sequence IS NULL OR sequence>event_floor GROUP BY user_id
     UNION ALL
     SELECT user_id, team_id, event_sequence, event_floor, NULL, NULL, 0 FROM user
     WHERE EXISTS (SELECT 1 FROM outbox WHERE outbox.user_id=user.user_id)
       AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.user_id=user.user_id AND sequence>event_floor)`,
  )
  for (const user of users) repairUser(db, losses, user)
}

function repairUser(db: SqliteDatabase, losses: Losses, user: NumbersRow): void {
  const { user_id: userId, event_sequence: said, event_floor: floorSaid, first, last, count } = user
  const sequence = Math.max(said, last ?? 0, floorSaid)
  // it cannot be determined whether the earliest events were lost or removed because of their age
  const floor = first === null ? sequence : Math.max(floorSaid, first - 1)
  if (sequence !== said || floor !== floorSaid) {
    setNumbers(db, userId, sequence, floor)
    losses.rebuild('numbers of events', userId)
  }
  if (first === null || sequence - floor === count) return
  for (const number of missing(db, userId, floor, sequence)) addGap(db, user, number)
  losses.rebuild('gaps in the events', userId)
}

function* missing(db: SqliteDatabase, userId: string, floor: number, sequence: number): Generator<number> {
  const rows = db.all<{ sequence: number }>(
    'SELECT sequence FROM outbox WHERE user_id=? AND sequence>? ORDER BY sequence',
    userId,
    floor,
  )
  const there = new Set(rows.map(row => row.sequence))
  for (let number = floor + 1; number <= sequence; number++) if (!there.has(number)) yield number
}

/** Adds an event that is never shown or sent, in place of a lost one. It is removed after the team's retention time. */
function addGap(db: SqliteDatabase, { user_id: userId, team_id: teamId }: NumbersRow, number: number): void {
  const before = db.get<{ at: number }>(
    'SELECT at FROM outbox WHERE user_id=? AND sequence<? ORDER BY sequence DESC LIMIT 1',
    userId,
    number,
  )
  db.drive(
    OUTBOX.insert({
      user_id: userId,
      sequence: number,
      event_id: randomUuid(systemRandom),
      team_id: teamId,
      type: 'svc.lost',
      at: before?.at ?? 0,
      series_id: null,
      n: 0,
      data: null,
      document: '{}',
      arrival: 0,
      client_user_id: null,
      compatibility_date: null,
    }),
  )
}

function setNumbers(db: SqliteDatabase, userId: string, sequence: number, floor: number): void {
  db.drive(COUNTERS.update({ user_id: userId, event_sequence: sequence, event_floor: floor }))
}
