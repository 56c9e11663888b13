/** Jobs as rows: work that falls due at a time of the engine's clock. See docs/storage.md. */
import { clockAt } from '../../core/clock.ts'
import type { UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { DueJob, UserJobKind } from '../upkeep.ts'
import type { Connection } from './connection.ts'
import { readClock } from './teams/settings.ts'

/** The owner of jobs of the whole store. */
const NOBODY = ''
/** Jobs of the whole store: rebuilding the file, and truncating its WAL. */
export type StoreJob = 'scrub' | 'truncate'

interface JobRow {
  readonly user_id: string
  readonly kind: string
  readonly due_at: number
}

/** Returns due jobs, earliest first: of the given users, or of all users and the store itself (null); of one kind, or of every kind. */
export function dueJobs(
  db: Connection,
  now: EpochMs,
  userIds: readonly UserId[] | null,
  limit: number,
  kind: DueJob['kind'] | null = null,
): DueJob[] {
  // a job about one of several things names it after its kind
  const ofKind = "(? IS NULL OR kind=? OR substr(kind, 1, length(?)+1)=?||':')"
  const rows =
    userIds === null
      ? db.all<JobRow>(
          `SELECT user_id, kind, due_at FROM job WHERE due_at<=? AND ${ofKind} ORDER BY due_at, user_id, kind LIMIT ?`,
          now,
          kind,
          kind,
          kind,
          kind,
          limit,
        )
      : userIds
          .flatMap(userId =>
            db.all<JobRow>(
              `SELECT user_id, kind, due_at FROM job WHERE user_id=? AND due_at<=? AND ${ofKind}`,
              userId,
              now,
              kind,
              kind,
              kind,
              kind,
            ),
          )
          .sort((a, b) => a.due_at - b.due_at)
          .slice(0, limit)
  return rows.map(dueJob)
}

function dueJob({ user_id, kind, due_at: dueAt }: JobRow): DueJob {
  const userId = user_id === NOBODY ? null : (user_id as UserId)
  const [name, subject] = kind.split(':') as [DueJob['kind'], string?]
  return { userId, kind: name, ...(subject === undefined ? {} : { subject }), dueAt }
}

/** Returns the kind of the job that runs a continuous query for a user. */
export function queryJob(queryId: string): string {
  return `continuous_query:${queryId}`
}

/** Makes the job due. One that is due earlier stays as it is. */
export function requestQueryJob(db: Connection, userId: UserId, queryId: string, dueAt: EpochMs): void {
  db.run(
    `INSERT INTO job (user_id, kind, due_at) VALUES (?,?,?)
     ON CONFLICT (user_id, kind) DO UPDATE SET due_at=min(due_at, excluded.due_at)`,
    userId,
    queryJob(queryId),
    dueAt,
  )
}

export function moveQueryJob(db: Connection, userId: UserId, queryId: string, dueAt: EpochMs): void {
  db.run('UPDATE job SET due_at=? WHERE user_id=? AND kind=?', dueAt, userId, queryJob(queryId))
}

/** Makes runs of continuous queries due that wait for the gap after a run that is now in the future, because the clock was set back. */
export function hastenQueryJobs(db: Connection, now: EpochMs): void {
  db.run(
    `UPDATE job SET due_at=? WHERE due_at>? AND EXISTS (SELECT 1 FROM continuous_state AS state
       WHERE state.user_id=job.user_id AND job.kind=?||state.query_id AND last_run_at>?)`,
    now,
    now,
    queryJob(''),
    now,
  )
}

/** Returns the kind of a job as it is stored, with what the job is about. */
function keptKind(kind: UserJobKind, subject: string | undefined): string {
  return subject === undefined ? kind : `${kind}:${subject}`
}

/** Makes the job due at a time, in place of any other time at which it was due. */
export function scheduleJob(
  db: Connection,
  userId: UserId,
  { kind, subject, dueAt }: { readonly kind: UserJobKind; readonly subject?: string; readonly dueAt: EpochMs },
): void {
  db.run(
    `INSERT INTO job (user_id, kind, due_at) VALUES (?,?,?)
     ON CONFLICT (user_id, kind) DO UPDATE SET due_at=excluded.due_at`,
    userId,
    keptKind(kind, subject),
    dueAt,
  )
}

/**
 * Returns whether the job exists and is due, by the clock of the store as it is now too: a restore may have brought back an earlier time,
 * and with it a job that the caller's `now` would run too early.
 */
export function jobIsDue(
  db: Connection,
  userId: UserId,
  { kind, subject, now }: { readonly kind: UserJobKind; readonly subject?: string; readonly now: EpochMs },
): boolean {
  const sql = 'SELECT 1 FROM job WHERE user_id=? AND kind=? AND due_at<=?'
  const until = Math.min(now, clockAt(readClock(db), db.realNow()))
  return db.get(sql, userId, keptKind(kind, subject), until) !== undefined
}

/** Removes the job, because it is done or no longer wanted. */
export function dropJob(db: Connection, userId: UserId, kind: UserJobKind, subject?: string): void {
  db.run('DELETE FROM job WHERE user_id=? AND kind=?', userId, keptKind(kind, subject))
}

/** Removes every job of the user. Returns whether there was one. */
export function dropJobs(db: Connection, userId: UserId): boolean {
  return db.run('DELETE FROM job WHERE user_id=?', userId) > 0
}

/**
 * Requests work on the whole store, which is due at once whatever the clock says. Its `due_at` is not a time but a count of requests:
 * a process that did the work can tell whether it was requested again in the meantime.
 */
export function requestStoreJob(db: Connection, kind: StoreJob): void {
  db.run(
    `INSERT INTO job (user_id, kind, due_at) VALUES (?,?,1)
     ON CONFLICT (user_id, kind) DO UPDATE SET due_at=due_at+1`,
    NOBODY,
    kind,
  )
}

/** Returns how often the work was requested, or null if it was not. */
export function storeJobRequest(db: Connection, kind: StoreJob): number | null {
  const row = db.get<{ due_at: number }>('SELECT due_at FROM job WHERE user_id=? AND kind=?', NOBODY, kind)
  return row?.due_at ?? null
}

/** Marks the work as done for this request. The job stays if it was requested again. */
export function settleStoreJob(db: Connection, kind: StoreJob, request: number): void {
  db.run('DELETE FROM job WHERE user_id=? AND kind=? AND due_at=?', NOBODY, kind, request)
}
