/** Stores jobs as rows: work that becomes due at a given time by the engine's clock. See docs/storage.md. */
import { clockAt } from '../../core/clock.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { DueJob, JobQuery, ListedJob, UserJobKind } from '../upkeep.ts'
import { part, read } from './part.ts'
import { command, exists, facts, many, one, query, run, type Steps } from './steps.ts'
import { readClock } from './teams/settings.ts'

/** The owner of jobs that concern the whole store. */
const NOBODY = ''
/** Jobs that concern the whole store: rebuilding the file, and truncating its WAL. */
export type StoreJob = 'scrub' | 'truncate'

interface JobRow {
  readonly user_id: string
  readonly kind: string
  readonly due_at: number
}

interface ListedRow extends JobRow {
  readonly user_id: UserId
  readonly client_user_id: string
}

const COLUMNS = 'SELECT user_id, kind, due_at FROM job WHERE'
/** A job about one of several things has the thing's ID after its kind. */
const OF_KIND = "AND (kind=? OR substr(kind, 1, length(?)+1)=?||':')"
const IN_ORDER = 'ORDER BY due_at, user_id, kind LIMIT ?'
const ALL_DUE = query<JobRow>(`${COLUMNS} due_at<=? ${IN_ORDER}`)
const ALL_DUE_OF_KIND = query<JobRow>(`${COLUMNS} due_at<=? ${OF_KIND} ${IN_ORDER}`)
const DUE = query<JobRow>(`${COLUMNS} user_id=? AND due_at<=?`)
const DUE_OF_KIND = query<JobRow>(`${COLUMNS} user_id=? AND due_at<=? ${OF_KIND}`)
const LIST = `SELECT user_id, kind, due_at, client_user_id FROM job JOIN user USING (user_id)
  WHERE team_id=? AND (due_at, user_id, kind)>(?,?,?)`
const JOBS_OF_TEAM = query<ListedRow>(`${LIST} ${IN_ORDER}`)
const JOBS_OF_TEAM_AND_KIND = query<ListedRow>(`${LIST} ${OF_KIND} ${IN_ORDER}`)
const REQUEST_JOB = command(
  `INSERT INTO job (user_id, kind, due_at) VALUES (?,?,?)
   ON CONFLICT (user_id, kind) DO UPDATE SET
     due_at=CASE WHEN excluded.due_at<job.due_at THEN excluded.due_at ELSE job.due_at END`,
)
const MOVE_JOB = command('UPDATE job SET due_at=? WHERE user_id=? AND kind=?')
const SCHEDULE_JOB = command(
  `INSERT INTO job (user_id, kind, due_at) VALUES (?,?,?)
   ON CONFLICT (user_id, kind) DO UPDATE SET due_at=excluded.due_at`,
)
const DUE_JOB = query('SELECT 1 FROM job WHERE user_id=? AND kind=? AND due_at<=?')
const DROP_JOB = command('DELETE FROM job WHERE user_id=? AND kind=?')
const DROP_JOBS = command('DELETE FROM job WHERE user_id=?')
const REQUEST_STORE_JOB = command(
  `INSERT INTO job (user_id, kind, due_at) VALUES ('${NOBODY}',?,1)
   ON CONFLICT (user_id, kind) DO UPDATE SET due_at=job.due_at+1`,
)
const STORE_JOB = query<Pick<JobRow, 'due_at'>>(`SELECT due_at FROM job WHERE user_id='${NOBODY}' AND kind=?`)
const SETTLE_STORE_JOB = command(`DELETE FROM job WHERE user_id='${NOBODY}' AND kind=? AND due_at=?`)

export class JobStore extends part({
  due: read(dueJobs),
  list: read(jobsOfTeam),
}) {}

/**
 * Returns due jobs, earliest first, for the given users, or for all users and the store (null). The jobs are of one kind or of every kind.
 */
function* dueJobs(
  now: EpochMs,
  userIds: readonly UserId[] | null,
  limit: number,
  kind?: DueJob['kind'],
): Steps<DueJob[]> {
  const ofKind = kind === undefined ? [] : [kind, kind, kind]
  if (userIds === null) {
    const rows = yield* many(kind === undefined ? ALL_DUE : ALL_DUE_OF_KIND, [now, ...ofKind, limit])
    return rows.map(dueJob)
  }
  const found: JobRow[] = []
  for (const userId of userIds) {
    found.push(...(yield* many(kind === undefined ? DUE : DUE_OF_KIND, [userId, now, ...ofKind])))
  }
  return found
    .sort((a, b) => a.due_at - b.due_at)
    .slice(0, limit)
    .map(dueJob)
}

