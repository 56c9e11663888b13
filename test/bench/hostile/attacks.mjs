/** Attacks by clients on a server. Each attack runs until the process ends, and counts the responses it gets. */
import { createReadStream } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { provider } from './provider.mjs'

const PUSHERS = 48
const PUSH_BYTES = 24 * 1024 * 1024
const PUSH_ITEMS = 100_000
const STOPPED_READERS = 4
const IMPORTERS = 2
const SOCKETS = 2_000
const GUESSES_A_TURN = 5
const GUESS_TURN_MS = 20
/** Milliseconds to wait after a refusal or a broken connection. */
const AGAIN_MS = 100

/** `count(what, n)` adds to the totals that the benchmark prints at the end. */
export const ATTACKS = { export: exports, stopped, push, import: imports, sockets, keys, provider }

/** One client reads all data of a user with millions of samples at full speed, again and again. */
async function exports({ url, apiKey, largeUser, count }) {
  for (;;) {
    const path = `/svc/v1/users/${largeUser}/export`
    const status = await call({ url, apiKey, method: 'GET', path, onData: data => count('MB', data.length / 1e6) })
    count(`exports ${status}`)
  }
}

/** Other clients request the same data and stop reading. */
async function stopped({ url, apiKey, largeUser, count }) {
  const path = `/svc/v1/users/${largeUser}/export`
  await forEach(STOPPED_READERS, async () => {
    for (;;) {
      const closed = new Promise(resolve => {
        const clientRequest = request(
          `${url}${path}`,
          { agent: false, headers: { 'x-service-api-key': apiKey } },
          response => {
            response.once('data', () => response.pause())
            count('readers')
          },
        )
        clientRequest.once('error', () => {})
        clientRequest.once('close', resolve)
        clientRequest.end()
      })
      await closed
      await sleep(AGAIN_MS)
    }
  })
}

/** Pushes that are small on the wire and large when decompressed, from each client for its own user. */
async function push({ url, apiKey, bodies, count }) {
  await forEach(PUSHERS, async i => {
    const userId = await newUser({ url, apiKey }, `push-${process.pid}-${i}`)
    const path = `/svc/v1/users/${userId}/samples`
    for (let n = i; ; n++) {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      const status = await call({ url, apiKey, method: 'POST', path, headers, body: bodies[n % bodies.length] })
      count(`pushes ${status}`)
      if (status !== 200) await sleep(AGAIN_MS)
    }
  })
}

/** Returns two bodies to alternate, so that every push changes stored data. */
export function pushBodies() {
  return [0, 1].map(shift => gzipSync(pushBody(shift)))
}

/** Builds a JSON array with the maximum number of samples of a push, one second apart, each padded with text. */
function pushBody(shift) {
  const start = Date.UTC(2025, 0, 1)
  const room = Math.floor(PUSH_BYTES / PUSH_ITEMS)
  const items = Array.from({ length: PUSH_ITEMS }, (_, i) => {
    const timestamp = new Date(start + i * 1000).toISOString()
    const value = 60 + ((i + shift) % 40)
    const item = `{"resource":"heartrate","timestamp":"${timestamp}","value":${value},"app_id":"`
    return `${item}${`app-${i % 10}-`.padEnd(room - item.length - 3, 'x')}"}`
  })
  return Buffer.from(`[${items.join(',')}]`)
}

/** Uploads large files, each for a new user, so that every one is stored. */
async function imports({ url, apiKey, files, count }) {
  await forEach(IMPORTERS, async i => {
    for (let n = i; ; n++) {
      const userId = await newUser({ url, apiKey }, `import-${process.pid}-${i}-${n}`)
      const { path: file, query } = files[n % files.length]
      const path = `/svc/v1/users/${userId}/imports${query}`
      const status = await call({ url, apiKey, method: 'POST', path, stream: createReadStream(file) })
      count(`imports ${status}`)
      if (status !== 200) await sleep(AGAIN_MS)
    }
  })
}

/** Opens sockets: half of them send nothing, the others one byte of a header a second. Closed ones reconnect. */
async function sockets({ url, count }) {
  const { hostname, port } = new URL(url)
  await forEach(SOCKETS, async i => {
    // 1,000 a second: a flood of connects would measure the kernel
    await sleep(i)
    for (;;) {
      await new Promise(resolve => {
        const socket = connect(Number(port), hostname)
        let trickle
        socket.once('connect', () => {
          count('connections')
          if (i % 2 === 0) return
          socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ')
          trickle = setInterval(() => socket.write('a'), 1_000)
        })
        socket.resume()
        socket.on('error', () => {})
        socket.once('close', () => {
          clearInterval(trickle)
          resolve()
        })
      })
      await sleep(1_000)
    }
  })
}

/** Sends wrong API keys and link tokens, 500 a second in all. */
async function keys({ url, count }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  for (let n = 0; ; n++) {
    for (let i = 0; i < GUESSES_A_TURN; i++) {
      call({ url, agent, apiKey: `sk_us_${n}_${i}_wrong`, method: 'GET', path: '/v2/user?limit=1' }).then(status =>
        count(`keys ${status}`),
      )
      const headers = { 'x-service-link-token': `wrong_${n}_${i}` }
      const path = '/v2/link/providers'
      call({ url, agent, method: 'GET', path, headers }).then(status => count(`tokens ${status}`))
    }
    await sleep(GUESS_TURN_MS)
  }
}

async function newUser({ url, apiKey }, name) {
  const headers = { 'content-type': 'application/json', 'x-service-api-key': apiKey }
  for (;;) {
    const response = await fetch(`${url}/v2/user`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ client_user_id: name, fallback_time_zone: 'Europe/Berlin' }),
    }).catch(() => undefined)
    if (response?.ok) return (await response.json()).user_id
    await response?.body?.cancel()
    await sleep(AGAIN_MS)
  }
}

/** Returns the status of the response, or the reason why there was none. */
function call({ url, apiKey, method, path, headers = {}, body, stream, agent = false, onData }) {
  return new Promise(resolve => {
    const all = apiKey === undefined ? headers : { ...headers, 'x-service-api-key': apiKey }
    const clientRequest = request(`${url}${path}`, { method, headers: all, agent }, response => {
      response.on('data', data => onData?.(data))
      response.once('close', () => resolve(response.complete ? response.statusCode : 'cut off'))
      response.once('error', () => {})
    })
    clientRequest.once('error', error => resolve(error.code ?? error.message))
    if (stream === undefined) clientRequest.end(body)
    else {
      stream.pipe(clientRequest)
      clientRequest.once('close', () => stream.destroy())
    }
  })
}

function forEach(n, run) {
  return Promise.all(Array.from({ length: n }, (_, i) => run(i)))
}
