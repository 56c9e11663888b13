/**
 * Runs work that is due by the engine's clock. `svc serve` and `run-due` run all due work, and every other command only the due work of its
 * users.
 */
import type { RawInput } from '../../contract/kernel/validation.ts'
import { clockAt } from '../../core/clock.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid, type TeamId, type UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { DueJob, UserJobKind } from '../../store/upkeep.ts'
import { type EngineContext, type Handler, type JobRunOptions, ok, type RanJobs } from '../context.ts'
import { recordedChange } from '../recordings/recorded-change.ts'

/** How long a purge's last step waits for readers of older data, in real time. */
const WAIT_MS = 10_000
/** How long this step waits if the purge runs as part of another call, whose caller is waiting. */
const SHORT_WAIT_MS = 1_000
const JOBS_AT_ONCE = 100

export interface DueReport {
  readonly ran: readonly (RanJobs | { readonly kind: 'scrub'; readonly count: number })[]
  /** Work that could not be completed now and stays due. */
  readonly left: readonly { readonly kind: 'scrub'; readonly reason: string }[]
}

/** Options for running the jobs of all users and the jobs of the store. */
export interface DueOptions extends JobRunOptions {
  readonly waitMs?: number
}

/** Runs due work. Can be called repeatedly and by several processes at once, because the store determines which process runs each job. */
export async function runDueJobs(engine: EngineContext, options: DueOptions): Promise<DueReport> {
  const ran = await (engine.apart?.jobs(options) ?? runUserJobs(engine, options))
  const purged = ran.find(({ kind }) => kind === 'purge')?.count ?? 0
  if (!(await scrubIsDue(engine, options, purged))) return { ran, left: [] }
  const outcome = await engine.store.upkeep.scrub({ waitMs: options.waitMs ?? WAIT_MS, signal: options.signal })
  if (outcome === 'clean') return { ran: [...ran, { kind: 'scrub', count: 1 }], left: [] }
  const reason = 'another process still reads older data of the store, or writes to it'
  return { ran, left: [{ kind: 'scrub', reason }] }
}

/** Runs users' due jobs. This does not include the scrub, which is a job of the store. */
export async function runUserJobs(engine: EngineContext, options: JobRunOptions): Promise<readonly RanJobs[]> {
  const purged = await runPurges(engine, options)
  const ran: RanJobs[] = purged > 0 ? [{ kind: 'purge', count: purged }] : []
  const damages: ServiceError[] = []
  for (const [kind] of RUNNERS) {
    const count = await runKind(engine, kind, options, damages)
    if (count > 0) ran.push({ kind, count })
  }
  if (damages[0]) throw damages[0]
  return ran
}

async function runPurges(engine: EngineContext, options: JobRunOptions): Promise<number> {
  const { now, userIds, signal } = options
  const tried = new Set<UserId>()
  let purged = 0
  for (;;) {
    const jobs = await engine.store.jobs.due(now, userIds, JOBS_AT_ONCE, 'purge')
    const fresh = jobs.flatMap(job => (job.userId === null || tried.has(job.userId) ? [] : [job.userId]))
    if (fresh.length === 0) return purged
    for (const userId of fresh) {
      signal?.throwIfAborted()
      if (await isOutdated(engine, now)) return purged
      tried.add(userId)
      if (await runRecorded(engine, { userId, kind: 'purge', dueAt: now }, options)) purged++
    }
  }
}

/** Returns whether the clock is now earlier than this run's time, for example after a restore. If so, due work must be queried again. */
async function isOutdated(engine: EngineContext, now: EpochMs): Promise<boolean> {
  return clockAt(await engine.store.clock.read(), engine.time.now()) < now
}

/** Runs one job. Returns whether the job was still due: if two processes try to run it, the second one finds that it is done. */
type JobRunner = (engine: EngineContext, job: UserJob, options: JobOptions) => Promise<boolean>
export type UserJob = DueJob & { readonly userId: UserId }
type JobOptions = Pick<JobRunOptions, 'now' | 'signal'>

/** The function for each kind of job. Jobs run in this order. Purges come first, because they remove a user's other jobs. */
const RUNNERS: readonly (readonly [Exclude<UserJobKind, 'purge'>, JobRunner])[] = [
  [
    'demo_end',
    async (engine, { userId }, options) => {
      const { runDemoEnd } = await import('../links/demo.ts')
      return runDemoEnd(engine, userId, options)
    },
  ],
  [
    'demo_data',
    async (engine, { userId, subject, dueAt }, { now }) => {
      const { runDemoData } = await import('../links/demo.ts')
      return subject !== undefined && runDemoData(engine, { userId, provider: subject, dueAt }, now)
    },
  ],
  [
    'order',
    async (engine, { userId, subject }, { now }) => {
      const { advanceOrder } = await import('../orders/advance.ts')
      return subject !== undefined && advanceOrder(engine, userId, subject, now)
    },
  ],
  ['pause', (engine, { userId }, { now }) => engine.store.connections.pause(userId, now)],
  [
    'refresh',
    async (engine, { userId, subject }, { now }) => {
      const { runRefresh } = await import('../connections/refresh.ts')
      return subject !== undefined && runRefresh(engine, userId, subject, now)
    },
  ],
  [
    'continuous_query',
    async (engine, { userId, subject }, { now, signal }) => {
      const { runContinuousQuery } = await import('../continuous/run.ts')
      return subject !== undefined && runContinuousQuery(engine, userId, subject, { now, signal })
    },
  ],
  ['retention', async (engine, { userId }, { now }) => (await engine.store.events.removeOld(userId, now)) > 0],
]