function dueJob({ user_id, kind, due_at: dueAt }: JobRow): DueJob {
  const userId = user_id === NOBODY ? null : (user_id as UserId)
  const [name, subject] = kind.split(':') as [DueJob['kind'], string?]
  return { userId, kind: name, ...(subject === undefined ? {} : { subject }), dueAt }
}

/** Returns the jobs of the team's users, due or not, earliest first. */
function* jobsOfTeam(teamId: TeamId, { kind, after, limit }: JobQuery): Steps<ListedJob[]> {
  const from = after === null ? [Number.MIN_SAFE_INTEGER, '', ''] : [after.dueAt, after.userId, after.name]
  const rows =
    kind === null
      ? yield* many(JOBS_OF_TEAM, [teamId, ...from, limit])
      : yield* many(JOBS_OF_TEAM_AND_KIND, [teamId, ...from, kind, kind, kind, limit])
  return rows.map(({ user_id: userId, client_user_id: clientUserId, kind: name, due_at: dueAt }) => {
    const [known, subject] = name.split(':') as [UserJobKind, string?] // jobs of the store have no user
    return { userId, clientUserId, kind: known, subject: subject ?? null, dueAt }
  })
}

/** Returns a job's kind as stored, including the job's subject. */
function keptKind(kind: UserJobKind, subject: string | undefined): string {
  return subject === undefined ? kind : `${kind}:${subject}`
}

/** Returns the kind of the job that runs a continuous query for a user. */
export function queryJob(queryId: string): string {
  return `continuous_query:${queryId}`
}

/** Makes the job due. A job that is already due earlier is not changed. */
export function* requestQueryJob(userId: UserId, queryId: string, dueAt: EpochMs): Steps<void> {
  yield* run(REQUEST_JOB, [userId, queryJob(queryId), dueAt])
}

export function* moveQueryJob(userId: UserId, queryId: string, dueAt: EpochMs): Steps<void> {
  yield* run(MOVE_JOB, [dueAt, userId, queryJob(queryId)])
}

/** Makes the job due at the given time, replacing any earlier due time. */
export function* scheduleJob(
  userId: UserId,
  { kind, subject, dueAt }: { readonly kind: UserJobKind; readonly subject?: string; readonly dueAt: EpochMs },
): Steps<void> {
  yield* run(SCHEDULE_JOB, [userId, keptKind(kind, subject), dueAt])
}

/**
 * Returns whether the job exists and is due, also by the store's current clock. After a restore to an earlier time, the caller's `now`
 * would run a restored job too early.
 */
export function* jobIsDue(
  userId: UserId,
  { kind, subject, now }: { readonly kind: UserJobKind; readonly subject?: string; readonly now: EpochMs },
): Steps<boolean> {
  const { realNow } = yield* facts()
  const until = Math.min(now, clockAt(yield* readClock(), realNow))
  return yield* exists(DUE_JOB, [userId, keptKind(kind, subject), until])
}

/** Removes the job, because it is done or no longer needed. */
export function* dropJob(userId: UserId, kind: UserJobKind, subject?: string): Steps<void> {
  yield* run(DROP_JOB, [userId, keptKind(kind, subject)])
}

/** Removes all of the user's jobs. Returns whether there were any. */
export function* dropJobs(userId: UserId): Steps<boolean> {
  return (yield* run(DROP_JOBS, [userId])) > 0
}

/**
 * Requests work on the whole store, which is always due immediately. Its `due_at` is not a time but counts the requests, so that a process
 * that has done the work can see whether it was requested again in the meantime.
 */
export function* requestStoreJob(kind: StoreJob): Steps<void> {
  yield* run(REQUEST_STORE_JOB, [kind])
}

/** Returns how often the work was requested, or null if it was never requested. */
export function* storeJobRequest(kind: StoreJob): Steps<number | null> {
  const row = yield* one(STORE_JOB, [kind])
  return row?.due_at ?? null
}

/** Marks the work as done for this request. The job stays if the work was requested again. */
export function* settleStoreJob(kind: StoreJob, request: number): Steps<void> {
  yield* run(SETTLE_STORE_JOB, [kind, request])
}
