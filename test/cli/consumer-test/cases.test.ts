/** The results of the contract test for a correct handler, and for handlers with one fault each. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { TEST_CASES } from '../../../src/cli/consumer-test/cases.ts'
import { DeliveryMaker } from '../../../src/cli/consumer-test/delivery-maker.ts'
import { consumerReport, reportView, shortfallError } from '../../../src/cli/consumer-test/report.ts'
import { type CaseResult, runCases } from '../../../src/cli/consumer-test/run.ts'
import { ofUser, type SampleEvent } from '../../../src/cli/consumer-test/sample-event.ts'
import { openPoster } from '../../../src/cli/webhooks/webhook-post.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { newSecret } from '../../../src/delivery/signature.ts'

const SECRET = newSecret(systemRandom)
const LIMIT_BYTES = 2 * 1024 * 1024
const EVENT: SampleEvent = {
  event_type: 'daily.data.steps.created',
  data: { user_id: 'u', data: [{ timestamp: '2026-11-20T12:00:00+00:00', value: 12 }] },
  team_id: 't',
  user_id: 'u',
  client_user_id: 'ada',
}

const servers: Server[] = []
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map(server => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    }),
  )
})

type Judge = (body: string, headers: IncomingMessage['headers']) => number

/** Starts a handler that reads up to a limit, then responds with the status from `judge`. If the judge throws, the handler fails. */
async function start(judge: Judge, limitBytes = LIMIT_BYTES): Promise<string> {
  const server = createServer((request, response) => handle(judge, limitBytes, request, response))
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function handle(judge: Judge, limitBytes: number, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limitBytes) chunks.push(chunk)
    else if (!response.headersSent) response.writeHead(413, { connection: 'close' }).end()
  })
  request.on('end', () => {
    if (response.headersSent) return
    let status = 500
    try {
      status = judge(Buffer.concat(chunks).toString('utf8'), request.headers)
    } catch {
      // the status of a handler that failed
    }
    response.writeHead(status).end()
  })
}

