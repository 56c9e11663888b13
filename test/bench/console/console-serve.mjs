/** What the console costs `svc serve`: start and API rate, before and after its files were loaded, next to another working tree. */
import autocannon from 'autocannon'
import { root } from '../bundle.mjs'
import { median } from '../figures.mjs'
import { withServer } from './console-server.mjs'

const MOST_DRIFT = 0.03
const CONNECTIONS = 32
const SECONDS = 3

/** Loads what the first view loads, so that the server holds it. */
async function loadConsole({ url }) {
  const shell = await (await fetch(`${url}/console`)).text()
  const files = [...shell.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([file]) => file)
  for (const file of new Set(files)) await (await fetch(url + file)).arrayBuffer()
  if (files.length === 0) throw new Error('The shell names no files.')
}

async function rateOf({ url, apiKey }, path) {
  const headers = { 'x-service-api-key': apiKey, accept: 'application/json' }
  const result = await autocannon({ url: url + path, connections: CONNECTIONS, duration: SECONDS, headers })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`)
  return result.requests.mean
}

async function startMs(folder) {
  let ms = 0
  const began = performance.now()
  await withServer(async () => {
    ms = performance.now() - began
  }, folder)
  return ms
}

/** The servers take turns, so that other load on the machine affects all of them alike. */
export async function benchServe(figures, { rounds, base }) {
  const trees = { console: root, ...(base === undefined ? {} : { base }) }
  const starts = Object.fromEntries(Object.keys(trees).map(name => [name, []]))
  for (let round = -2; round < rounds * 2; round++) {
    for (const [name, tree] of Object.entries(trees)) {
      const ms = await startMs(tree)
      if (round >= 0) starts[name].push(ms)
    }
  }
  compare(figures, 'svc serve, from start to accepting connections', starts, 'console', ms => `${ms.toFixed(0)} ms`)
  const rates = { loaded: [], ...Object.fromEntries(Object.keys(trees).map(name => [name, []])) }
  const run = async servers => {
    for (let round = -1; round < rounds; round++) {
      for (const [name, { server, path }] of Object.entries(servers)) {
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
      await withServer(async other => run({ ...servers, base: await prepared(other) }), base)
    })
  })
  const words = rate => `${rate.toFixed(0)}/s`
  compare(figures, `GET /v2/user/{user_id}, ${CONNECTIONS} connections, console not loaded`, rates, 'console', words)
  compare(figures, '  console loaded', rates, 'loaded', words)
}

/** Adds the median of `name`, and its change against the base; without a base, there is nothing to reach. */
function compare(figures, what, seen, name, words) {
  const value = median(seen[name])
  figures.add(what, words(value))
  if (seen.base === undefined) return
  const before = median(seen.base)
  const change = value / before - 1
  // slower is a longer start, or a lower rate
  const loss = what.startsWith('svc serve') ? change : -change
  const sign = change < 0 ? '' : '+'
  const figure = `${sign}${(change * 100).toFixed(1)} %`
  figures.add(`  against the base (${words(before)})`, figure, '± 3 %', loss <= MOST_DRIFT)
}
