/**
 * Generated requests, valid and invalid, for every operation over HTTP: never a 5xx, never a hang, always a body of the shape that
 * /openapi.json documents. `SVC_TEST_SEED=…` repeats a run, `SVC_TEST_EFFORT=…` sends more to each operation.
 */

import fc from 'fast-check'
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHttp } from '../../src/client/http.ts'
import type { Operation } from '../../src/contract/kernel/operation.ts'
import { type OperationId, operationIds, operations } from '../../src/contract/operations.ts'
import type { RunningServer } from '../../src/server/start.ts'
import { times } from '../kit/effort.ts'
import { seed } from '../kit/seed.ts'
import { lastUserSteps } from './conversation/users.ts'
import { far, type Ground, prepareGround } from './conversation/ways.ts'
import { wholeConversation } from './conversation/whole.ts'
import { converse } from './conversation.ts'
import { describedAs, undocumented } from './requests/documented.ts'
import { type GeneratedRequest, requestArbitrary } from './requests/generated.ts'

const TIMES = times(8)
/** A response that takes longer counts as a hang. */
const HANG_MS = 15_000
/** Limits the time that `npm test` spends on one operation. */
const MOST_MS = 8_000

let ground: Ground
let server: RunningServer
let agent: Agent
/** Existing IDs, by the name of their field. */
const known = new Map<string, string[]>()
const statuses = new Map<number, number>()

beforeAll(async () => {
  ground = await prepareGround()
  server = await far(ground, 'requests')
  agent = new Agent({ headersTimeout: HANG_MS, bodyTimeout: HANG_MS })
  const client = openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 60_000 })
  const steps = wholeConversation.filter(step => !lastUserSteps.includes(step))
  // keeps IDs from responses, so that requests can refer to existing objects
  const heard = { ...client, call: remembering(client.call) }
  await converse(heard, steps, ground)
  await client.close()
}, 180_000)

afterAll(async () => {
  await agent.close()
  await server.close()
})

function remembering(call: ReturnType<typeof openHttp>['call']): ReturnType<typeof openHttp>['call'] {
  return async (id, input, options) => {
    const reply = await call(id, input, options)
    if (reply.kind === 'json') collect(reply.body)
    return reply
  }
}

const MOST_KNOWN = 5

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value)) {
    if (typeof each === 'string' && /(^|_)id$|^slug$|^link_token$/.test(key)) {
      const list = known.get(key) ?? []
      if (list.length < MOST_KNOWN && !list.includes(each)) known.set(key, [...list, each])
    } else collect(each)
  }
}

/** Never includes the key that the requests are sent with. */
const knownTexts = (name: string): readonly string[] => {
  if (name === 'key_id') return []
  const own = known.get(name) ?? known.get(name.replace(/s$/, '')) ?? []
  return name.endsWith('_id') ? [...own, ...(known.get('id') ?? []).slice(0, 3)] : own
}

interface TestResponse {
  readonly status: number
  readonly mediaType: string
  readonly text: string
}

async function send(generated: GeneratedRequest): Promise<TestResponse | 'closed'> {
  try {
    // sent unchanged: a path that a URL would normalize is worth testing
    const response = await agent.request({
      origin: server.url,
      path: generated.target,
      method: generated.method as 'GET',
      headers: { ...ownKey(), ...generated.headers },
      body: generated.body,
      signal: AbortSignal.timeout(HANG_MS),
    })
    const type = String(response.headers['content-type'] ?? '')
    return {
      status: response.statusCode,
      mediaType: type.split(';')[0]?.trim() ?? '',
      text: await response.body.text(),
    }
  } catch (error) {
    // the server may refuse an oversized body and close the connection while it is still being sent
    const code = (error as { code?: string; cause?: { code?: string } }).code
    if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return 'closed'
    throw error
  }
}

const END_OF_FAULTS = { method: 'DELETE', path: '/svc/v1/faults' } as const

function ownKey(): Record<string, string> {
  return { 'x-service-api-key': server.apiKey }
}

/** Deleting operations come last, so that the others find existing things. */
const inOrder = operationIds.toSorted((a, b) => rank(a) - rank(b))

function rank(id: OperationId): number {
  return id === 'engine.reset' ? 2 : Number(takesAway(id))
}

function takesAway(id: OperationId): boolean {
  return operations[id].method === 'DELETE' || id === 'clock.set' || id === 'team.update' || id === 'import.undo'
}

describe(`generated requests (SVC_TEST_SEED=${seed})`, () => {
  it.each(inOrder)('get documented responses: %s', async id => {
    const { expand }: Operation = operations[id]
    const values = expand ? expand.values : [undefined]
    const property = fc.asyncProperty(
      fc.constantFrom(...values).chain(value => requestArbitrary(id, value, knownTexts).map(made => ({ value, made }))),
      async ({ value, made }) => {
        const response = await send(made)
        if (response === 'closed') return
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        const problem =
          response.status >= 500
            ? `status ${response.status}: ${response.text.slice(0, 300)}`
            : undocumented(describedAs(id, value), made.method, response)
        if (problem !== null) throw new Error(`${problem}\n${describeRequest(made)}`)
      },
    )
    await fc.assert(property, {
      seed: seed + operationIds.indexOf(id),
      numRuns: TIMES,
      interruptAfterTimeLimit: MOST_MS,
      endOnFailure: true,
    })
    // failures that were requested with a fault do not count
    if (id === 'fault.add') await agent.request({ ...END_OF_FAULTS, origin: server.url, headers: ownKey() })
  })

  it('were not all refused', () => {
    const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    const good = [...statuses].filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0)
    expect(sent).toBeGreaterThan(operationIds.length * 5)
    expect(good / sent, JSON.stringify([...statuses])).toBeGreaterThan(0.1)
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([404, 422]))
    // rate limits would hide other problems
    expect((statuses.get(429) ?? 0) / sent).toBeLessThan(0.05)
  })
})

function describeRequest({ method, target, headers, body, twist }: GeneratedRequest): string {
  const shown = body === null ? '' : ` ${body.subarray(0, 600).toString('latin1')}`
  return `${method} ${target.slice(0, 600)} ${JSON.stringify(headers)}${shown} (twist: ${twist})`
}
