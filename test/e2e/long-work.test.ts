import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Sandbox, scratchFiles } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'
import { until } from '../kit/until.ts'
import { buildBatch, storeWithUser, USER, writing } from '../store/user-store.ts'

const DAY_MS = 86_400_000
const DAYS = 40
const A_DAY = 20_000
const FROM = Date.UTC(2025, 0, 1)

const sandbox = new Sandbox()
let server: Serving

beforeAll(async () => {
  const store = await storeWithUser(path.join(sandbox.folder, 'data'))
  const series = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' }
  for (let day = 0; day < DAYS; day++) {
    const samples = Array.from({ length: A_DAY }, (_, i) => ({
      start: FROM + day * DAY_MS + i * 4_000,
      value: 60 + ((i * 7) % 80) + 0.25,
    }))
    await store.data.write(USER, writing([buildBatch(series, samples)], { at: Date.now() }))
  }
  await store.close()
  server = await serve(sandbox, ['--rate-limit', '0'])
  // from now on the threads for reads and for changes are running
  await server.ask('POST', '/svc/v1/check')
  await upload(Buffer.from(lines(1, 0)))
})

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Returns a response once its head has arrived. */
function opened(method: string, at: string, { body, own = false }: { body?: Buffer; own?: boolean } = {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'x-service-api-key': server.api_key, ...(body ? { 'content-type': 'application/x-ndjson' } : {}) }
    const clientRequest = request(server.url + at, { method, headers, ...(own ? {} : { agent }) }, resolve)
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}

