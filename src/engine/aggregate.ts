/** Aggregate queries: chooses the rendering of the answer (interface.md 4.9). */
import { AGGREGATE_PARQUET } from '../contract/operations.ts'
import { ServiceError } from '../core/errors.ts'
import { type Handler, ok } from './context.ts'
import { activeUser } from './users.ts'

const JSON_TYPE = 'application/json'

export const aggregateQuery: Handler<'aggregate.query'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const mediaType = preferred(call.accept)
  const { runQueryBatch } = await import('./aggregate/run.ts')
  const who = { userId: user.userId, fallbackTimeZone: user.fallbackTimeZone?.value ?? null }
  const tables = await runQueryBatch(engine.store, who, body, { now: call.now, priorities: [], signal: call.signal })
  if (mediaType === JSON_TYPE) {
    const { toColumns } = await import('../table/json.ts')
    return ok({ results: tables.map(table => ({ table: toColumns(table) })) } as never)
  }
  const { toParquet } = await import('../table/parquet.ts')
  const { toTarGzip } = await import('../table/tar.ts')
  const files = await Promise.all(
    tables.map(async (table, i) => ({ name: `${i}.parquet`, bytes: await toParquet(table) })),
  )
  return { kind: 'bytes', status: 200, headers: {}, mediaType: AGGREGATE_PARQUET, bytes: await toTarGzip(files) }
}

/** The better liked of the two types it can send; JSON where both are liked alike. Throws 406 when neither is taken. */
function preferred(accept: string): string {
  const weights = accept.split(',').map(part => {
    const [type, ...rest] = part.split(';').map(text => text.trim().toLowerCase())
    const q = rest.find(text => text.startsWith('q='))
    return { type: type === '' ? '*/*' : type, weight: q === undefined ? 1 : Number(q.slice(2)) }
  })
  const weightOf = (wanted: string): number => {
    const specific = weights.find(each => each.type === wanted)
    return (
      (specific ?? weights.find(each => each.type === 'application/*') ?? weights.find(each => each.type === '*/*'))
        ?.weight ?? 0
    )
  }
  const json = weightOf(JSON_TYPE)
  const parquet = weightOf(AGGREGATE_PARQUET)
  if (!(json > 0) && !(parquet > 0)) {
    throw new ServiceError('not_acceptable', `The answer can be sent as ${JSON_TYPE} or ${AGGREGATE_PARQUET}.`)
  }
  return parquet > json ? AGGREGATE_PARQUET : JSON_TYPE
}
