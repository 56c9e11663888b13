/** Aggregate queries: chooses the rendering of the answer (interface.md 4.9). */

import { AGGREGATE_PARQUET } from '../contract/aggregate.ts'
import type { BytesReply } from '../contract/operation.ts'
import type { UserRecord } from '../store/port.ts'
import { acceptedType } from './accepted-type.ts'
import type { AggregateWork } from './aggregate/work.ts'
import { type Handler, ok } from './context.ts'
import { activeUser } from './users/users.ts'

const JSON_TYPE = 'application/json'

export const aggregateQuery: Handler<'aggregate.query'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const mediaType = acceptedType(call.accept, [JSON_TYPE, AGGREGATE_PARQUET])
  const priorities = await engine.store.priorities.ofTeam(call.team.teamId)
  const work: AggregateWork = { user: whose(user), batch: body, now: call.now, priorities, mediaType }
  if (engine.aggregates) return bytesOf(mediaType, await engine.aggregates(work, call.signal))
  const { bodyOf, tablesOf } = await import('./aggregate/work.ts')
  const tables = await tablesOf(engine.store, work, call.signal)
  if (mediaType === AGGREGATE_PARQUET) return bytesOf(mediaType, await bodyOf(tables, mediaType))
  const { toColumns } = await import('../table/json.ts')
  return ok({ results: tables.map(table => ({ table: toColumns(table) })) } as never)
}

function bytesOf(mediaType: string, bytes: Uint8Array): BytesReply {
  return { kind: 'bytes', status: 200, headers: {}, mediaType, bytes }
}

export const aggregateExplain: Handler<'aggregate.explain'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const { explainQueryBatch } = await import('./aggregate/explain.ts')
  const { time } = engine
  const results = await explainQueryBatch(engine.store, whose(user), body.query, {
    now: call.now,
    priorities: await engine.store.priorities.ofTeam(call.team.teamId),
    signal: call.signal,
    elapsed: () => time.elapsed?.() ?? time.now(),
    diff: body.diff ?? null,
  })
  return ok({ results } as never)
}

function whose(user: UserRecord) {
  return { userId: user.userId, fallbackTimeZone: user.fallbackTimeZone?.value ?? null }
}
