/**
 * Measures how long another team waits for the first request of a new connection while the provider of one team keeps 100 connections
 * waiting: it trickles bytes, or it does not respond.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { linkPerson, serve, setUp, startFakeProvider } from '../providers/providers-processes.mjs'

const CONNECTIONS = 100
const MOST_MS = 2_000
const GIVE_UP_MS = 300_000
/** Time for the connections to be under way, in milliseconds. */
const GET_GOING_MS = 10_000
const TRICKLE_MS = 500
const LOOK_MS = 10

export async function benchSlowProvider(figures) {
  for (const isTrickling of [true, false]) await benchOne(figures, isTrickling)
}

async function benchOne(figures, isTrickling) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const fake = await startFakeProvider({ days: 5, rowsAPage: 1_000 })
  const slow = await openSlow(isTrickling)
  const server = await serve(folder)
  try {
    // accounts are linked at the fake provider, and the data is at the slow provider
    await setUp(server, fake)
    const users = []
    for (let i = 0; i < CONNECTIONS; i++) users.push(await linkPerson(server, fake, `person-${i}`))
    await setUp(server, fake, { api_url: slow.url })
    // the data of all users is due again, and no pull gets it
    for (const user of users) server.call('POST', `/v2/user/refresh/${user}?timeout=5`).catch(() => {})
    const { team_id } = await server.call('POST', '/svc/v1/teams', { name: 'another' })
    const key = await server.call('POST', `/svc/v1/teams/${team_id}/keys`, { is_operator: true })
    const other = {
      call: (method, path, body, headers) =>
        server.call(method, path, body, { 'x-service-api-key': key.api_key, ...headers }),
    }
    await setUp(other, fake)
    await sleep(GET_GOING_MS)
    await fake.ask({ ask: 'forget' })
    await linkPerson(other, fake, 'person-of-another-team')
    const waitedMs = await firstRequest(fake)
    const what = `100 connections at a provider that ${isTrickling ? 'trickles' : 'hangs'}: another team's first request`
    figures.add(what, `${waitedMs.toFixed(0)} ms`, `≤ ${MOST_MS} ms`, waitedMs <= MOST_MS)
    figures.add('  requests that the slow provider holds', `${slow.held()}`)
    const closing = performance.now()
    await server.end()
    figures.add('  the server stops', `${(performance.now() - closing).toFixed(0)} ms`)
  } finally {
    await server.end('SIGKILL')
    slow.close()
    fake.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns how long the first request for data takes from now. */
async function firstRequest(fake) {
  const began = performance.now()
  for (;;) {
    const { requests } = await fake.ask({ ask: 'requests' })
    const isAsked = requests.some(({ path }) => /^\/v2\/usercollection\/(?!personal_info)/.test(path))
    const waitedMs = performance.now() - began
    if (isAsked || waitedMs > GIVE_UP_MS) return waitedMs
    await sleep(LOOK_MS)
  }
}

async function openSlow(isTrickling) {
  const held = new Set()
  const server = createServer((_request, response) => {
    held.add(response)
    let trickling
    response.once('close', () => {
      clearInterval(trickling)
      held.delete(response)
    })
    if (!isTrickling) return
    response.writeHead(200, { 'content-type': 'application/json' })
    trickling = setInterval(() => response.write(' '), TRICKLE_MS)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    held: () => held.size,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
