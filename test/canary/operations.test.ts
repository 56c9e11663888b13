/**
 * Nothing sensitive is written down: every field of every operation contains a mark, then logs, error bodies, headers, the audit trail, the
 * metrics and the output of a crash are searched for the marks. See docs/security.md.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { openEmbedded } from '../../src/client/embedded.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import type { ServiceError } from '../../src/core/errors.ts'
import type { RunningServer } from '../../src/server/start.ts'
import { labTestId } from '../engine/orders/orders.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { storeOptions } from '../kit/postgres/database.ts'
import { serve } from '../kit/server.ts'
import { DIGITS, MARKED_ADDRESS, MARKED_PERSON, marksIn, VALUE, WORD } from './marks.ts'
import { planted, requestTarget } from './planted.ts'

const lines: string[] = []
let server: RunningServer
let isBroken = false
/** Fields with valid values, so that a call gets as far as possible. */
const sound = new Map<string, string>()

beforeAll(async () => {
  server = await serve({
    rateLimit: 0,
    metricsAreOpen: false,
    logFormat: 'json',
    log: line => lines.push(line),
    engine: {
      time: {
        now: () => {
          if (isBroken) throw new Error(`a bug that quotes ${WORD}`)
          return Date.now()
        },
      },
    },
  })
  const { user_id } = (await send('POST', '/v2/user', { client_user_id: `of ${WORD}` })).body as { user_id: string }
  sound.set('user_id', user_id)
})

interface TestResponse {
  readonly status: number
  readonly headers: string
  readonly text: string
  readonly body: unknown
}

