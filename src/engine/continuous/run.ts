/** Runs a continuous query for a user: reads the touched buckets again, keeps what changed, and tells of it (interface-gaps 4.9). */
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { BegunRun, ResultRow, RunResult } from '../../store/continuous-query.ts'
import type { EngineContext } from '../context.ts'
import { batchOf, type ContinuousBody, planContinuous } from './plan.ts'
import { changesOf, eventsOf, hasColumns, rowsOf } from './rows.ts'
import { rereadingOf } from './windows.ts'

/** Most rows kept a query and user: the limit of an answer. */
const MOST_ROWS = 1_000_000

export interface RunOptions {
  readonly now: EpochMs
  readonly signal?: AbortSignal | undefined
}

/** Runs of this process, by store, user and query: one begun beside another would take it over, and both would be late. */
const underWay = new WeakMap<EngineContext['store'], Map<string, Promise<unknown>>>()

/**
 * Runs what is due of the query for the user, after a run of it that this process is at already. True when a run ended, whatever
 * it came to; false when nothing was due or another process took it over. Throws the signal's reason: then the run is still due.
 */
export async function runContinuousQuery(
  engine: EngineContext,
  userId: UserId,
  queryId: string,
  options: RunOptions,
): Promise<boolean> {
  const runs = underWay.get(engine.store) ?? new Map<string, Promise<unknown>>()
  underWay.set(engine.store, runs)
  const name = `${userId} ${queryId}`
  for (let before = runs.get(name); before; before = runs.get(name)) {
    await before
    options.signal?.throwIfAborted()
  }
  const run = runOnce(engine, userId, queryId, options)
  // how it ends is for who asked for it
  const ended = run.catch(() => {}).finally(() => runs.delete(name))
  runs.set(name, ended)
  return run
}

async function runOnce(
  engine: EngineContext,
  userId: UserId,
  queryId: string,
  { now, signal }: RunOptions,
): Promise<boolean> {
  const began = engine.time.now()
  const begun = await engine.store.continuous.beginRun(userId, queryId, now)
  if (begun.kind !== 'begun') return begun.kind === 'skipped'
  const outcome = await outcomeOf(engine, userId, begun, { now, signal })
  const at = now + Math.max(0, engine.time.now() - began)
  return engine.store.continuous.finishRun(userId, queryId, { ...outcome, rev: begun.rev, at })
}

type Outcome = Omit<RunResult, 'rev' | 'at'>

const NOTHING = { errorDetails: null, changed: [], removed: [], events: [], retry: false } as const

/** What cannot be answered is an outcome too; a run that was cut off is none. */
async function outcomeOf(
  engine: EngineContext,
  userId: UserId,
  begun: BegunRun,
  options: RunOptions,
): Promise<Outcome> {
  try {
    return await evaluate(engine, userId, begun, options)
  } catch (error) {
    if (options.signal?.aborted) throw error
    if (!(error instanceof ServiceError)) {
      return { ...NOTHING, status: 'error', errorDetails: 'an internal error; it is tried again', retry: true }
    }
    // a result without what is damaged would be served as a whole one: the run stays due, and who reads is refused
    if (error.category !== 'usage' || error.code === 'data_damaged') throw error
    // the same data would be refused again
    return { ...NOTHING, status: 'error', errorDetails: error.message }
  }
}

async function evaluate(
  engine: EngineContext,
  userId: UserId,
  { query, touched, fallbackTimeZone }: BegunRun,
  { now, signal }: RunOptions,
): Promise<Outcome> {
  const plan = planContinuous(query.query as ContinuousBody)
  const rereading = rereadingOf(plan, touched, now)
  if (rereading === null) {
    return { ...NOTHING, status: 'skipped', errorDetails: 'what changed lies outside of what the query is about' }
  }
  const { runQueryBatch } = await import('../aggregate/run.ts')
  const priorities = await engine.store.priorities.ofTeam(query.teamId)
  const rows: ResultRow[] = []
  for (const { timeframe, range } of rereading.pieces) {
    const batch = batchOf(plan.query, query.providerOverrides, timeframe)
    const [table] = await runQueryBatch(engine.store, { userId, fallbackTimeZone }, batch, { now, priorities, signal })
    if (!table || !hasColumns(table, query.columns)) {
      throw new ServiceError(
        'invalid_request',
        'the query has other columns than when it was made: delete it and make it again',
      )
    }
    for (const row of rowsOf(table, query.columns, plan.bucketKey, range)) rows.push(row)
    signal?.throwIfAborted()
  }
  if (rows.length > MOST_ROWS) {
    throw new ServiceError('query_limit', `the result has more than ${MOST_ROWS.toLocaleString('en-US')} rows`)
  }
  const { from, to } = rereading.range
  const kept = await engine.store.continuous.resultRows(userId, query.queryId, from, to)
  const changes = changesOf(kept, rows)
  return {
    ...NOTHING,
    status: 'completed',
    changed: changes.changed,
    removed: changes.removed,
    events: query.dataEvents ? eventsOf(query, changes) : [],
  }
}