async function whole(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${Buffer.concat(pieces)}`)
  return Buffer.concat(pieces).toString()
}

const lookUp = async () => whole(await opened('GET', `/v2/user/${USER}`))

/** Returns the number of look-ups that got a response, one after the other, while the work ran. */
async function lookUpsDuring(work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  const running = work().finally(() => {
    isOver = true
  })
  // awaited below
  running.catch(() => {})
  let responseCount = 0
  while (!isOver) {
    await lookUp()
    responseCount++
  }
  await running
  return responseCount
}

/** Returns lines of items, one second apart. */
function lines(count: number, from: number): string {
  const items = Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      resource: 'steps',
      provider: 'garmin',
      source_type: 'watch',
      start: new Date(FROM + (from + i) * 1000).toISOString(),
      end: new Date(FROM + (from + i) * 1000).toISOString(),
      value: i % 50,
    }),
  )
  return `${items.join('\n')}\n`
}

const upload = async (body: Buffer) =>
  JSON.parse(await whole(await opened('POST', `/svc/v1/users/${USER}/imports`, { body, own: true }))) as {
    import_id: string
    records: number
  }

/** Reads a figure of /metrics. */
async function figure(name: string): Promise<number> {
  const text = await whole(await opened('GET', '/metrics'))
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const exported = (own = true) => opened('GET', `/svc/v1/users/${USER}/export`, { own })

/** Checks that the server becomes idle: the long work would have kept a processor busy for many more seconds. */
async function expectRest(): Promise<void> {
  await pause(300)
  const before = await figure('process_cpu_seconds_total')
  await pause(1_500)
  expect((await figure('process_cpu_seconds_total')) - before).toBeLessThan(0.75)
}

/** Returns the niceness of each thread of a process: the 19th value of proc_pid_stat(5), of which the second may contain spaces. */
function niceness(pid: number): number[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).map(task =>
    Number(
      readFileSync(path.join(tasks, task, 'stat'), 'utf8')
        .split(') ')[1]
        ?.split(' ')[16],
    ),
  )
}

// on other systems, threads do not have priorities of their own
test.skipIf(process.platform !== 'linux')('both threads for long work run at a lower priority than the others', () => {
  const all = niceness(server.pid)
  const usual = Math.min(...all)
  expect(all.filter(each => each > usual)).toHaveLength(2)
})

describe('look-ups get responses', () => {
  const LEAST = 5

  test('while a user is exported', async () => {
    const responseCount = await lookUpsDuring(async () => {
      let bytes = 0
      for await (const piece of await exported()) bytes += (piece as Buffer).length
      expect(bytes).toBeGreaterThan(DAYS * A_DAY * 100)
    })
    expect(responseCount).toBeGreaterThan(LEAST)
  })

  test('while an import is merged and undone', async () => {
    const body = Buffer.from(lines(120_000, 100))
    let importId = ''
    const importing = await lookUpsDuring(async () => {
      const { import_id, records } = await upload(body)
      importId = import_id
      expect(records).toBe(120_000)
    })
    expect(importing).toBeGreaterThan(LEAST)
    const undoing = await lookUpsDuring(async () => {
      const { status } = await server.ask('POST', `/svc/v1/imports/${importId}/undo`)
      expect(status).toBe(200)
    })
    expect(undoing).toBeGreaterThan(LEAST)
  })

  test('while people are seeded', async () => {
    const responseCount = await lookUpsDuring(() => server.ask('POST', '/svc/v1/seed', { people: 1, days: 180 }))
    expect(responseCount).toBeGreaterThan(LEAST)
  })

  test('while samples are aggregated and explained', async () => {
    const timeframe = { type: 'relative', anchor: '2025-02-15', past: { unit: 'day', value: 60 } }
    const select = [{ index: 'timeseries' }, { timeseries: 'heartrate', field: 'value' }]
    const where = 'heartrate > 60'
    const query = { queries: [{ select, where }], timeframe }
    for (const [at, body] of [
      [`/aggregate/v1/user/${USER}/query`, query],
      [`/svc/v1/aggregate/user/${USER}/explain`, { query }],
    ] as const) {
      const responseCount = await lookUpsDuring(async () => {
        const { status, json } = await server.ask('POST', at, body)
        expect([status, status === 200 ? null : json]).toEqual([200, null])
      })
      expect(responseCount).toBeGreaterThan(0)
    }
  })
})

describe('an export that is', () => {
  test('not read uses little memory, and delays no other request', async () => {
    const before = await figure('process_resident_memory_bytes')
    const response = await exported()
    response.pause()
    const responseCount = await lookUpsDuring(() => pause(1_500))
    const after = await figure('process_resident_memory_bytes')
    response.destroy()
    expect(responseCount).toBeGreaterThan(20)
    expect(after - before).toBeLessThan(64 * 1024 * 1024)
    await expectRest()
  })

  test('abandoned midway is stopped', async () => {
    const response = await exported()
    let bytes = 0
    for await (const piece of response) {
      bytes += (piece as Buffer).length
      if (bytes > 5_000_000) break
    }
    response.destroy()
    await expectRest()
  })

  test('interrupted by Ctrl-C ends at once, and leaves nothing behind', async () => {
    const folder = path.join(sandbox.folder, 'exported')
    const exporting = sandbox.start(['user', 'export', 'a', '-o', folder])
    const isUnderWay = () =>
      existsSync(folder) && readdirSync(folder).some(name => statSync(path.join(folder, name)).size > 1_000_000)
    await until(isUnderWay)
    expect(await exporting.stop('SIGINT')).toBe(130)
    expect(readdirSync(folder)).toEqual([])
  })
})

test('an upload that is cut off stores nothing', async () => {
  const headers = { 'x-service-api-key': server.api_key, 'content-type': 'application/x-ndjson' }
  const clientRequest = request(`${server.url}/svc/v1/users/${USER}/imports`, { method: 'POST', headers })
  clientRequest.on('error', () => {})
  clientRequest.write(lines(20_000, 500_000))
  await pause(300)
  clientRequest.destroy()
  await pause(500)
  expect(scratchFiles(sandbox)).toEqual([])
  const { json } = await server.ask('GET', '/svc/v1/imports')
  expect((json as { imports: { records: number }[] }).imports.some(each => each.records === 20_000)).toBe(false)
})
