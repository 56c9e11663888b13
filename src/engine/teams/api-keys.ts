/** Creates, lists and revokes teams' API keys. See docs/interface/README.md#interface-5. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatDate, formatInstant } from '../../core/time.ts'
import type { KeyRecord } from '../../store/team.ts'
import { type Handler, ok } from '../context.ts'
import { newApiKey } from './new-api-key.ts'
import { teamNamed } from './teams.ts'

/** Maximum number of unrevoked keys per team. */
export const MOST_KEYS = 100

export const createKey: Handler<'key.create'> = async (engine, { params, body }, call) => {
  const { teamId } = await teamNamed(engine, params.team_id)
  const working = (await engine.store.teams.keys(teamId)).filter(each => each.revokedAt === null)
  if (working.length >= MOST_KEYS) {
    const message = `The team has ${MOST_KEYS} keys in use, which is the maximum.`
    throw new ServiceError('bad_request', message, { suggestions: ['Revoke a key that is no longer needed.'] })
  }
  const settings = { ...body, teamId, isOperator: body.is_operator, now: call.now }
  const { key, record } = newApiKey(engine, settings)
  call.about('key_id', record.keyId)
  return call.settle(
    () => engine.store.teams.addKey(record),
    () => ok({ ...keyView(record), api_key: key }),
  )
}

export const listKeys: Handler<'key.list'> = async (engine, { query }) => {
  const teamId = query.team_id === undefined ? null : (await teamNamed(engine, query.team_id)).teamId
  const keys = await engine.store.teams.keys(teamId)
  const wanted = query.revoked ? keys : keys.filter(each => each.revokedAt === null)
  const { offset, limit } = query
  const page = wanted.toReversed().slice(offset, offset + limit)
  return ok({ keys: page.map(keyView), total: wanted.length, offset, limit })
}

/** Revokes a key. A key that has already been revoked is left unchanged. */
export const revokeKey: Handler<'key.revoke'> = async (engine, { params }, call) => {
  const key = await engine.store.teams.revokeKey(params.key_id, call.now)
  if (key !== null) return ok(keyView(key))
  throw new ServiceError('not_found', 'There is no API key with this id.', {
    suggestions: ['`svc engine key list` shows the API keys.'],
  })
}

function keyView(key: KeyRecord): ReplyBody<Operations['key.revoke']> {
  return {
    key_id: key.keyId,
    team_id: key.teamId,
    prefix: key.prefix,
    label: key.label,
    is_operator: key.isOperator,
    created_on: formatInstant(key.createdOn),
    last_used_on: key.lastUsedAt === null ? null : formatDate(key.lastUsedAt),
    revoked_at: key.revokedAt === null ? null : formatInstant(key.revokedAt),
  }
}