function verified(body: string, headers: IncomingMessage['headers']): boolean {
  try {
    new Webhook(SECRET).verify(body, headers as Record<string, string>, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

/** A correct handler: verifies with the published library and accepts repeated and unknown events. */
const right: Judge = (body, headers) => {
  if (!verified(body, headers)) return 401
  try {
    JSON.parse(body)
  } catch {
    return 400
  }
  return 204
}

async function run(
  url: string,
  names: readonly string[] = TEST_CASES.map(each => each.name),
  responseTimeoutMs = 10_000,
) {
  const poster = await openPoster(url, { allowPrivate: false, responseTimeoutMs })
  const make = new DeliveryMaker({
    event: EVENT,
    secret: SECRET,
    headerPrefix: 'svix-',
    version: '0.0.0',
    random: systemRandom,
    paceMs: 20,
  })
  const cases = TEST_CASES.filter(({ name }) => names.includes(name))
  const { signal } = new AbortController()
  try {
    return await runCases(cases, { poster, make, signal, onCase: () => {} })
  } finally {
    await poster.close()
  }
}

const failing = (results: readonly CaseResult[]) => results.filter(each => !each.passed).map(each => each.case)

test('a correct handler passes every case', async () => {
  const results = await run(await start(right))
  expect(failing(results)).toEqual([])
  const names = ['valid', 'bad-signature', 'old-timestamp', 'replayed-id', 'duplicate', 'wrong-order', 'unknown-type']
  expect(results.map(each => each.case)).toEqual(
    expect.arrayContaining([...names, 'unknown-field', 'slow-body', 'oversize']),
  )
})

const json = (body: string): SampleEvent => JSON.parse(body)
const ids = new Set<string>()

describe('a handler that', () => {
  test.each<[string, Judge, readonly string[]]>([
    [
      'checks nothing',
      () => 200,
      ['bad-signature', 'changed-body', 'no-signature', 'old-timestamp', 'future-timestamp'],
    ],
    [
      'forgets the timestamp',
      (body, headers) => {
        const [, first = ''] = String(headers['webhook-signature']).split(',')
        const made = new Webhook(SECRET).sign(
          String(headers['webhook-id']),
          new Date(Number(headers['webhook-timestamp']) * 1_000),
          body,
        )
        return made === `v1,${first}` ? 200 : 401
      },
      ['two-signatures', 'old-timestamp', 'future-timestamp'],
    ],
    [
      'refuses what it has already',
      (body, headers) => {
        if (!verified(body, headers)) return 401
        const id = String(headers['webhook-id'])
        if (ids.has(id)) return 409
        ids.add(id)
        return 200
      },
      ['duplicate'],
    ],
    [
      'takes one type alone',
      (body, headers) => {
        const status = right(body, headers)
        return status === 204 && json(body).event_type !== 'daily.data.steps.created' ? 422 : status
      },
      ['wrong-order', 'unknown-type'],
    ],
    [
      'knows every field',
      (body, headers) => {
        const status = right(body, headers)
        return status === 204 && Object.keys(json(body)).length > 5 ? 400 : status
      },
      ['unknown-field'],
    ],
    [
      'fails over what it cannot parse',
      (body, headers) => {
        if (!verified(body, headers)) return 401
        return json(body).event_type === '' ? 400 : 200
      },
      ['not-json'],
    ],
    ['points elsewhere', (body, headers) => (verified(body, headers) ? 307 : 401), ['valid', 'duplicate']],
  ])('%s fails exactly the matching cases', async (_, judge, cases) => {
    const found = failing(await run(await start(judge)))
    expect(found).toEqual(expect.arrayContaining([...cases]))
    // a fault that affects every genuine event fails many cases
    if (!cases.includes('valid')) expect(found).toHaveLength(cases.length)
  })

  test('accepts at most 100 kB fails the largest event', async () => {
    expect(failing(await run(await start(right, 100_000), ['largest', 'oversize']))).toEqual(['largest'])
  })

  test('uses another secret gets advice about it', async () => {
    const [valid] = await run(await start(() => 401), ['valid'])
    expect(valid).toMatchObject({ passed: false, problem: 'it refused (401) a post that it should have accepted' })
    expect(valid?.advice).toMatch(/svc listen --print-secret/)
  })

  test('never responds fails the case and does not hang the test', async () => {
    const server = createServer(request => void request.resume())
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const [valid] = await run(url, ['valid'], 500)
    expect(valid).toMatchObject({
      passed: false,
      problem: 'no response within 0.5 s',
      answered: [{ failure: 'timeout' }],
    })
  })
})

describe('a handler that ends', () => {
  /** Starts a handler that stops listening at the first body that is not JSON: before it responds, or after. */
  async function fragile(when: 'before' | 'after'): Promise<string> {
    const url = await start((body, headers) => {
      const status = right(body, headers)
      const [server] = servers
      if (status !== 400 || !verified(body, headers)) return status
      server?.close()
      if (when === 'before') server?.closeAllConnections()
      return status
    })
    return url
  }
  const names = ['valid', 'unknown-field', 'not-json', 'slow-body', 'largest', 'oversize', 'still-there']

  test('during a case fails only that case; the remaining cases are not run and get no advice', async () => {
    const results = await run(await fragile('before'), names)
    expect(failing(results)).toEqual(names.slice(2))
    expect(results[2]).toMatchObject({
      answered: [{ failure: 'closed' }],
      advice: expect.stringContaining('respond with 400'),
    })
    for (const each of results.slice(3)) {
      expect(each).toMatchObject({
        answered: [],
        problem: 'not run: the handler ended in not-json',
        advice: null,
      })
    }
    const report = consumerReport('http://127.0.0.1/', results)
    expect(shortfallError(report)).toMatchObject({
      message: 'The handler failed 1 of 7 cases. It ended in not-json, so 4 cases were not run.',
      suggestions: [
        expect.stringMatching(/^not-json: .*respond with 400\.$/),
        'slow-body, largest, oversize, still-there: not run: the handler ended in not-json.',
        'Start the handler again. To run the other cases first, add --skip not-json.',
      ],
    })
    const { columns, rows } = reportView(report)
    expect(columns.map(column => column.value(rows[4] as CaseResult))).toEqual([
      '',
      'largest',
      'a genuine event of 1 MiB, the maximum size',
      '',
      'not run',
      '',
    ])
  })

  test('after its response does not fail a case', async () => {
    const results = await run(await fragile('after'), names)
    expect(results.map(each => each.passed)).toEqual([true, true, true, false, false, false, false])
    expect(shortfallError(consumerReport('http://127.0.0.1/', results)).message).toBe(
      'The handler failed 0 of 7 cases. It ended in not-json, so 4 cases were not run.',
    )
  })
})

test('reports a network error instead of a result if nothing listens', async () => {
  await expect(run('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'network', exitCode: 7 })
})

test('reports exit code 5 and groups the cases that fail in the same way', async () => {
  const report = consumerReport(
    'http://127.0.0.1/',
    await run(await start(() => 200), ['bad-signature', 'no-signature']),
  )
  const error = shortfallError(report)
  expect(error).toMatchObject({ exitCode: 5, message: 'The handler failed 2 of 2 cases.' })
  expect(error.suggestions).toEqual([expect.stringMatching(/^bad-signature, no-signature: it accepted \(200\)/)])
  expect(report.passed).toBe(false)
  const [row] = reportView(report).rows
  expect(
    reportView(report)
      .columns.map(column => column.value(row as CaseResult))
      .slice(0, 5),
  ).toEqual(['✗', 'bad-signature', 'an event signed with another secret', '4xx', '200'])
})

test('can use a given user’s events', () => {
  const own = ofUser(EVENT, { team_id: 'team', user_id: 'user', client_user_id: 'eve' })
  expect(own).toMatchObject({ team_id: 'team', user_id: 'user', client_user_id: 'eve', data: { user_id: 'user' } })
  expect(Object.keys(own)).toEqual(Object.keys(EVENT))
})
