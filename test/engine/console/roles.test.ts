/** What each role of a person may do, through every operation of the table. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROLES, type Role } from '../../../src/catalogue/roles.ts'
import type { Operation } from '../../../src/contract/kernel/operation.ts'
import type { RawInput } from '../../../src/contract/kernel/validation.ts'
import { type OperationId, operationIds, operations } from '../../../src/contract/operations.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { isAudited } from '../../../src/engine/audit/audit.ts'
import { startSession } from '../../../src/engine/console/sessions.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { forbiddenOperations } from '../../../src/engine/teams/permissions.ts'
import { MARKED_ADDRESS, MARKED_PERSON, marksIn, VALUE, WORD } from '../../canary/marks.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

/** The only operations of a reader without health data. Each of them is called on a store whose health data is marked. */
const WITHOUT_HEALTH_DATA: readonly OperationId[] = [
  'user.list',
  'user.get',
  'user.resolve',
  'user.search',
  'user.names',
  'user.metrics',
  'user.providers',
  'provider.list',
  'user.devices',
  'user.device',
  'introspect.resources',
  'introspect.historical_pulls',
  'link.providers',
  'provider.setups',
  'provider.status',
  'timeseries.resources',
  'aggregate.columns',
  'continuous_query.list',
  'continuous_query.get',
  'source_priority.list',
  'source_order.list',
  'labs.list',
  'labs.markers',
  'labs.order_set_markers',
  'labs.test_markers',
  'labs.marker_by_code',
  'labs.tests',
  'labs.tests_legacy',
  'labs.test',
  'labs.accounts',
  'import.list',
  'clock.get',
  'job.list',
  'team.whoami',
  'key.public',
  'deprecation.list',
  'event.list',
  'event.types',
  'event.type',
  'webhook.list',
  'webhook.get',
  'webhook.days',
  'engine.overview',
]

const SAMPLES = [
  { resource: 'glucose', timestamp: '2026-11-20T08:00:00Z', value: VALUE },
  { resource: 'note', start: '2026-11-20T08:00:00Z', end: '2026-11-20T09:00:00Z', value: WORD, type: 'diary' },
]

let h: Harness
const secrets = new Map<Role, string>()
const params: Record<string, string> = { client_user_id: 'ada', type: 'daily.data.glucose.created' }

beforeAll(async () => {
  h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
  const info = { ...MARKED_PERSON, gender: 'female', address: MARKED_ADDRESS }
  await h.call('user.set_info', { params: { user_id }, body: info } as never)
  const body = { kind: 'stream', stream: Readable.from([Buffer.from(JSON.stringify(SAMPLES))]) } as const
  await h.call('samples.push', { params: { user_id }, body })
  const { data } = await h.call('event.list', {})
  Object.assign(params, { user_id, event_id: data[0]?.event_id })
  for (const role of ROLES) {
    const { person_id } = await h.call('person.create', { body: { name: `the ${role}`, role } })
    const owner = { teamId: h.team.teamId, keyId: null, personId: person_id }
    secrets.set(role, (await startSession(h.engine.context, owner, '')).secret)
  }
})
afterAll(() => h.engine.close())

/** Calls an operation in a session of the role. Returns the error code, or `ok`, with everything that the response says. */
async function call(
  role: Role,
  id: OperationId,
  input: Partial<RawInput> = {},
): Promise<{ code: string; text: string }> {
  const session = secrets.get(role) ?? null
  try {
    const reply = await runOperation(h.engine.context, id, {
      input: { query: {}, body: undefined, ...input, params: { ...params, ...input.params } },
      credentials: { kind: 'headers', apiKey: null, linkToken: null, session },
      accept: 'application/json',
    })
    return { code: 'ok', text: reply.kind === 'json' ? JSON.stringify(reply.body) : '' }
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, text: error.message }
    throw error
  }
}

const isRefused = async (role: Role, id: OperationId, input: Partial<RawInput> = {}) =>
  (await call(role, id, input)).code === 'role_not_allowed'

// an operation without authentication, such as a signed URL, has no caller and therefore no role
const withCaller = operationIds.filter(id => operations[id].auth !== 'none')

