/**
 * A team cannot see another team: for every operation and every ID it accepts, another team's ID gets exactly the same response as an ID
 * that does not exist: status, headers and body. The positions come from the operations table; a new one without a description fails here.
 */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationIds, operations } from '../../src/contract/operations.ts'
import type { RunningServer } from '../../src/server/start.ts'
import { far, type Ground, prepareGround } from './conversation/ways.ts'
import { createRecords, idFields, KINDS, kindAt, type Records, type TeamCall, UNKNOWN } from './foreign/id-kinds.ts'
import { type ForeignRequest, requestWith } from './foreign/right-requests.ts'

const fields = operationIds.flatMap(id => idFields(id))
const ofTeams = fields.filter(field => kindAt(field))

/** The response to an unknown ID for operations that do not return 404, with the reason. */
const NOT_404: Readonly<Record<string, { readonly status: number; readonly because: string }>> = {
  'user.search query_id': { status: 200, because: 'a search that finds nothing' },
  'order.list user_id': { status: 200, because: 'a list that holds nothing' },
  'order.list order_ids': { status: 200, because: 'a list that holds nothing' },
}

/** Operations for which a link token is enough, with their requirements. */
const LINKABLE: Readonly<Record<string, { readonly provider: string; readonly body?: unknown } | undefined>> = {
  'link.password': { provider: 'whoop', body: { username: 'a', password: 'b' } },
  'link.complete_mfa': { provider: 'whoop', body: { mfa_code: '123456' } },
  'link.email': { provider: 'freestyle_libre', body: { email: 'a@example.test', region: 'eu' } },
  'link.oauth': { provider: 'oura' },
  'link.oauth_callback': { provider: 'oura', body: { parameters: { code: 'c' } } },
  'link.oauth_consent': { provider: 'oura', body: { decision: 'approve' } },
  'link.providers': { provider: '' },
}

interface Team {
  readonly id: string
  readonly keyId: string
  readonly key: string
}
interface TestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

let ground: Ground
let server: RunningServer
let mine: Team
let theirs: Team
let own: Records
let foreign: Records
let bytes: Buffer
let before: string[]

const send = async (
  key: string,
  { method, target, body }: ForeignRequest,
  more: object = {},
): Promise<TestResponse> => {
  const isBytes = Buffer.isBuffer(body)
  const response = await fetch(server.url + target, {
    method,
    headers: {
      'x-service-api-key': key,
      ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  })
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
  )
  return { status: response.status, headers, body: await response.text() }
}

const callAs =
  (key: string): TeamCall =>
  async (method, target, body, headers) => {
    const { 'x-service-link-token': token, ...rest } = headers ?? {}
    const more = token === undefined ? rest : { 'x-service-link-token': token }
    const response = await send(key, { method, target, body }, more)
    if (response.status >= 300) throw new Error(`${method} ${target} answered ${response.status}: ${response.body}`)
    return response.body === '' ? {} : (JSON.parse(response.body) as Record<string, unknown>)
  }

async function makeTeam(name: string): Promise<Team> {
  const operator = callAs(server.apiKey)
  const { team_id, api_key } = await operator('POST', '/svc/v1/teams', { name })
  await operator('PATCH', `/svc/v1/teams/${team_id}`, { beta: { user_info: true, aggregate: true } })
  const { keys } = await operator('GET', `/svc/v1/keys?team_id=${team_id}`)
  return { id: String(team_id), key: String(api_key), keyId: (keys as { key_id: string }[])[0]?.key_id as string }
}

/** Returns everything that the other team can read about its own objects. */
async function holdings(): Promise<string[]> {
  const requests = [
    `/v2/user`,
    `/v2/user/providers/${foreign.user}`,
    `/v2/timeseries/${foreign.user}/steps/grouped?start_date=2026-11-19&end_date=2026-11-19`,
    `/v2/summary/sleep/${foreign.user}?start_date=2026-11-01&end_date=2026-11-20`,
    `/v3/order/${foreign.order}`,
    `/svc/v1/aggregate/user/${foreign.user}/corrections`,
    '/svc/v1/imports',
    '/svc/v1/aggregate/continuous_query',
    '/v2/team/source/priorities',
  ]
  const responses = []
  for (const target of requests)
    responses.push((await send(theirs.key, { method: 'GET', target, body: undefined })).body)
  return responses
}

beforeAll(async () => {
  ground = await prepareGround()
  server = await far(ground, 'foreign')
  bytes = await readFile(ground.files['export'] as string)
  mine = await makeTeam('mine')
  theirs = await makeTeam('theirs')
  // two teams that make the same calls must not get the same IDs
  ground.chance.begin('mine')
  own = await createRecords(callAs(mine.key), mine, bytes)
  ground.chance.begin('theirs')
  foreign = await createRecords(callAs(theirs.key), theirs, bytes)
  before = await holdings()
}, 120_000)

afterAll(() => server.close())

describe("another team's IDs", () => {
  it('have a known kind in every position of every operation', () => {
    const unheard = fields.filter(field => kindAt(field) === undefined).map(each => `${each.id} ${each.name}`)
    expect(unheard).toEqual([])
    // this test must recognize every ID in a path as an ID
    for (const id of operationIds) {
      for (const [, name] of operations[id].path.matchAll(/\{(\w+_id\w*)\}/g)) {
        expect(idFields(id).map(each => each.name)).toContain(name)
      }
    }
  })

  it('exist, one of each kind, and differ from the caller’s IDs', () => {
    for (const kind of KINDS) {
      expect(foreign[kind], kind).toMatch(/[0-9a-f-]{36}$/)
      expect(foreign[kind], kind).not.toBe(own[kind])
    }
  })

  it.each(ofTeams.map(field => [`${field.id} ${field.name}`, field] as const))(
    'get the same response as unknown IDs: %s',
    async (name, field) => {
      const kind = kindAt(field) as keyof Records
      const foreignResponse = await send(mine.key, requestWith(field, foreign[kind], own, bytes))
      const unknownResponse = await send(mine.key, requestWith(field, UNKNOWN[kind], own, bytes))
      expect(foreignResponse).toEqual(unknownResponse)
      const expected = operations[field.id] as { reach?: string }
      if (expected.reach === 'service') expect(unknownResponse.status).toBe(403)
      else expect(unknownResponse.status, unknownResponse.body).toBe(NOT_404[name]?.status ?? 404)
    },
  )

  it.each(operationIds.filter(id => operations[id].auth === 'link_token'))(
    'are not accepted as link tokens with the caller’s own key: %s',
    async id => {
      const { link_token } = await callAs(theirs.key)('POST', '/v2/link/token', { user_id: foreign.user })
      const { method, path } = operations[id]
      const target = path.replace('{provider}', LINKABLE[id]?.provider ?? '')
      const body = LINKABLE[id]?.body
      const withToken = (token: unknown) =>
        send(mine.key, { method, target, body }, { 'x-service-link-token': String(token) })
      const unknown = await withToken(Buffer.alloc(32, 7).toString('base64url'))
      expect(await withToken(link_token)).toEqual(unknown)
      expect(unknown.status).not.toBe(422)
      expect(unknown.body).not.toContain('"success"')
    },
  )

  it('still exist unchanged afterwards', async () => {
    expect(await holdings()).toEqual(before)
  })
})
