/**
 * `npm run bench:hostile`: measures look-ups on the built `svc serve` with a heap of 512 MB while clients attack it: each attack alone,
 * then all at once; and how long a team waits while another team's provider is slow.
 * `--only none,export,stopped,push,import,sockets,keys,all,provider,slow-provider`, `--seconds N` per round, `--rounds N`, `--quick` (a tenth of
 * the data and one short round).
 */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { fillStore, ONE_SOURCE } from './aggregate/aggregate-data.mjs'
import { bundled, root } from './bundle.mjs'
import { Figures, median, percentile } from './figures.mjs'
import { lookUps } from './hostile/look-ups.mjs'
import { serve } from './hostile/server.mjs'
import { benchSlowProvider } from './hostile/slow-provider.mjs'
import { freshFolder, USER } from './samples/samples-store.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const SECONDS = Number(values.seconds ?? (values.quick ? 6 : 20))
const ROUNDS = Number(values.rounds ?? (values.quick ? 1 : 3))
const SHARE = values.quick ? 0.1 : 1
const SAMPLES = 12.8e6 * SHARE
const APPLE_RECORDS = 5e5 * SHARE
const CSV_ROWS = 1e6 * SHARE
const CONNECTIONS = 32
const LOOK_UPS_A_SECOND = 200
/** Time before measuring starts: connections open, the runtime fills its pools, and the attack gets going. */
const WARM_UP_MS = 1_000
const GET_GOING_MS = 3_000
const GOALS = { p99Ms: 50, loopMs: 100, memoryMb: 900 }
const DAY = '2026-11-19'

/** For each name that `--only` accepts: its title and its attacks. */
const MIXES = {
  none: ['nothing else', []],
  export: ['an export of all samples to a fast reader', ['export']],
  stopped: ['exports to readers that stop', ['stopped']],
  push: ['48 gzip pushes of 24 MiB at a time', ['push']],
  import: ['imports of large files', ['import']],
  sockets: ['2,000 idle and slow sockets', ['sockets']],
  keys: ['500 wrong keys and tokens a second', ['keys']],
  all: ['all of these at once', ['export', 'stopped', 'push', 'import', 'sockets', 'keys']],
  provider: ['hostile responses of a live provider', ['provider']],
}

/** Creates the files to import, once. */
function makeFiles(folder) {
  const apple = join(folder, 'export.xml')
  const generator = join(root, 'test', 'bench', 'apple', 'apple-export.mjs')
  const made = spawnSync(process.execPath, [generator, '--records', `${APPLE_RECORDS}`, '--seed', '1', '--out', apple])
  if (made.status !== 0) throw new Error(`the generator ended with ${made.status}: ${made.stderr}`)
  const csv = join(folder, 'steps.csv')
  const start = Date.UTC(2020, 0, 1)
  const rows = Array.from({ length: CSV_ROWS }, (_, i) => `${new Date(start + i * 60_000).toISOString()},${i % 97}`)
  writeFileSync(csv, `Time,Value\n${rows.join('\n')}\n`)
  const mapping = JSON.stringify({ columns: { start: 'Time', value: 'Value' }, resource: 'steps', unit: 'count' })
  return [
    { path: apple, query: '' },
    { path: csv, query: `?format=csv&mapping=${encodeURIComponent(mapping)}` },
  ]
}

/** Creates a user with a page of 100 samples to look up. */
async function makeLookUps({ url, apiKey }) {
  const headers = { 'x-service-api-key': apiKey, 'content-type': 'application/json' }
  const post = async (path, body) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const { user_id: userId } = await post('/v2/user', {
    client_user_id: 'looked-up',
    fallback_time_zone: 'Europe/Berlin',
  })
  const samples = Array.from({ length: 100 }, (_, i) => ({
    resource: 'glucose',
    timestamp: new Date(Date.parse(`${DAY}T00:00:00Z`) + i * 300_000).toISOString(),
    value: 4 + ((i * 7) % 50) / 10,
  }))
  await post(`/svc/v1/users/${userId}/samples`, samples)
  return [`/v2/user/${userId}`, `/v2/timeseries/${userId}/glucose/grouped?start_date=${DAY}&end_date=${DAY}`]
}

/** Runs one round of a mix against a separate server. */
async function round(folder, names, { paths, files }) {
  const server = await serve(folder)
  const { url, apiKey } = server
  let attacker
  try {
    const target = { url, apiKey, paths, connections: CONNECTIONS, perSecond: LOOK_UPS_A_SECOND }
    const warm = lookUps(target)
    await sleep(WARM_UP_MS)
    await warm.stop()
    if (names.length > 0) attacker = await attack({ names, url, apiKey, largeUser: USER, files })
    await server.longestDelay()
    const stalls = monitorEventLoopDelay({ resolution: 10 })
    stalls.enable()
    const measured = lookUps(target)
    attacker?.begin()
    await sleep(GET_GOING_MS + SECONDS * 1000)
    const counts = await attacker?.end()
    const { times, failures } = await measured.stop()
    const longestDelay = await server.longestDelay()
    stalls.disable()
    const longestStall = Math.max(0, stalls.max / 1e6 - 10)
    const crash = server.isAlive() ? null : server.lastWords()
    return { times, failures, longestDelay, longestStall, memory: server.peakMemory(), counts: counts ?? {}, crash }
  } finally {
    await attacker?.end()
    await server.end()
  }
}

