import { request } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Sandbox } from '../../kit/sandbox.ts'
import { serve } from '../../kit/serve.ts'
import { openSink } from '../../kit/sink.ts'
import { hasSmallDisks, type SmallDisk, smallDisk } from '../../kit/small-disk.ts'
import { until } from '../../kit/until.ts'

const NOON_SECONDS = Date.UTC(2026, 9, 1, 12) / 1000
const sandbox = new Sandbox()

interface TestResponse {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly json: unknown
}

/** Starts a server on the disk. Each of its requests uses its own connection. */
async function serveOn(disk: SmallDisk) {
  const server = await serve(sandbox, [], { wrapper: disk, env: { SVC_DATA_DIR: path.join(disk.path, 'data') } })
  const { url, api_key: key, log, stop } = server
  const ask = (method: string, at: string, body?: unknown): Promise<TestResponse> =>
    new Promise((resolve, reject) => {
      const asking = request(
        url + at,
        { method, agent: false, headers: { 'x-service-api-key': key } },
        async response => {
          const responseText = await text(response)
          const isJson = response.headers['content-type']?.startsWith('application/json')
          resolve({
            status: response.statusCode,
            headers: response.headers,
            text: responseText,
            json: isJson ? JSON.parse(responseText) : null,
          })
        },
      )
      asking.on('error', reject)
      asking.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
    })
  return { log, stop, ask }
}

/** Returns samples one second apart as NDJSON. */
function heartRates(fromSeconds: number, count: number): string {
  const heartRate = (i: number) => ({
    resource: 'heartrate',
    timestamp: new Date((fromSeconds + i) * 1000).toISOString(),
    value: 60 + Math.sin(i),
  })
  return Array.from({ length: count }, (_, i) => `${JSON.stringify(heartRate(i))}\n`).join('')
}

test.skipIf(!hasSmallDisks)(
  'a server on a full disk refuses writes, keeps reading, and recovers',
  { timeout: 180_000 },
  async () => {
    const disk = smallDisk(24 << 20)
    const { log, stop, ask } = await serveOn(disk)
    const names: string[] = []
    const create = async (name: string): Promise<TestResponse> => {
      const response = await ask('POST', '/v2/user', { client_user_id: name })
      if (response.status === 200) names.push(name)
      return response
    }
    const ada = (await create('ada')).json as { user_id: string }
    const push = (from: number, count: number) =>
      ask('POST', `/svc/v1/users/${ada.user_id}/samples`, heartRates(NOON_SECONDS + from, count))
    const upload = (from: number, count: number) =>
      ask('POST', `/svc/v1/users/${ada.user_id}/imports`, heartRates(NOON_SECONDS + from, count))

    // a continuous query, and an endpoint that responds while the disk is full
    const query = {
      slug: 'beats',
      title: 'Beats by the day',
      query: {
        select: [{ group_key: '*' }, { func: 'count', arg: { timeseries: 'heartrate', field: 'value' } }],
        group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { placeholder: true } }],
      },
    }
    const watched = await ask('POST', '/svc/v1/aggregate/continuous_query', query)
    expect(watched.status, watched.text).toBe(200)
    let respondAll = (): void => {}
    const held = new Promise<void>(resolve => {
      respondAll = resolve
    })
    const sink = await openSink(async () => {
      await held
      return 200
    })
    const endpoint = await ask('POST', '/svc/v1/webhooks', { url: `${sink.url}/hook`, event_types: ['*'] })
    expect(endpoint.status, endpoint.text).toBe(200)
    expect((await push(0, 50)).status).toBe(200)
    await until(async () => sink.received.length > 0)

    disk.fill()
    let refused: TestResponse | undefined
    // the log has space for a few more
    for (let i = 0; i < 500 && refused === undefined; i++) {
      const response = await create(`filling-${i}`)
      if (response.status !== 200) refused = response
    }
    expect(refused).toMatchObject({
      status: 507,
      json: { detail: expect.stringMatching(/disk of the service is full/) },
    })
    expect(refused?.headers['x-svc-error-code']).toBe('disk_full')
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    expect(refused?.text).not.toContain(disk.path)
    const unready = await ask('GET', '/readyz')
    expect(unready).toMatchObject({ status: 503, json: { status: 'unavailable', reason: 'disk_full' } })
    expect((await ask('GET', '/healthz')).status).toBe(200)
    respondAll()

    // meanwhile writes are refused with the same message, and reads continue
    for (let i = 1; i <= 5; i++) {
      const responses = [await push(10_000 * i, 3_000), await upload(20_000 * i, 30), await create(`more-${i}`)]
      for (const { status, headers, text: responseText } of responses) {
        expect(status, responseText).toBe(507)
        expect(headers['x-svc-error-code']).toBe('disk_full')
      }
      expect(await ask('GET', '/v2/user/resolve/ada')).toMatchObject({ status: 200, json: { user_id: ada.user_id } })
      expect((await ask('GET', '/readyz')).status).toBe(503)
      await new Promise(resolve => setTimeout(resolve, 800))
    }
    // an attempt whose result could not be stored is repeated at most once, not endlessly
    const tries = new Map<unknown, number>()
    for (const { headers } of sink.received)
      tries.set(headers['webhook-id'], (tries.get(headers['webhook-id']) ?? 0) + 1)
    expect(Math.max(...tries.values())).toBeLessThanOrEqual(2)

    disk.free()
    await until(async () => (await ask('GET', '/readyz')).status === 200)
    expect((await create('after')).status).toBe(200)
    expect((await push(100_000, 10)).status).toBe(200)
    await until(async () => {
      const { text: figures } = await ask('GET', '/metrics')
      return /^svc_webhook_deliveries_waiting 0$/m.test(figures) && /^svc_webhook_deliveries_leased 0$/m.test(figures)
    })
    const resultPath = `/aggregate/v1/user/${ada.user_id}/continuous_query/beats/result_table`
    await until(async () => (await ask('GET', resultPath)).text.includes('50'))

    // all acknowledged data is stored, and nothing else
    const list = await ask('GET', '/v2/user?limit=500')
    const found = (list.json as { users: { client_user_id: string }[] }).users.map(each => each.client_user_id)
    expect(found.sort()).toEqual([...names].sort())
    const samples = await ask(
      'GET',
      `/v2/timeseries/${ada.user_id}/heartrate/grouped?start_date=2026-10-01&end_date=2026-10-05`,
    )
    expect(samples.text.match(/"timestamp"/g)).toHaveLength(60)

    // one line reports the full disk and one the recovery, without a stack trace
    const lines = log()
      .split('\n')
      .filter(line => /full|space/.test(line) && !/^[A-Z]+ \//.test(line))
    expect(lines, log()).toEqual([
      expect.stringMatching(/^disk_full: The disk that holds \S+ is full/),
      'there is space on the disk again',
    ])
    expect(log()).not.toMatch(/^\s+at /m)

    expect(await stop('SIGTERM')).toBe(0)
    const env = { SVC_DATA_DIR: path.join(disk.path, 'data') }
    expect(await sandbox.json(['engine', 'check'], { wrapper: disk, env })).toMatchObject({ ok: true })
  },
)
