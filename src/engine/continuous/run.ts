/**
 * Runs a continuous query for a user: rereads the affected buckets, stores the changes and writes the events. See
 * docs/interface/aggregates.md#aggregates-13.
 */
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { formatCount } from '../../core/text.ts'
import type { EpochMs } from '../../core/time.ts'
import type { BegunRun, ResultRow, RunResult } from '../../store/continuous-query.ts'
import type { EngineContext } from '../context.ts'
import { type ContinuousBody, planContinuous, toBatch } from './plan.ts'
import { compareRows, hasColumns, rowsInRange, toEventDocuments } from './rows.ts'
import { planRereading } from './windows.ts'

/** Maximum number of rows stored for each query and user. Equal to a response's row limit. */
const MOST_ROWS = 1_000_000

export interface RunOptions {
  readonly now: EpochMs
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs in this process, by store, user and query. A second concurrent run would take over the first one, and both would finish late.
 * Global, because handlers and background work access the same store separately.
 */
const underWay = new WeakMap<EngineContext['store'], Map<string, Promise<unknown>>>()

/**
 * Runs the due part of the query for the user, after any run that is in progress in this process. Returns true if a run ended, whatever its
 * outcome, or false if nothing was due or another process took over the run. If the signal is aborted, throws its reason, and the run stays
 * due.
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
  // only the caller that started the run needs its outcome
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
  const outcome = await runOutcome(engine, userId, begun, { now, signal })
  const at = now + Math.max(0, engine.time.now() - began)
  return engine.store.continuous.finishRun(userId, queryId, { ...outcome, rev: begun.rev, at })
}

type RunOutcome = Omit<RunResult, 'rev' | 'at'>

const NOTHING = { errorDetails: null, changed: [], removed: [], events: [], retry: false } as const

/** Returns a run's outcome. A failed query is also an outcome, but an interrupted run is not. */
async function runOutcome(
  engine: EngineContext,
  userId: UserId,
  begun: BegunRun,
  options: RunOptions,
): Promise<RunOutcome> {
  try {
    return await evaluate(engine, userId, begun, options)
  } catch (error) {
    if (options.signal?.aborted) throw error
    if (!(error instanceof ServiceError)) {
      return { ...NOTHING, status: 'error', errorDetails: 'Internal error. The run will be tried again.', retry: true }
    }
    // a result without the damaged data would look complete, so the run stays due and reads are refused
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
): Promise<RunOutcome> {
  const plan = planContinuous(query.query as ContinuousBody)
  const rereading = planRereading(plan, touched, now)
  if (rereading === null) {
    return { ...NOTHING, status: 'skipped', errorDetails: 'The data that changed is outside the scope of the query.' }
  }
  const { runQueryBatch } = await import('../aggregate/run.ts')
  const priorities = await engine.store.priorities.ofTeam(query.teamId)
  const rows: ResultRow[] = []
  for (const { timeframe, range } of rereading.pieces) {
    const batch = toBatch(plan.query, query.providerOverrides, timeframe)
    const [table] = await runQueryBatch(engine.store, { userId, fallbackTimeZone }, batch, {
      now,
      providers: engine.providers,
      priorities,
      signal,
    })
    if (!table || !hasColumns(table, query.columns)) {
      throw new ServiceError(
        'invalid_request',
        'The query no longer has the columns that it was created with. Delete it and create it again.',
      )
    }
    for (const row of rowsInRange(table, query.columns, plan.bucketKey, range)) rows.push(row)
    signal?.throwIfAborted()
  }
  if (rows.length > MOST_ROWS) {
    throw new ServiceError(
      'query_limit',
      `The result must not have more than ${formatCount(MOST_ROWS)} rows. Delete the query and create one with longer buckets.`,
    )
  }
  const { from, to } = rereading.range
  const kept = await engine.store.continuous.resultRows(userId, query.queryId, from, to)
  const changes = compareRows(kept, rows)
  return {
    ...NOTHING,
    status: 'completed',
    changed: changes.changed,
    removed: changes.removed,
    events: query.dataEvents ? toEventDocuments(query, changes) : [],
  }
}
