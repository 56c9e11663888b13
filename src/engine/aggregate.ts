/** Runs aggregate queries and chooses the response format. See docs/interface/aggregates.md#aggregates-10. */

import { AGGREGATE_PARQUET } from '../contract/aggregates/aggregate.ts'
import { invalid } from '../core/errors.ts'
import { present } from '../core/present.ts'
import { nextLoopTick } from '../core/time-slice.ts'
import type { UserRecord } from '../store/user.ts'
import type { ResultTable } from '../table/table.ts'
import { acceptedType } from './accepted-type.ts'
import { type Handler, ok } from './context.ts'
import { download } from './download.ts'
import { activeUser } from './users/users.ts'

const JSON_TYPE = 'application/json'

export const aggregateQuery: Handler<'aggregate.query'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const mediaType = acceptedType(call.accept, [JSON_TYPE, AGGREGATE_PARQUET])
  const priorities = await engine.store.priorities.ofTeam(call.team.teamId)
  const { runQueryBatch } = await import('./aggregate/run.ts')
  const { providers } = engine
  const { now, signal } = call
  const tables = await runQueryBatch(engine.store, whose(user), body, { now, providers, priorities, signal })
  if (mediaType === AGGREGATE_PARQUET) {
    return { kind: 'bytes', status: 200, headers: {}, mediaType, bytes: await parquetFiles(tables) }
  }
  const { jsonPieces, toColumns } = await import('../table/json.ts')
  return {
    kind: 'json',
    status: 200,
    headers: {},
    // build only the form that is needed: objects for a caller in this process, bytes for HTTP
    get body() {
      // each table has its own columns, which the schema cannot list
      return { results: tables.map(table => ({ table: toColumns(table) })) } as never
    },
    wire: () => Buffer.concat([...jsonPieces(tables)]),
  }
}

export const aggregateDownload: Handler<'aggregate.download'> = async (engine, { params, query, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  if (body.queries.length > 1) {
    const msg = 'must contain one query, because a download holds one table'
    throw invalid([{ loc: ['body', 'queries'], msg, type: 'value_error' }])
  }
  const priorities = await engine.store.priorities.ofTeam(call.team.teamId)
  const { runQueryBatch } = await import('./aggregate/run.ts')
  const { providers } = engine
  const { now, signal } = call
  const [table] = await runQueryBatch(engine.store, whose(user), body, { now, providers, priorities, signal })
  const result = present(table, 'the table of the only query')
  const pieces =
    query.format === 'csv'
      ? (await import('../table/csv.ts')).csvPieces(result, { isSafe: query.safe_csv })
      : (await import('../table/parquet.ts')).parquetPieces(result)
  return download('result', query.format, pieces, signal)
}

/** Packs the tables into one archive, with a Parquet file for each. */
async function parquetFiles(tables: readonly ResultTable[]): Promise<Uint8Array> {
  const [{ toParquet }, { toTarGzip }] = await Promise.all([import('../table/parquet.ts'), import('../table/tar.ts')])
  const files: { readonly name: string; readonly bytes: Uint8Array }[] = []
  for (const [i, table] of tables.entries()) {
    files.push({ name: `${i}.parquet`, bytes: await toParquet(table) })
    await nextLoopTick()
  }
  return toTarGzip(files)
}

export const aggregateExplain: Handler<'aggregate.explain'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const { explainQueryBatch } = await import('./aggregate/explain.ts')
  const { time } = engine
  const results = await explainQueryBatch(engine.store, whose(user), body.query, {
    now: call.now,
    providers: engine.providers,
    priorities: await engine.store.priorities.ofTeam(call.team.teamId),
    signal: call.signal,
    elapsed: () => time.elapsed?.() ?? time.now(),
    diff: body.diff ?? null,
  })
  // explainQueryBatch builds records that match the schema
  return ok({ results } as never)
}

function whose(user: UserRecord) {
  return { userId: user.userId, fallbackTimeZone: user.fallbackTimeZone?.value ?? null }
}
