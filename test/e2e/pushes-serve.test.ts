/** Pushes to a real `svc serve`: large ones run in threads, and many at once stay within the available memory. */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Sandbox } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'
import { serve as serveFromSources, type TestServer } from '../kit/server.ts'
import { openSink } from '../kit/sink.ts'
import { until } from '../kit/until.ts'

vi.setConfig({ testTimeout: 300_000 })

interface Server {
  readonly url: string
  readonly api_key: string
}
interface TestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Node's own client: it returns the response even if the connection ends before everything is sent. */
function ask(
  server: Server,
  method: string,
  path: string,
  body?: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-service-api-key': server.api_key,
      ...(body ? { 'content-length': Buffer.byteLength(body) } : {}),
      ...more,
    }
    const sent = request(server.url + path, { method, headers, agent: false }, response => {
      let text = ''
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => {
          text += piece
        })
        .once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        .once('error', reject)
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
const json = (response: TestResponse): Record<string, unknown> => JSON.parse(response.text) as Record<string, unknown>

async function addUser(server: Server, name: string): Promise<string> {
  return json(await ask(server, 'POST', '/v2/user', JSON.stringify({ client_user_id: name })))['user_id'] as string
}
const pushPath = (userId: string): string => `/svc/v1/users/${userId}/samples`

const sample = (i: number, fields: object = {}) => ({
  resource: 'heartrate',
  timestamp: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
  value: 60 + (i % 90),
  provider: 'garmin',
  source_type: 'watch',
  ...fields,
})
/** Pads a push to this many bytes with blanks, which JSON ignores. */
const padded = (text: string, bytes: number): string => text + ' '.repeat(Math.max(0, bytes - text.length))

let server: Serving | undefined
afterEach(async () => {
  await server?.stop('SIGTERM')
  server = undefined
})

async function start(heapMb?: number): Promise<Serving> {
  const env: Record<string, string> = heapMb === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMb}` }
  server = await serve(new Sandbox(), ['--rate-limit', '0'], { env })
  return server
}

describe('many large gzip pushes at once, on a heap of 512 MB', () => {
  test.each([
    [40, 24],
    [60, 12],
  ])(
    '%i of %i MiB: each is stored or refused for a retry, small ones are served, and memory stays bounded',
    async (count, size) => {
      const items = Array.from({ length: 100_000 }, (_, i) =>
        sample(i, { app_id: 'com.example.app', sport: `s${i % 7}` }),
      )
      const text = padded(JSON.stringify({ samples: items }), size * 1024 * 1024).slice(0, 32 * 1024 * 1024)
      const held = size === 24 ? 100_000 : 50_000
      const body = gzipSync(size === 24 ? text : padded(JSON.stringify(items.slice(0, held)), size * 1024 * 1024))
      const served = await start(512)
      const users: string[] = []
      for (let i = 0; i < count; i++) users.push(await addUser(served, `user ${i}`))
      const honest = await addUser(served, 'honest')

      let isOver = false
      const small: number[] = []
      const smallPushes = (async () => {
        for (let i = 0; !isOver; i++) {
          small.push((await ask(served, 'POST', pushPath(honest), JSON.stringify([sample(i)]))).status)
          small.push((await ask(served, 'GET', `/v2/user/${honest}`)).status)
          await new Promise(resolve => setTimeout(resolve, 20))
        }
      })()
      const responses = await Promise.all(users.map(user => ask(served, 'POST', pushPath(user), body)))
      isOver = true
      await smallPushes

      const stored = responses.filter(({ status }) => status === 200)
      const refused = responses.filter(({ status }) => status === 503)
      expect(stored.length).toBeGreaterThan(0)
      expect(refused.length).toBeGreaterThan(0)
      expect(stored.length + refused.length).toBe(count)
      for (const { headers } of refused) {
        expect([headers['retry-after'], headers['x-svc-error-code']]).toEqual(['2', 'overloaded'])
      }
      expect(small.length).toBeGreaterThan(0)
      expect(small.filter(status => status !== 200)).toEqual([])
      // acknowledged data is stored, and nothing of the refused requests
      for (const [i, user] of users.entries()) {
        const some = [0, held - 1].map(at => sample(at, { app_id: 'com.example.app' }))
        const again = json(await ask(served, 'POST', pushPath(user), JSON.stringify(some)))
        const { unchanged } = (again['stored'] as Record<string, { unchanged: number }>)['heartrate'] as {
          unchanged: number
        }
        // without a sport, so existing samples of the app are replaced
        expect(unchanged, `user ${i}`).toBe(0)
        const replaced = (again['stored'] as Record<string, { replaced: number }>)['heartrate']?.replaced
        expect(replaced, `user ${i}`).toBe(responses[i]?.status === 200 ? 2 : 0)
      }
      const { text: metrics } = await ask(served, 'GET', '/metrics')
      expect(/^svc_body_bytes_in_flight (\d+)$/m.exec(metrics)?.[1]).toBe('0')
      const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${served.pid}/status`, 'utf8'))?.[1]) / 1024
      console.log(
        `${count} of ${size} MiB: ${stored.length} stored, ${refused.length} refused, peak ${peakMb.toFixed(0)} MB`,
      )
      expect(peakMb).toBeLessThan(1_200)
    },
  )
})

