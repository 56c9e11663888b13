/** Measures a server that polls many connections: its memory, the provider's limits, and how long look-ups take meanwhile. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { pause } from '../webhooks/webhooks-processes.mjs'
import { linkPerson, serve, setUp, startFakeProvider } from './providers-processes.mjs'

const MOST_MB = 250
const MOST_P99_MS = 50
/** Look-ups a second, over 4 connections. */
const LOOK_UPS = 100
/** Oura's own limit. */
const LIMIT = { most: 5_000, windowMs: 300_000 }

export async function benchPolls(figures, { connections }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const fake = await startFakeProvider({ days: 20, rowsAPage: 1_000 })
  const server = await serve(folder)
  let peakMb = 0
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(server.child.pid))
  }, 200)
  await setUp(server, fake, { scopes: ['daily'] })
  const looking = new AbortController()
  const users = []
  // few requests for each person, so that the limit allows two rounds of all of them
  const recently = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10)
  const began = performance.now()
  for (let i = 0; i < connections; i++)
    users.push(await linkPerson(server, fake, `person-${i}`, { ingestion_start: recently }))
  const looked = lookUps(server, users[0], looking.signal)
  await until(async () => (await figuresOf(server)).in_history === 0)
  const historyS = (performance.now() - began) / 1_000
  // all connections are polled at once
  const polling = performance.now()
  for (let i = 0; i < users.length; i += 20) {
    const some = users.slice(i, i + 20)
    await Promise.all(some.map(user => server.call('POST', `/v2/user/refresh/${user}?timeout=60`)))
  }
  const pollS = (performance.now() - polling) / 1_000
  looking.abort()
  const latencies = await looked
  clearInterval(watch)
  const { most } = await fake.ask({ ask: 'most', windowMs: LIMIT.windowMs })
  await server.end()
  fake.end()
  rmSync(folder, { recursive: true })
  figures.add(`${connections} connections: linked and their history pulled`, `${historyS.toFixed(1)} s`)
  figures.add('  polled once more', `${pollS.toFixed(1)} s`)
  figures.add('  memory of the server at most', `${peakMb.toFixed(0)} MB`, `<= ${MOST_MB} MB`, peakMb <= MOST_MB)
  const limit = `<= ${LIMIT.most}`
  figures.add('  most requests in any 300 s at the provider', `${most}`, limit, most <= LIMIT.most)
  const p99 = `${latencies.p99} ms`
  figures.add(`  look-ups meanwhile, ${LOOK_UPS}/s: p99`, p99, `<= ${MOST_P99_MS} ms`, latencies.p99 <= MOST_P99_MS)
}

async function lookUps({ url, apiKey }, userId, signal) {
  const running = autocannon({
    url: `${url}/v2/user/${userId}`,
    headers: { 'x-service-api-key': apiKey },
    connections: 4,
    overallRate: LOOK_UPS,
    duration: 3_600,
  })
  signal.addEventListener('abort', () => running.stop())
  return (await running).latency
}

async function figuresOf(server) {
  const { providers } = await server.call('GET', '/svc/v1/providers/status?provider=oura&limit=1')
  return providers[0]
}

async function until(isSo) {
  while (!(await isSo())) await pause(250)
}

function residentMb(pid) {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m)
  return line ? Number(line[1]) / 1024 : 0
}