/** Runs one job if it is still due according to the store. Returns false if it was already done. */
export async function runJob(engine: EngineContext, job: UserJob, options: JobOptions): Promise<boolean> {
  if (job.kind === 'purge') {
    const { revokeAll } = await import('../live/revoke.ts')
    await revokeAll(engine, job.userId)
    return engine.store.users.purge(job.userId, options.now, options.signal)
  }
  const run = RUNNERS.find(([kind]) => kind === job.kind)?.[1]
  return run ? run(engine, job, options) : false
}

/** Runs one job, and records it during a recording. */
async function runRecorded(engine: EngineContext, job: UserJob, options: JobOptions): Promise<boolean> {
  const real = engine.time.now()
  const recording = await engine.store.recordings.state(real)
  if (recording === null) return runJob(engine, job, options)
  const { now } = options
  const due = { kind: job.kind, user_id: job.userId, subject: job.subject, due_at: job.dueAt }
  return runJob(recordedChange(engine, recording.recordingId, { now, real, line: { now, due } }).engine, job, options)
}

/** Runs each job once. A job stays due if another process is working on it or if it finds damage. Damage does not block other jobs. */
async function runKind(
  engine: EngineContext,
  kind: UserJobKind,
  options: JobRunOptions,
  damages: ServiceError[],
): Promise<number> {
  const tried = new Set<string>()
  let ran = 0
  for (;;) {
    const jobs = await engine.store.jobs.due(options.now, options.userIds, JOBS_AT_ONCE + tried.size, kind)
    const fresh = jobs.filter(job => !tried.has(jobName(job)))
    if (fresh.length === 0) return ran
    for (const job of fresh) {
      options.signal?.throwIfAborted()
      if (await isOutdated(engine, options.now)) return ran
      tried.add(jobName(job))
      if (job.userId === null) continue
      try {
        if (await runRecorded(engine, job as UserJob, options)) ran++
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'data_damaged')) throw error
        damages.push(error)
      }
    }
  }
}

function jobName(job: DueJob): string {
  return `${job.userId} ${job.subject ?? ''}`
}

/** Returns whether to scrub. Traces are removed once per run, for all users. */
async function scrubIsDue(engine: EngineContext, options: DueOptions, purged: number): Promise<boolean> {
  if (options.userIds !== null) return purged > 0
  const kinds = ['scrub', 'truncate'] as const
  const jobs = await Promise.all(kinds.map(kind => engine.store.jobs.due(options.now, null, 1, kind)))
  return jobs.some(each => each.length > 0)
}

/**
 * Runs the overdue work of a call's users, who are found by user_id, client_user_id or an order ID. Work that cannot be done now stays due
 * and does not make the call fail.
 */
export async function runOverdueJobs(
  engine: EngineContext,
  { teamId, input, now }: { readonly teamId: TeamId; readonly input: RawInput; readonly now: () => Promise<EpochMs> },
): Promise<void> {
  const named = (field: string): string[] =>
    [input.params, input.query, input.body].flatMap(part => {
      const value = (part as Readonly<Record<string, unknown>> | null | undefined)?.[field]
      return typeof value === 'string' && value !== '' ? [value] : []
    })
  try {
    const userIds = named('user_id')
      .filter(isUuid)
      .map(id => id.toLowerCase() as UserId)
    for (const orderId of named('order_id').filter(isUuid)) {
      const order = await engine.store.orders.find(teamId, orderId.toLowerCase())
      if (order) userIds.push(order.userId)
    }
    for (const name of named('client_user_id')) {
      const deleted = await engine.store.users.latestDeletion(teamId, name)
      if (deleted) userIds.push(deleted)
    }
    if (userIds.length === 0) return
    await runDueJobs(engine, { now: await now(), userIds, waitMs: SHORT_WAIT_MS })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

export const runDue: Handler<'engine.run_due'> = async (engine, _input, call) => {
  try {
    const { ran, left } = await runDueJobs(engine, { now: call.now, userIds: null, signal: call.signal })
    const { runLiveDue } = await import('../live/due-live.ts')
    const live = await runLiveDue(engine, call.signal)
    return ok({ ran: [...ran, ...live, ...(await removeOld(engine, call.signal))], left: [...left] })
  } catch (error) {
    if (!call.signal?.aborted) throw error
    throw new ServiceError('cancelled', 'Cancelled: unfinished work stays due.', { cause: error })
  }
}

/** Removes what is kept for a limited time. */
async function removeOld(
  engine: EngineContext,
  signal?: AbortSignal,
): Promise<readonly { readonly kind: string; readonly count: number }[]> {
  const { removeOldExchanges } = await import('../deliveries/exchange.ts')
  const { removeOldResponses } = await import('../idempotency/once.ts')
  const { removeOldFiles } = await import('../intake/kept-file.ts')
  const removed = [
    { kind: 'delivery_exchange', count: await removeOldExchanges(engine, signal) },
    { kind: 'keyed_response', count: await removeOldResponses(engine, signal) },
    { kind: 'import_file', count: await removeOldFiles(engine, signal) },
  ]
  return removed.filter(({ count }) => count > 0)
}
