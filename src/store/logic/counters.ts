/** Stores counters as rows: one for each team, hour, name and subject. */
import type { TeamId } from '../../core/ids.ts'
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/time.ts'
import type { Count, DayCount } from '../team.ts'
import { agingRows, removeOldRows } from './aging.ts'
import { onDatabase, part, read, writeAside } from './part.ts'
import { command, many, query, type Steps, send } from './steps.ts'

const ADD = command(
  `INSERT INTO counter (team_id, hour, name, subject, n) VALUES (?,?,?,?,?)
   ON CONFLICT (team_id, hour, name, subject) DO UPDATE SET n=counter.n+excluded.n`,
)
const daily = (where: string) =>
  query<DayCount>(
    `SELECT hour - hour % ${DAY_MS} AS day, name, sum(n) AS n FROM counter
     WHERE team_id=? AND hour>=? ${where} GROUP BY hour - hour % ${DAY_MS}, name`,
  )
const DAILY = { all: daily(''), ofSubject: daily('AND subject=?') }
const OLD_COUNTS = agingRows('counter', 'hour')

export class CounterStore extends part({
  add: writeAside(addCounts),
  daily: read(dailyCounts),
  /** Removes the counts of hours that began before this time. Returns the number of removed rows. */
  removeOld: onDatabase((db, before: EpochMs, signal?: AbortSignal) => removeOldRows(db, OLD_COUNTS, before, signal)),
}) {}

/** Adds counts to the hour of a real time. */
function* addCounts(counts: readonly Count[], at: EpochMs): Steps<void> {
  const hour = at - (at % HOUR_MS)
  for (const { teamId, name, subject, n } of counts) yield* send(ADD, [teamId, hour, name, subject, n])
}

/** Returns a team's sums by UTC day since a time, for all subjects or for one. */
function* dailyCounts(teamId: TeamId, since: EpochMs, subject: string | null): Steps<DayCount[]> {
  return subject === null
    ? yield* many(DAILY.all, [teamId, since])
    : yield* many(DAILY.ofSubject, [teamId, since, subject])
}
