/** Runs aggregate queries and chooses the response format. See docs/interface/aggregates.md#aggregates-10. */

import { AGGREGATE_PARQUET, type QueryBatch } from '../contract/aggregates/aggregate.ts'
import type { QueryWarning } from '../contract/aggregates/warnings.ts'
import { WARNINGS_HEADER } from '../contract/aggregates/warnings-header.ts'
import { invalid } from '../core/errors.ts'
import { present } from '../core/present.ts'
import { nextLoopTick } from '../core/time-slice.ts'
import { NO_ORDERS } from '../store/source-order.ts'
import type { UserRecord } from '../store/user.ts'
import type { ResultTable } from '../table/table.ts'
import { acceptedType } from './accepted-type.ts'
import type { QueryCall } from './aggregate/execute.ts'
import { type EngineContext, type Handler, ok } from './context.ts'
import { download } from './download.ts'
import { parseRangeEnd, parseRangeStart } from './readings/timeseries.ts'
import { activeUser } from './users/users.ts'

const JSON_TYPE = 'application/json'
const MOST_WARNINGS = 20

export const aggregateQuery: Handler<'aggregate.query'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const mediaType = acceptedType(call.accept, [JSON_TYPE, AGGREGATE_PARQUET])
  const { runQueryBatch } = await import('./aggregate/run.ts')
  const warnings: QueryWarning[] = []
  const warn = (warning: QueryWarning) => warnings.push(warning)
  const isMerged = new Set<number>()
  const merged = (query: number) => isMerged.add(query)
  const asked = await queryCall(engine, call, user, body)
  const tables = await runQueryBatch(engine.store, whose(user), body, { ...asked, warn, merged })
  const headers = warningHeaders(warnings)
  if (mediaType === AGGREGATE_PARQUET) {
    return { kind: 'bytes', status: 200, headers, mediaType, bytes: await parquetFiles(tables) }
  }
  const beside = (i: number) => (isMerged.has(i) ? { warnings: warnings.filter(({ query }) => query === i) } : null)
  const { jsonPieces, toColumns } = await import('../table/json.ts')
  return {
    kind: 'json',
    status: 200,
    headers,
    // build only the form that is needed: objects for a caller in this process, bytes for HTTP
    get body() {
      // each table has its own columns, which the schema cannot list
      return { results: tables.map((table, i) => ({ table: toColumns(table), ...beside(i) })) } as never
    },
    wire: () => Buffer.concat([...jsonPieces(tables, beside)]),
  }
}

export const aggregateDownload: Handler<'aggregate.download'> = async (engine, { params, query, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  if (body.queries.length > 1) {
    const msg = 'must contain one query, because a download holds one table'
    throw invalid([{ loc: ['body', 'queries'], msg, type: 'value_error' }])
  }
  const { runQueryBatch } = await import('./aggregate/run.ts')
  const warnings: QueryWarning[] = []
  const warn = (warning: QueryWarning) => warnings.push(warning)
  const asked = await queryCall(engine, call, user, body)
  const [table] = await runQueryBatch(engine.store, whose(user), body, { ...asked, warn })
  const result = present(table, 'the table of the only query')
  const pieces =
    query.format === 'csv'
      ? (await import('../table/csv.ts')).csvPieces(result, { isSafe: query.safe_csv })
      : (await import('../table/parquet.ts')).parquetPieces(result)
  const reply = download('result', query.format, pieces, call.signal)
  return { ...reply, headers: { ...reply.headers, ...warningHeaders(warnings) } }
}

/** Returns the header with the warnings, or none. A header cannot be long, so further warnings are dropped. */
function warningHeaders(warnings: readonly QueryWarning[]): Record<string, string> {
  if (warnings.length === 0) return {}
  return { [WARNINGS_HEADER]: JSON.stringify(warnings.slice(0, MOST_WARNINGS)) }
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
    ...(await queryCall(engine, call, user, body.query)),
    elapsed: () => time.elapsed?.() ?? time.now(),
    diff: body.diff ?? null,
  })
  // explainQueryBatch builds records that match the schema
  return ok({ results } as never)
}

export const aggregateConflicts: Handler<'aggregate.conflicts'> = async (engine, { params, query }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const [since, until] = [query.since, query.until]
  const range = {
    since: since === undefined ? null : parseRangeStart(since),
    until: until === undefined ? null : parseRangeEnd(until),
  }
  if (range.since !== null && range.until !== null && range.until < range.since)
    throw invalid([{ loc: ['query', 'until'], msg: 'must not be before since', type: 'value_error' }])
  const { CONFLICT_TABLES, listConflicts } = await import('./aggregate/conflicts.ts')
  const tables = CONFLICT_TABLES.filter(({ name }) => query.table === undefined || name === query.table)
  const { teamId } = call.team
  const priorities = await engine.store.priorities.ofTeam(teamId)
  const orders = await engine.store.sourceOrders.ofUser(teamId, user.userId)
  const asked = { tables, ...range, limit: query.limit }
  return ok(await listConflicts(engine.store, whose(user), asked, { priorities, orders, signal: call.signal }))
}

/** Returns what a call's queries depend on, besides the data. */
async function queryCall(
  { store, providers }: EngineContext,
  { team, now, signal }: Parameters<Handler<'aggregate.query'>>[2],
  { userId }: UserRecord,
  { queries }: QueryBatch,
): Promise<QueryCall> {
  const { teamId, queryDefaults: defaults } = team
  const priorities = await store.priorities.ofTeam(teamId)
  const mayMerge = queries.some(({ merge }) => merge ?? defaults.merges)
  const orders = mayMerge ? await store.sourceOrders.ofUser(teamId, userId) : NO_ORDERS
  return { now, providers, priorities, orders, defaults, signal }
}

function whose(user: UserRecord) {
  return { userId: user.userId, fallbackTimeZone: user.fallbackTimeZone?.value ?? null }
}
