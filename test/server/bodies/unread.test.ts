/** A caller that writes its whole body before it reads, as blocking clients do, and is refused before the body is read. */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { serve, type TestServer } from '../../kit/server.ts'

const SIZE = 24 * 1024 * 1024
/** Far less than the 66 s for which such a caller hung, and far more than a busy machine needs. */
const PATIENCE_MS = 20_000

let server: TestServer
let userId: string
beforeAll(async () => {
  server = await serve({ maxBytesInFlight: 4 * 1024 * 1024 })
  const made = await server.ask('POST', '/v2/user', { body: '{"client_user_id":"a"}' })
  userId = (made.json as { user_id: string }).user_id
})

interface ReceivedResponse {
  /** The response, if any. */
  readonly heard: string
  readonly sentAll: boolean
}

/** Reads nothing until everything is written or the connection is closed. */
function blocking(head: string, body: Uint8Array): Promise<ReceivedResponse> {
  const { port, hostname } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let heard = ''
    let sentAll = false
    const timer = setTimeout(() => reject(new Error(`it hangs; heard ${heard.slice(0, 40)}`)), PATIENCE_MS)
    socket.setEncoding('latin1').pause()
    socket.on('data', text => {
      heard += text
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(timer)
      resolve({ heard, sentAll })
    })
    socket.write(head)
    socket.write(body, error => {
      sentAll = !error
      socket.resume()
    })
  })
}

const requestHead = (path: string, headers: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'host: x', ...headers, '', ''].join('\r\n')
/** Returns the body as one chunk and the end. */
const chunked = (body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])

const identity = Buffer.alloc(SIZE, ' ')
/** Random bytes that do not compress. */
const gzip = gzipSync(identity, { level: 0 })

describe('a caller that writes 24 MiB before it reads', () => {
  const pushes = (): string => `/svc/v1/users/${userId}/samples`
  it.each([
    ['without a key', pushes, [], /401/],
    ['to a path that is not there', () => '/nowhere', ['x-service-api-key: KEY'], /404/],
    [
      'for a user that is not there',
      () => '/svc/v1/users/00000000-0000-4000-8000-000000000000/samples',
      ['x-service-api-key: KEY'],
      /404/,
    ],
    ['in JSON, which is smaller', () => '/v2/user', ['x-service-api-key: KEY'], /413/],
    ['with a wrong method', () => '/v2/user/x/y/z', ['x-service-api-key: KEY'], /40[45]/],
    ['to a form', () => '/link', ['content-type: text/plain'], /415/],
  ])('gets the response or a closed connection, however it sends: %s', async (_, path, headers, status) => {
    const given = headers.map(each => each.replace('KEY', server.apiKey))
    for (const body of [identity, gzip]) {
      for (const way of ['length', 'chunked'] as const) {
        const framing = way === 'length' ? `content-length: ${body.length}` : 'transfer-encoding: chunked'
        const head = requestHead(path(), [...given, framing])
        const { heard, sentAll } = await blocking(head, way === 'length' ? body : chunked(body))
        expect(sentAll, 'what is left of it is not read').toBe(false)
        if (heard !== '') expect(heard.slice(0, 12)).toMatch(status)
      }
    }
  })

  it('gets 401 before it is asked for the body', async () => {
    const head = requestHead(pushes(), ['expect: 100-continue', `content-length: ${SIZE}`])
    const { heard } = await blocking(head, Buffer.alloc(0))
    expect(heard).toMatch(/^HTTP\/1\.1 401 /)
    expect(heard).toMatch(/\r\nconnection: close\r\n/i)
  })

  it('is asked for the body when the server reads it', async () => {
    const body = Buffer.from('{"client_user_id":"invited"}')
    const { port, hostname } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    let heard = ''
    const seen = (what: RegExp): Promise<void> =>
      new Promise(resolve => {
        const look = () => what.test(heard) && resolve()
        socket.on('data', look)
        look()
      })
    socket.setEncoding('latin1').on('data', text => {
      heard += text
    })
    const key = `x-service-api-key: ${server.apiKey}`
    socket.write(requestHead('/v2/user', [key, 'expect: 100-continue', `content-length: ${body.length}`]))
    await seen(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    socket.write(body)
    await seen(/HTTP\/1\.1 201 |HTTP\/1\.1 200 /)
    socket.destroy()
  })
})

describe('a refused small body', () => {
  it('is read to its end, and the response always arrives', async () => {
    for (let i = 0; i < 20; i++) {
      const body = Buffer.alloc(100_000, ' ')
      const { heard } = await blocking(
        requestHead('/nowhere', ['connection: close', `content-length: ${body.length}`]),
        body,
      )
      expect(heard).toMatch(/^HTTP\/1\.1 404 /)
    }
  })

  it('that has arrived with the request leaves the connection open', async () => {
    const first = await server.ask('POST', '/nowhere', { body: '{"a":1}' })
    expect(first.status).toBe(404)
    expect(first.headers.get('connection')).not.toBe('close')
  })
})
