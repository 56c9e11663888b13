/**
 * `npm run bench:serve`: requests per second of `svc serve`, compared with Prism mocking the same document and a bare Fastify route with
 * the same bytes, then a mixed load with the server's memory. `--minutes N` is the duration of that load (10 for the figure), `--seconds N`
 * the duration of each round; `--rounds N`; `--only rate,load` runs one part only.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { Figures, median } from './figures.mjs'
import { benchLoad } from './serve/serve-load.mjs'
import { serveBare, serveMock, serveOurs } from './serve/serve-processes.mjs'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0.5' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
})
const CONNECTIONS = 32
const MOST_P99_MS = 20
const TIMES_THE_MOCK = 5
const SHARE_OF_BARE = 0.5
const SAMPLES = 100
const DAY = '2026-11-19'

async function call(ours, method, path, body) {
  const headers = { 'x-service-api-key': ours.apiKey, 'content-type': 'application/json' }
  const response = await fetch(ours.url + path, { method, headers, body: body && JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`)
  return response.text()
}

/** Creates a user with a page of 100 samples. */
async function fill(ours) {
  const body = { client_user_id: 'bench', fallback_time_zone: 'Europe/Berlin', fallback_birth_date: '1990-02-03' }
  const { user_id: userId } = JSON.parse(await call(ours, 'POST', '/v2/user', body))
  const samples = Array.from({ length: SAMPLES }, (_, i) => ({
    resource: 'glucose',
    timestamp: new Date(Date.parse(`${DAY}T00:00:00Z`) + i * 300_000).toISOString(),
    value: 4 + ((i * 7) % 50) / 10,
  }))
  await call(ours, 'POST', `/svc/v1/users/${userId}/samples`, samples)
  const page = `/v2/timeseries/${userId}/glucose/grouped?start_date=${DAY}&end_date=${DAY}`
  const { groups } = JSON.parse(await call(ours, 'GET', page))
  const held = Object.values(groups)
    .flat()
    .flatMap(group => group.data).length
  if (held !== SAMPLES) throw new Error(`the page holds ${held} samples`)
  return { userId, page }
}

async function round(url, path, apiKey, seconds) {
  const headers = { 'x-service-api-key': apiKey, accept: 'application/json' }
  const result = await autocannon({ url: url + path, connections: CONNECTIONS, duration: seconds, headers })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${path}: ${result.non2xx} refusals and ${result.errors} errors at ${url}`)
  }
  return { rate: result.requests.mean, p99: result.latency.p99 }
}

/** The servers take turns, so that other load on the machine affects all of them alike. */
async function compare(figures, what, path, { ours, mock, bare }) {
  const seen = { ours: [], mock: [], bare: [] }
  const seconds = Number(values.seconds)
  for (const { url } of [ours, mock, bare]) await round(url, path, ours.apiKey, 1)
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [name, { url }] of Object.entries({ ours, mock, bare })) {
      seen[name].push(await round(url, path, ours.apiKey, seconds))
    }
  }
  const rate = name => median(seen[name].map(each => each.rate))
  const p99 = median(seen.ours.map(each => each.p99))
  const overMock = rate('ours') / rate('mock')
  const ofBare = rate('ours') / rate('bare')
  figures.add(`${what}: requests a second, ${CONNECTIONS} connections`, rate('ours').toFixed(0))
  figures.add(
    `  times Prism mocking the same document (${rate('mock').toFixed(0)})`,
    `${overMock.toFixed(1)} ×`,
    `≥ ${TIMES_THE_MOCK} ×`,
    overMock >= TIMES_THE_MOCK,
  )
  figures.add(
    `  of a bare Fastify route with the same bytes (${rate('bare').toFixed(0)})`,
    `${ofBare.toFixed(2)} ×`,
    `≥ ${SHARE_OF_BARE} ×`,
    ofBare >= SHARE_OF_BARE,
  )
  figures.add('  p99', `${p99.toFixed(1)} ms`, `≤ ${MOST_P99_MS} ms`, p99 <= MOST_P99_MS)
}

const AGGREGATE = {
  timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 1 } },
  queries: [
    {
      select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'glucose', field: 'value' } }],
      group_by: [{ date_trunc: { unit: 'hour', value: 1 }, arg: { index: 'timeseries' } }],
    },
  ],
}

const isWanted = part => values.only === undefined || values.only.split(',').includes(part)
const figures = new Figures()
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-serve-'))
mkdirSync(join(folder, 'data'))
const started = []
try {
  const ours = await serveOurs(folder)
  started.push(ours)
  const { userId, page } = await fill(ours)
  if (isWanted('rate')) {
    const paths = [`/v2/user/${userId}`, page]
    const routes = []
    for (const path of paths) routes.push({ path: path.split('?')[0], bytes: await call(ours, 'GET', path) })
    const bare = await serveBare(folder, routes)
    started.push(bare)
    const mock = await serveMock(folder, JSON.parse(await call(ours, 'GET', '/openapi.json')))
    started.push(mock)
    const servers = { ours, mock, bare }
    await compare(figures, 'GET /v2/user/{user_id}', paths[0], servers)
    await compare(figures, `a timeseries page of ${SAMPLES} samples`, page, servers)
    await Promise.all([bare.end(), mock.end()])
  }
  if (isWanted('load')) {
    const seconds = Math.round(Number(values.minutes) * 60)
    await benchLoad(figures, { ...ours, userId, page, body: AGGREGATE }, { seconds, connections: CONNECTIONS })
  }
} finally {
  for (const each of started) await each.end()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = figures.missed > 0 ? 1 : 0