describe('a push in a thread', () => {
  const bodies: readonly (readonly [string, string | Uint8Array])[] = [
    ['a document', JSON.stringify({ samples: [sample(0), sample(1)] })],
    ['the same again', JSON.stringify([sample(0), sample(1, { value: 99 })])],
    ['lines', [sample(2), sample(3)].map(each => JSON.stringify(each)).join('\n')],
    ['gzip', gzipSync(padded(JSON.stringify([sample(4)]), 40_000))],
    [
      'a summary and a stream',
      JSON.stringify({
        summaries: [
          {
            summary: 'workouts',
            id: 'run 7',
            at: '2026-01-02T08:30:00+01:00',
            document: {
              time_start: '2026-01-02T07:30:00+00:00',
              time_end: '2026-01-02T08:05:00+00:00',
              distance: 5000,
            },
          },
        ],
        streams: [{ stream: 'run 7', time_ms: [Date.UTC(2026, 0, 2, 7, 30)], heartrate: [61] }],
      }),
    ],
    ['many', JSON.stringify(Array.from({ length: 12_000 }, (_, i) => sample(i, { resource: 'steps', value: i % 50 })))],
    ['a wrong value', JSON.stringify([sample(0), sample(1, { value: 'S3CRET' })])],
    ['wrong in many places', JSON.stringify(Array(500).fill(sample(1, { value: null })))],
    ['a wrong line', `${JSON.stringify(sample(1))}\n{`],
    ['no JSON', 'S3CRET'],
    ['no list', '{"samples": {}}'],
    ['another document', '{"S3CRET": []}'],
    ['no UTF-8', Buffer.concat([Buffer.from([0x5b, 0xff, 0x5d]), Buffer.alloc(40_000, ' ')])],
    [
      'half a gzip',
      gzipSync(Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 251))).subarray(0, 30_000),
    ],
    ['too many items', '1\n'.repeat(100_001)],
    ['too deep', '['.repeat(40_000)],
    ['too large', ' '.repeat(33 * 1024 * 1024)],
  ]

  test('has the same response, audit entry and events as one on the event loop', async () => {
    const inThread = await start()
    const sources: TestServer = await serveFromSources()
    const inPlace: Server = { url: sources.url, api_key: sources.apiKey }
    const outcomes = await Promise.all(
      [inThread, inPlace].map(async where => {
        const user = await addUser(where, 'a')
        const observed: unknown[] = []
        for (const [name, body] of bodies) {
          const sent = typeof body === 'string' ? padded(body, 20_000) : body
          const { status, headers, text } = await ask(where, 'POST', pushPath(user), sent)
          observed.push([
            name,
            status,
            headers['x-svc-error-code'],
            headers['content-type'],
            text.replaceAll(user, 'USER'),
          ])
        }
        const read = async (path: string): Promise<Record<string, unknown>> => json(await ask(where, 'GET', path))
        const days = '?start_date=2026-01-01&end_date=2026-01-02'
        for (const resource of ['heartrate', 'steps'])
          observed.push(await read(`/v2/timeseries/${user}/${resource}/grouped${days}`))
        const { entries } = (await read('/svc/v1/audit')) as {
          entries: { operation: string; outcome: string; object: object }[]
        }
        observed.push(entries.map(({ operation, outcome, object }) => [operation, outcome, Object.keys(object)]))
        const { data } = (await read(`/svc/v1/events?user_id=${user}`)) as { data: { type: string }[] }
        observed.push(data.map(({ type }) => type))
        return observed.map(each => JSON.stringify(each).replaceAll(/"(user_id|id|next_cursor)":"[^"]*"/g, '"$1":"…"'))
      }),
    )
    for (const [i, each] of (outcomes[0] as string[]).entries()) expect(each).toBe(outcomes[1]?.[i])
    const all = String(outcomes[0])
    expect(all).not.toContain('S3CRET')
    for (const status of [200, 413, 422]) expect(all).toContain(`,${status},`)
  })

  test('is visible to the next read, and is delivered', async () => {
    const served = await start()
    const sink = await openSink()
    const endpoint = { url: `${sink.url}/hook`, event_types: ['daily.data.heartrate.created'] }
    expect((await ask(served, 'POST', '/svc/v1/webhooks', JSON.stringify(endpoint))).status).toBeLessThan(300)
    const user = await addUser(served, 'a')
    const days = '?start_date=2026-01-01&end_date=2026-01-02'
    const path = `/v2/timeseries/${user}/heartrate/grouped${days}`
    for (let i = 0; i < 20; i++) {
      const body = padded(JSON.stringify([sample(i)]), 20_000)
      // cached before, and read over other connections at the same time
      const others = [ask(served, 'GET', path), ask(served, 'GET', path)]
      expect((await ask(served, 'POST', pushPath(user), body)).status).toBe(200)
      const { groups } = json(await ask(served, 'GET', path)) as { groups: Record<string, { data: unknown[] }[]> }
      expect(groups['garmin']?.[0]?.data).toHaveLength(i + 1)
      await Promise.all(others)
    }
    await until(() => sink.received.length >= 20)
    expect(sink.received).toHaveLength(20)
  })

  test('with an idempotency key runs once, and gets the same response again', async () => {
    const served = await start()
    const user = await addUser(served, 'a')
    const key = { 'x-idempotency-key': 'one' }
    const body = padded(JSON.stringify([sample(0)]), 20_000)
    const first = await ask(served, 'POST', pushPath(user), body, key)
    // without another write in between the push would count as unchanged
    const again = await ask(served, 'POST', pushPath(user), body, key)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(json(again)['stored']).toEqual({ heartrate: { samples: 1, replaced: 0, unchanged: 0 } })
    const other = await ask(served, 'POST', pushPath(user), padded(JSON.stringify([sample(1)]), 20_000), key)
    expect(other.status).toBe(422)
  })

  test('is recorded exactly as it arrived', async () => {
    const served = await start()
    const user = await addUser(served, 'a')
    const started = await ask(served, 'POST', '/svc/v1/recording')
    const { recording_id: id } = JSON.parse(started.text.split('\n', 1)[0] as string) as { recording_id: string }
    const plain = padded(JSON.stringify([sample(0)]), 20_000)
    const packed = gzipSync(padded(JSON.stringify([sample(1)]), 2_000_000))
    for (const body of [plain, packed]) expect((await ask(served, 'POST', pushPath(user), body)).status).toBe(200)
    const { text } = await ask(served, 'POST', `/svc/v1/recording/${id}/read`, '{"after":0}')
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    const uploads = lines.flatMap(line =>
      typeof line['upload'] === 'string' ? [Buffer.from(line['upload'], 'base64')] : [],
    )
    expect(uploads[0]?.toString()).toBe(plain)
    expect(uploads[1]).toEqual(packed)
    expect(gunzipSync(uploads[1] as Buffer)).toHaveLength(2_000_000)
  })

  test('is rate-limited and refused without a key like any other, and stores nothing if the caller leaves', async () => {
    const served = await start()
    const user = await addUser(served, 'a')
    const body = padded(JSON.stringify([sample(0)]), 20_000)
    expect((await ask({ ...served, api_key: 'sk_us_wrong_wrong_wrong' }, 'POST', pushPath(user), body)).status).toBe(
      401,
    )
    const large = padded(JSON.stringify(Array.from({ length: 60_000 }, (_, i) => sample(i))), 9_000_000)
    const left = request(served.url + pushPath(user), {
      method: 'POST',
      headers: { 'x-service-api-key': served.api_key, 'content-length': large.length },
    })
    left.once('error', () => {})
    left.write(large.slice(0, 8_000_000))
    await new Promise(resolve => setTimeout(resolve, 300))
    left.destroy()
    expect((await ask(served, 'POST', pushPath(user), body)).status).toBe(200)
    const report = json(await ask(served, 'POST', pushPath(user), padded(JSON.stringify([sample(1)]), 20_000)))
    expect(report['stored']).toEqual({ heartrate: { samples: 1, replaced: 0, unchanged: 0 } })
  })
})

describe('a large JSON body', () => {
  test('is refused quickly with a short message if everything in it is invalid', async () => {
    const served = await start()
    const user = await addUser(served, 'a')
    const query = (items: number): string => `{"timeframe":{"placeholder":true},"queries":[${'1,'.repeat(items)}1]}`
    const path = `/aggregate/v1/user/${user}/query`
    const many = await ask(served, 'POST', path, query(20_000))
    expect(many.status).toBe(422)
    expect((json(many)['detail'] as unknown[]).length).toBe(100)
    expect(many.text.length).toBeLessThan(20_000)
    const tooMany = await ask(served, 'POST', path, query(500_000))
    expect([tooMany.status, tooMany.headers['x-svc-error-code']]).toEqual([413, 'body_too_large'])
    expect((await ask(served, 'POST', path, `{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).status).toBe(422)
  })
})
