/** The console's cost for `svc serve`: start and API rate, before and after its files were loaded, compared with another working tree. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import autocannon from 'autocannon'
import { root } from '../bundle.mjs'
import { median } from '../figures.mjs'
import { serveOurs } from '../serve/serve-processes.mjs'
import { newFolder, withServer } from './console-server.mjs'

const MOST_DRIFT = 0.03
const CONNECTIONS = 32
/** Requests in one round. Rounds are short, so that the servers see the same machine load. */
const REQUESTS = 4_000
const TURNS_PER_ROUND = 5

/** Loads the files of the first view, so that the server has them in memory. */
async function loadConsole({ url }) {
  const shell = await (await fetch(`${url}/console`)).text()
  const files = [...shell.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([file]) => file)
  for (const file of new Set(files)) await (await fetch(url + file)).arrayBuffer()
  if (files.length === 0) throw new Error('The shell names no files.')
}

/** CPU time of all threads of a process in ms; null on systems without /proc. Other load affects it less than it affects rates. */
function cpuMs({ pid }) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const ns = threads.map(id => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
    return ns.reduce((sum, each) => sum + each, 0) / 1e6
  } catch {
    return null
  }
}

async function rateOf({ url, apiKey, child }, path) {
  const headers = { 'x-service-api-key': apiKey, accept: 'application/json' }
  const before = cpuMs(child)
  const result = await autocannon({ url: url + path, connections: CONNECTIONS, amount: REQUESTS, headers })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`)
  const used = before === null ? null : ((cpuMs(child) - before) * 1000) / result.requests.total
  return { rate: (REQUESTS * 1000) / (result.finish - result.start), used }
}

/** One start on an existing folder with a warm code cache, like a restarted server. */
async function started(folder, tree) {
  const began = performance.now()
  const { child, end } = await serveOurs(folder, tree)
  const start = { ms: performance.now() - began, used: cpuMs(child) }
  await end()
  return start
}

/** Each round begins with another server. */
function turned(entries, round) {
  const first = (round + 3 * entries.length) % entries.length
  return [...entries.slice(first), ...entries.slice(0, first)]
}

/** The servers take turns, so that other load on the machine affects all of them alike. */
export async function benchServe(figures, { rounds, base }) {
  const trees = { console: root, ...(base === undefined ? {} : { base }) }
  const starts = Object.fromEntries(Object.keys(trees).map(name => [name, []]))
  const folders = Object.fromEntries(Object.keys(trees).map(name => [name, newFolder()]))
  for (let round = -3; round < rounds * 2; round++) {
    for (const [name, tree] of turned(Object.entries(trees), round)) {
      const start = await started(folders[name], tree)
      if (round >= 0) starts[name].push(start)
    }
  }
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  const ms = value => `${value.toFixed(0)} ms`
  compare(figures, 'svc serve, from start to accepting connections', of(starts, 'ms'), 'console', ms)
  compare(figures, '  CPU time of it', of(starts, 'used'), 'console', ms)
  const rates = { loaded: [], ...Object.fromEntries(Object.keys(trees).map(name => [name, []])) }
  const run = async servers => {
    for (let round = -3; round < rounds * TURNS_PER_ROUND; round++) {
      for (const [name, { server, path }] of turned(Object.entries(servers), round)) {
        const rate = await rateOf(server, path)
        if (round >= 0) rates[name].push(rate)
      }
    }
  }
  const prepared = async server => {
    const { user_id: id } = await server.call('POST', '/v2/user', { client_user_id: 'bench' })
    return { server, path: `/v2/user/${id}` }
  }
  await withServer(async loaded => {
    await loadConsole(loaded)
    await withServer(async plain => {
      const servers = { loaded: await prepared(loaded), console: await prepared(plain) }
      if (base === undefined) return run(servers)
      await withServer(async other => run({ ...servers, base: await prepared(other) }), { root: base })
    })
  })
  for (const [name, state] of Object.entries({ console: 'not loaded', loaded: 'loaded' })) {
    const what = `GET /v2/user/{user_id}, ${CONNECTIONS} connections, console ${state}`
    compare(figures, what, of(rates, 'rate'), name, rate => `${rate.toFixed(0)}/s`, true)
    compare(figures, '  CPU time of a request', of(rates, 'used'), name, used => `${used.toFixed(1)} µs`)
  }
}

/** Extracts one value from the measurements of each server. */
function of(seen, key) {
  return Object.fromEntries(Object.entries(seen).map(([name, all]) => [name, all.map(each => each[key])]))
}

/** Adds the median of `name`, and its change relative to the base; without a base, there is no target. */
function compare(figures, what, seen, name, words, isMoreBetter = false) {
  if (seen[name].includes(null)) return
  const value = median(seen[name])
  figures.add(what, words(value))
  if (seen.base === undefined) return
  // compares each measurement with the base's in the same round
  const change = median(seen[name].map((each, i) => each / seen.base[i])) - 1
  const loss = isMoreBetter ? -change : change
  const sign = change < 0 ? '' : '+'
  const figure = `${sign}${(change * 100).toFixed(1)} %`
  figures.add(`  against the base (${words(median(seen.base))})`, figure, '± 3 %', loss <= MOST_DRIFT)
}
