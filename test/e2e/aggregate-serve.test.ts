/** Aggregate queries against a real `svc serve`, which runs them in a separate thread. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import type { Sandbox } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'

let sandbox: Sandbox
let server: Serving
let userId: string

beforeEach(async () => {
  sandbox = new InProcessSandbox()
  server = await serve(sandbox)
  const created = await server.ask('POST', '/v2/user', { client_user_id: 'ada' })
  userId = (created.json as { user_id: string }).user_id
})
afterEach(() => server.stop('SIGTERM'))

const heartRates = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    resource: 'heartrate',
    timestamp: new Date(Date.UTC(2026, 10, 1) + i * 5_000).toISOString(),
    value: 60 + (i % 90),
    provider: 'garmin',
    source_type: 'watch',
  }))

const byDay = (resource: string) => ({
  timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'month', value: 1 } },
  queries: [
    {
      select: [
        { group_key: '*' },
        { func: 'mean', arg: { timeseries: resource, field: 'value' } },
        { func: 'count', arg: { timeseries: resource, field: 'value' } },
      ],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
    },
  ],
})

const query = (body: unknown) => server.ask('POST', `/aggregate/v1/user/${userId}/query`, body)

describe('an aggregate query on a server', () => {
  test('returns the same result as a command on the folder, and includes recent writes', async () => {
    for (const count of [10, 25_000]) {
      await server.ask('POST', `/svc/v1/users/${userId}/samples`, { samples: heartRates(count) })
      const { status, json } = await query(byDay('heartrate'))
      expect(status).toBe(200)
      const own = await sandbox.run(['aggregate', 'query', 'ada', '-', '--json'], {
        input: JSON.stringify(byDay('heartrate')),
      })
      expect(JSON.parse(own.stdout)).toEqual(json)
      const { results } = json as { results: [{ table: { count: number[] } }] }
      expect(results[0].table.count.reduce((sum, each) => sum + each, 0)).toBe(count)
    }
  })

  test('is refused as everywhere: with the position of the error and without a value', async () => {
    expect(await query(byDay('heartrat'))).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'queries', 0, 'select', 1, 'arg', 'timeseries'] }] },
    })
    // the thread keeps working
    expect(await query(byDay('heartrate'))).toMatchObject({ status: 200 })
  })

  test('gets a response even when many arrive at once', async () => {
    await server.ask('POST', `/svc/v1/users/${userId}/samples`, { samples: heartRates(20_000) })
    const responses = await Promise.all(Array.from({ length: 12 }, () => query(byDay('heartrate'))))
    expect(new Set(responses.map(each => JSON.stringify(each.json))).size).toBe(1)
    expect(responses.map(each => each.status)).toEqual(responses.map(() => 200))
  })

  test('does not keep the server from stopping after its caller left', async () => {
    const controller = new AbortController()
    const left = fetch(`${server.url}/aggregate/v1/user/${userId}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-key': server.api_key },
      body: JSON.stringify(byDay('heartrate')),
      signal: controller.signal,
    })
    controller.abort()
    await expect(left).rejects.toThrow()
    expect(await query(byDay('heartrate'))).toMatchObject({ status: 200 })
  })
})