describe('a reader without health data', () => {
  it.each(withCaller)('is refused every operation except the listed ones, which show no health data: %s', async id => {
    const { code, text } = await call('reader-without-health-data', id)
    expect(code === 'role_not_allowed', code).toBe(!WITHOUT_HEALTH_DATA.includes(id))
    expect(marksIn(text)).toEqual([])
  })

  it('reads users, imports and events, but no payload', async () => {
    for (const id of ['user.list', 'user.get', 'import.list', 'event.list', 'job.list', 'webhook.list'] as const) {
      expect([id, (await call('reader-without-health-data', id)).code]).toEqual([id, 'ok'])
    }
    for (const payload of ['true', true, ['true'], '1']) {
      expect(await isRefused('reader-without-health-data', 'event.list', { query: { payload } })).toBe(true)
    }
    const { text } = await call('reader', 'event.list', { query: { payload: 'true' } })
    expect(marksIn(text)).not.toEqual([])
  })
})

describe('a reader', () => {
  it.each(withCaller)('reads everything of the team and changes nothing: %s', async id => {
    const operation: Operation = operations[id]
    expect(await isRefused('reader', id)).toBe(operation.reach === 'service' || isAudited(operation))
  })

  it('sees health data', async () => {
    const query = { start_date: '2026-11-01', end_date: '2026-11-30' }
    const { code, text } = await call('reader', 'timeseries.grouped', { params: { resource: 'glucose' }, query })
    expect([code, marksIn(text)]).toEqual(['ok', ['918273.625']])
  })
})

describe('an operator', () => {
  it('makes changes, but does not manage or copy keys, people, teams and secrets', () => {
    expect(forbiddenOperations({ role: 'operator', isOperator: true }).sort()).toEqual([
      'engine.snapshot',
      'key.create',
      'key.revoke',
      'passkey.remove',
      'person.create',
      'person.remove',
      'person.sign_in_token',
      'person.update',
      'provider.setup',
      'provider.teardown',
      'recording.replay',
      'recording.start',
      'session.end',
      'snapshot.restore',
      'team.create',
      'team.update',
      'webhook.rotate_secret',
    ])
  })

  it('is an operator for all teams', async () => {
    expect((await call('operator', 'engine.status')).code).toBe('ok')
    expect((await call('operator', 'user.create', { body: { client_user_id: 'ben' } })).code).toBe('ok')
    expect(await isRefused('operator', 'key.create', { params: { team_id: h.team.teamId }, body: {} })).toBe(true)
  })
})

describe('an owner', () => {
  it('may use every operation, like the owner of the data folder', async () => {
    expect(forbiddenOperations({ role: 'owner', isOperator: true })).toEqual([])
    expect((await call('owner', 'person.create', { body: { name: 'Eve', role: 'reader' } })).code).toBe('ok')
  })
})

describe('the audit trail', () => {
  it('names the person, also after the person was removed, and lists refused calls', async () => {
    const { people } = await h.call('person.list', {})
    const { person_id } = people.find(({ role }) => role === 'operator') as { person_id: string }
    await h.call('person.remove', { params: { person_id } })
    const { entries } = await h.call('audit.list', { query: { limit: 500 } })
    const found = entries.filter(({ actor }) => actor === `person:${person_id}`)
    expect(found).toContainEqual(
      expect.objectContaining({ operation: 'user.create', outcome: 'ok', person: 'the operator' }),
    )
    expect(found).toContainEqual(expect.objectContaining({ operation: 'key.create', outcome: 'role_not_allowed' }))
    expect(entries.find(({ operation }) => operation === 'person.remove')).toMatchObject({
      actor: 'local',
      person: null,
      object: { person_id },
    })
    expect((await call('operator', 'user.list')).code).toBe('session_ended')
  })

  it('follows a changed role at once', async () => {
    const { people } = await h.call('person.list', {})
    const { person_id } = people.find(({ name }) => name === 'the reader') as { person_id: string }
    await h.call('person.update', { params: { person_id }, body: { role: 'reader-without-health-data' } })
    expect(await isRefused('reader', 'summary.get')).toBe(true)
  })
})
