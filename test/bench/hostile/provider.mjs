/** A live provider whose responses take the most time and memory to read, for people who link their accounts one after the other. */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

const LINK_EVERY_MS = 500
const DEEP = 100_000
const page = (rows, next) => Buffer.from(`{"data":[${rows}],"next_token":${JSON.stringify(next)}}`)

/** Its responses to requests for data, in turn. Created before measuring starts. */
export function hostileResponses() {
  const day = JSON.stringify({ id: 'a', day: new Date().toISOString().slice(0, 10), steps: 1 })
  return [
    // ten million objects in 30 MB
    { body: page(`{}${',{}'.repeat(1e7 - 1)}`, null) },
    // the maximum that is read
    { body: page(`{}${',{}'.repeat(700_000)}`, null) },
    { body: page(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, null) },
    { body: gzipSync(Buffer.alloc(200e6, ' ')), headers: { 'content-encoding': 'gzip' } },
    { body: page(`${`${day},`.repeat(99_999)}${day}`, null) },
    { body: n => page(day, `page-${n}`) },
  ]
}

/** Runs the provider, and links people until the process ends. `count` adds to the totals of the benchmark. */
export async function provider({ url, apiKey, answers: responses, count }) {
  const fake = await open(responses, count)
  const call = callOf(url, apiKey)
  const redirect_url = 'http://localhost:1/callback'
  const urls = { authorize_url: `${fake}/authorize`, token_url: `${fake}/token`, api_url: fake }
  const app = { client_id: 'c', client_secret: 's', redirect_url, ...urls }
  await call('PUT', '/svc/v1/providers/oura/setup', app)
  for (let n = 0; ; n++) {
    const { user_id } = await call('POST', '/v2/user', { client_user_id: `hostile-${process.pid}-${n}` })
    const { link_token } = await call('POST', '/v2/link/token', { user_id, provider: 'oura' })
    const headers = { 'x-service-link-token': link_token }
    const { state } = await call('GET', '/v2/link/provider/oauth/oura', undefined, headers)
    const back = { parameters: { code: `code-${n}`, state } }
    const linked = await call('POST', '/svc/v1/link/oauth/oura/callback', back, { 'x-service-link-token': state })
    count(`links ${linked.state}`)
    await sleep(LINK_EVERY_MS)
  }
}

async function open(responses, count) {
  let sent = 0
  const server = createServer((request, response) => {
    request.resume()
    const { pathname } = new URL(request.url, 'http://provider')
    const json = body => response.setHeader('content-type', 'application/json').end(body)
    if (pathname === '/token') {
      return json(
        JSON.stringify({ access_token: `t${sent}`, refresh_token: 'r', token_type: 'bearer', expires_in: 86_400 }),
      )
    }
    if (pathname.endsWith('/personal_info')) return json(JSON.stringify({ id: `person-${sent}` }))
    const n = sent++
    const { body, headers = {} } = responses[n % responses.length]
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    count('hostile responses')
    return json(typeof body === 'function' ? body(n) : body)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${server.address().port}`
}

function callOf(url, apiKey) {
  return async (method, path, body, headers = {}) => {
    const type = body && { 'content-type': 'application/json' }
    const reply = await fetch(url + path, {
      method,
      headers: { 'x-service-api-key': apiKey, ...type, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
}