async function send(method: string, target: string, body?: unknown, headers: object = {}): Promise<TestResponse> {
  const isBytes = Buffer.isBuffer(body)
  const sent = isBytes ? new Uint8Array(body) : JSON.stringify(body)
  const response = await fetch(server.url + target, {
    method,
    redirect: 'manual',
    headers: {
      'x-service-api-key': server.apiKey,
      ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined || method === 'GET' ? {} : { body: sent as string }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true && !text.includes('\n{')
  return {
    status: response.status,
    headers: JSON.stringify([...response.headers]),
    text,
    body: isJson ? JSON.parse(text) : null,
  }
}

/** Returns the output about a call: the error body if it failed, and the headers in any case. */
function spoken({ status, headers, text }: TestResponse): string {
  return status >= 400 ? `${headers} ${text}` : headers
}

describe('marks in every field', () => {
  let dataDir: string

  beforeAll(() => {
    dataDir = temporaryFolder()
  })

  it.each(operationIds)('are not repeated when the call is refused: %s', async id => {
    const { method } = operations[id]
    for (const known of [new Map<string, string>(), sound]) {
      const request = planted(id, known)
      const response = await send(method, requestTarget(id, request), request.body)
      expect(marksIn(spoken(response)), response.text.slice(0, 800)).toEqual([])
    }
  })

  it.each(operationIds)('are not repeated by the in-process engine either: %s', async id => {
    const client = await openEmbedded({ dataDir, publicUrl: null, ...storeOptions(dataDir) })
    try {
      const { params, query, body } = planted(id, new Map())
      const bytes = Buffer.isBuffer(body) ? { kind: 'stream', stream: [body] } : body
      const words = await client.call(id, { params, query, body: bytes } as never, { linkToken: WORD }).then(
        () => '',
        (error: ServiceError) => `${error.message} ${JSON.stringify(error.body)} ${error.suggestions?.join(' ')}`,
      )
      expect(marksIn(words), words.slice(0, 800)).toEqual([])
    } finally {
      await client.close()
    }
  })
})

describe('marks in a person’s data', () => {
  const at = (path: string): string => path.replace('{user}', sound.get('user_id') as string)
  const refusedAs = (response: TestResponse): string => spoken(response)

  it('are stored, and appear in no refusal along the way', async () => {
    // the previous one was deleted by an earlier call
    const made = await send('POST', '/v2/user', { client_user_id: `another of ${WORD}` })
    sound.set('user_id', (made.body as { user_id: string }).user_id)
    const info = { ...MARKED_PERSON, gender: WORD, address: MARKED_ADDRESS }
    const good = await send('PATCH', at('/v2/user/{user}/info'), info)
    expect(good.status, good.text).toBe(200)
    expect(marksIn(good.text)).toContain(WORD)
    const order = {
      user_id: sound.get('user_id'),
      patient_details: { ...MARKED_PERSON, gender: 'female' },
      patient_address: MARKED_ADDRESS,
      order_set: { lab_test_ids: [labTestId('iron-status')] },
      clinical_notes: WORD,
    }
    const created = await send('POST', '/v3/order', order)
    expect(created.status, created.text).toBe(200)
    const child = { ...order, patient_details: { ...order.patient_details, dob: '2020-01-01' } }
    expect(marksIn(refusedAs(await send('POST', '/v3/order', child)))).toEqual([])
    const { link_token } = (await send('POST', '/v2/link/token', { user_id: sound.get('user_id') })).body as {
      link_token: string
    }
    const token = { 'x-service-link-token': link_token }
    const signIn = { username: `${WORD}@example.test`, password: WORD }
    await send('POST', '/v2/link/provider/password/whoop', signIn, token)
    await send('POST', '/v2/link/provider/password/whoop/complete_mfa', { mfa_code: DIGITS }, token)
    await send('POST', '/v2/link/provider/password/whoop', signIn, { 'x-service-link-token': WORD })
    const sample = { resource: 'heartrate', timestamp: '2026-11-19T08:30:00Z', value: VALUE }
    const note = { resource: 'note', timestamp: '2026-11-19T08:30:00Z', value: WORD }
    const pushed = await send('POST', at('/svc/v1/users/{user}/samples'), [sample, note])
    expect(marksIn(refusedAs(pushed))).toEqual([])
    const keyed = await send('GET', at('/v2/user/{user}'), undefined, { 'x-service-api-key': `sk_us_${WORD}` })
    expect([keyed.status, marksIn(refusedAs(keyed))]).toEqual([401, []])
    await send('GET', `/nowhere/${WORD}?token=${WORD}`)
    await send('GET', `/link?token=${WORD}`)
    await send('GET', `/oauth/oura?state=${WORD}`)
  })

  it('appear in no audit trail line', async () => {
    let cursor: string | null = ''
    let held = 0
    for (let page = 0; cursor !== null && page < 50; page++) {
      const query: string = cursor === '' ? '' : `&next_cursor=${encodeURIComponent(cursor)}`
      const response = await send('GET', `/svc/v1/audit?limit=100${query}`)
      expect(response.status, response.text).toBe(200)
      expect(marksIn(response.text)).toEqual([])
      const body = response.body as { entries: unknown[]; next_cursor: string | null }
      held += body.entries.length
      cursor = body.next_cursor
    }
    expect(held).toBeGreaterThan(20)
  })

  it('appear in no metric and in no log line', async () => {
    const metrics = await send('GET', '/metrics')
    expect(metrics.status).toBe(200)
    expect(marksIn(metrics.text)).toEqual([])
    expect(metrics.text).not.toContain(sound.get('user_id'))
    expect(lines.length).toBeGreaterThan(operationIds.length)
    expect(lines.filter(line => marksIn(line).length > 0)).toEqual([])
    // and neither do keys and IDs
    expect(lines.filter(line => line.includes(server.apiKey) || line.includes(sound.get('user_id') as string))).toEqual(
      [],
    )
  })

  it('appear nowhere after a crash', async () => {
    const before = lines.length
    isBroken = true
    const response = await send('GET', at('/v2/user/{user}')).finally(() => {
      isBroken = false
    })
    expect([response.status, marksIn(spoken(response))]).toEqual([500, []])
    const logText = lines.slice(before).join('\n')
    expect(logText).toContain('"event":"failed"')
    expect(marksIn(logText)).toEqual([])
  })
})
