/** Reports the store's state: its statistics, and whether its contents are intact. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { CitusCluster } from '../../store/upkeep.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'

type Problem = ReplyBody<Operations['engine.check']>['problems'][number]

/** Maximum number of problems that a report lists. Further problems are only counted. */
const MOST_PROBLEMS = 1_000
const MOST_JOBS = 1_000

export const engineStatus: Handler<'engine.status'> = async (engine, _input, call) => {
  const figures = await engine.store.upkeep.statistics()
  const due = await engine.store.jobs.due(call.now, null, MOST_JOBS)
  const { samples, chunkBytes, files, server } = figures
  return ok({
    users: figures.users,
    deleted_users: figures.deletedUsers,
    series: figures.series,
    samples,
    chunks: figures.chunks,
    bytes_per_sample: samples === 0 ? null : Math.round((chunkBytes / samples) * 1000) / 1000,
    summaries: figures.summaries,
    streams: figures.streams,
    events: figures.events,
    continuous_queries: figures.continuousQueries,
    result_rows: figures.resultRows,
    due_jobs: due.length,
    file_bytes: files?.fileBytes ?? null,
    wal_bytes: files?.walBytes ?? null,
    server_version: server?.version ?? null,
    citus: server?.citus ? citusView(server.citus) : null,
    schema_version: figures.schemaVersion,
    epoch: figures.epoch,
  })
}

function citusView({ version, nodes }: CitusCluster): ReplyBody<Operations['engine.status']>['citus'] {
  return {
    version,
    nodes: nodes.map(({ isCoordinator, isActive, shards }) => ({
      role: isCoordinator ? 'coordinator' : 'worker',
      active: isActive,
      shards,
    })),
  }
}

export const checkEngine: Handler<'engine.check'> = async (engine, { query }, call) =>
  ok(await check(engine, call, query.rewrite))

async function check(
  engine: EngineContext,
  { signal, onProgress }: TeamCall,
  rewrites: boolean,
): Promise<ReplyBody<Operations['engine.check']>> {
  const problems: Problem[] = []
  let [found, chunks, samples, rewritten] = [0, 0, 0, 0]
  const checking = engine.store.upkeep.check(progress => {
    signal?.throwIfAborted()
    chunks = progress.chunks
    samples = progress.samples
    onProgress?.({
      phase: 'reading',
      doneBytes: progress.doneBytes,
      totalBytes: progress.totalBytes,
      records: progress.samples,
    })
  })
  try {
    for await (const { what, userId, message } of checking) {
      if (found++ < MOST_PROBLEMS) problems.push({ what, user_id: userId, message })
    }
    if (rewrites) {
      for await (const rows of engine.store.upkeep.rewriteUnchecked()) {
        rewritten += rows
        signal?.throwIfAborted()
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
    const done = rewritten === 0 ? 'nothing was changed' : `${rewritten} rows now have a checksum`
    throw new ServiceError('cancelled', `Cancelled: ${done}.`, { cause: error })
  }
  return { ok: found === 0, chunks, samples, problem_count: found, rewritten, problems }
}