/** Starts a process that waits for the signal to attack. */
async function attack(what) {
  const mostMs = GET_GOING_MS + SECONDS * 1000 + 60_000
  const file = join(root, 'test', 'bench', 'hostile', 'attacker.mjs')
  const child = fork(file, [JSON.stringify({ ...what, mostMs })], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  let counts = {}
  child.on('message', said => {
    if (said.error) console.error(said.error)
    counts = said.counts ?? counts
  })
  const exit = once(child, 'exit')
  await Promise.race([once(child, 'message'), exit])
  return {
    begin: () => child.connected && child.send('begin'),
    async end() {
      if (child.connected) child.send('end')
      const cut = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await exit
      clearTimeout(cut)
      return counts
    },
  }
}

function addMix(figures, title, rounds) {
  const all = rounds.flatMap(each => each.times)
  const p99 = median(rounds.map(each => percentile(each.times, 0.99)))
  const what = `${title}: p99 of ${all.length} look-ups`
  figures.add(what, `${p99.toFixed(1)} ms`, `≤ ${GOALS.p99Ms} ms`, p99 <= GOALS.p99Ms)
  figures.add('  p50 of all, and the longest', `${median(all).toFixed(1)}, ${percentile(all, 1).toFixed(0)} ms`)
  // a server that is gone or reports no figure has met no target
  const delay = median(rounds.map(each => each.longestDelay ?? Number.POSITIVE_INFINITY))
  figures.add('  longest event-loop delay', `${delay.toFixed(0)} ms`, `≤ ${GOALS.loopMs} ms`, delay <= GOALS.loopMs)
  const stall = median(rounds.map(each => each.longestStall))
  figures.add('  the same of this bench, which does little: what the machine adds', `${stall.toFixed(0)} ms`)
  const memory = Math.max(...rounds.map(each => each.memory))
  const isSmall = memory <= GOALS.memoryMb
  figures.add('  peak RSS', `${memory.toFixed(0)} MB`, `≤ ${GOALS.memoryMb} MB`, isSmall)
  const why = new Map()
  for (const { failures } of rounds) for (const [each, n] of failures) why.set(each, (why.get(each) ?? 0) + n)
  const failed = [...why.values()].reduce((sum, n) => sum + n, 0)
  const kinds = [...why].map(([each, n]) => `${each}: ${n}`).join(', ')
  figures.add(`  look-ups that failed${kinds && ` (${kinds})`}`, `${failed}`, '0', failed === 0)
  const crashes = rounds.filter(each => each.crash !== null)
  figures.add('  crashes of the server', `${crashes.length}`, '0', crashes.length === 0)
  for (const { crash } of crashes) console.log(crash.trim().split('\n').slice(-3).join('\n'))
  const { counts } = rounds[rounds.length - 1]
  const did = Object.entries(counts).map(([each, n]) => `${each}: ${Number.isInteger(n) ? n : n.toFixed(1)}`)
  if (did.length > 0) console.log(`  the attack, last round: ${did.sort().join(', ')}`)
}

const SLOW_PROVIDER = 'slow-provider'
const names = [...Object.keys(MIXES), SLOW_PROVIDER]
const all = values.only?.split(',') ?? names
const unknown = all.filter(name => !names.includes(name))
if (unknown.length > 0) throw new Error(`--only takes ${names.join(', ')}; not ${unknown.join(', ')}`)
const wanted = all.filter(name => name !== SLOW_PROVIDER)

const figures = new Figures()
if (all.includes(SLOW_PROVIDER)) await benchSlowProvider(figures)
if (wanted.length === 0) process.exit(figures.missed > 0 ? 1 : 0)
const folder = freshFolder()
try {
  mkdirSync(join(folder, 'data'))
  await (await fillStore(await bundled('store-entry.ts'), join(folder, 'data'), SAMPLES, 0, ONE_SOURCE)).close()
  const files = makeFiles(folder)
  const first = await serve(folder)
  const paths = await makeLookUps(first).finally(() => first.end())
  for (const name of wanted) {
    const [title, names] = MIXES[name]
    const rounds = []
    for (let i = 0; i < ROUNDS; i++) rounds.push(await round(folder, names, { paths, files }))
    addMix(figures, title, rounds)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = figures.missed > 0 ? 1 : 0
