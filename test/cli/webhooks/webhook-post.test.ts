/** The outcome of posting to handlers of every kind, broken ones in particular. */

import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openPoster, type PostOutcome } from '../../../src/cli/webhooks/webhook-post.ts'
import { openSink } from '../../kit/sink.ts'

const servers: Server[] = []
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await Promise.all(servers.splice(0).map(server => new Promise(resolve => server.close(resolve))))
})

/** Starts a server of raw bytes; `answer` handles each connection. */
async function startTcp(handleSocket: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    handleSocket(socket)
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function post(url: string, responseTimeoutMs = 10_000): Promise<PostOutcome> {
  const poster = await openPoster(url, { allowPrivate: false, responseTimeoutMs })
  try {
    return await poster.post({ headers: { 'content-type': 'application/json' }, body: '{}' })
  } finally {
    await poster.close()
  }
}

describe('a response', () => {
  test('is returned with its status, its duration and the start of its body', async () => {
    const handler = await openSink((_, response) => void response.writeHead(202).end('x'.repeat(10_000)))
    const outcome = await post(handler.url)
    expect(outcome).toMatchObject({ status: 202, error: null, failure: null, retryAfterMs: null })
    expect(outcome.responseText).toHaveLength(4_096)
    expect(outcome.ms).toBeGreaterThanOrEqual(0)
  })

  test('that is a redirect is not followed', async () => {
    const handler = await openSink((_, response) => void response.writeHead(307, { location: '/hooks' }).end())
    expect(await post(handler.url)).toMatchObject({ status: 307 })
    expect(handler.received).toHaveLength(1)
  })

  test('can contain the time of the retry', async () => {
    const responses = [429, 503, 500]
    const handler = await openSink(
      (_, response, index) => void response.writeHead(responses[index] as number, { 'retry-after': '7' }).end(),
    )
    const waits = [await post(handler.url), await post(handler.url), await post(handler.url)]
    expect(waits.map(each => each.retryAfterMs)).toEqual([7_000, 7_000, null])
  })

  test('that never ends is cut off, and its status counts', async () => {
    const url = await startTcp(socket => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        const more = () => {
          if (!socket.destroyed) socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`, () => setImmediate(more))
        }
        more()
      })
    })
    expect(await post(url)).toMatchObject({ status: 200, error: null })
  })

  test('that stops in the middle of its body counts by its status', async () => {
    const url = await startTcp(socket => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello'))
    })
    expect(await post(url, 1_000)).toMatchObject({ status: 200, responseText: 'hello' })
  })
})

describe('a missing response', () => {
  test.each<[string, (socket: Socket) => void, Partial<PostOutcome>]>([
    ['within the time', () => {}, { failure: 'timeout', error: 'no response within 1 s' }],
    ['before the connection is closed', socket => socket.once('data', () => socket.end()), { failure: 'closed' }],
    [
      'before the connection is reset',
      socket => socket.once('data', () => socket.resetAndDestroy()),
      { failure: 'closed' },
    ],
    [
      'that is HTTP',
      socket => socket.once('data', () => socket.end('hello\r\n\r\n')),
      { failure: 'other', error: 'the response is not HTTP' },
    ],
  ])('%s', async (_, handleSocket, expected) => {
    expect(await post(await startTcp(handleSocket), 1_000)).toMatchObject({ status: null, ...expected })
  })

  test('is reported when nothing listens, or when TLS is used with a plain server', async () => {
    expect(await post('http://127.0.0.1:1/')).toMatchObject({
      failure: 'unreachable',
      error: expect.stringMatching(/nothing listens there/),
    })
    const plain = await openSink(() => 200)
    expect(await post(plain.url.replace('http:', 'https:'))).toMatchObject({ status: null, failure: 'other' })
  })

  test('is reported with the reason of the signal that cancelled the request', async () => {
    const url = await startTcp(() => {})
    const poster = await openPoster(url, { allowPrivate: false })
    const controller = new AbortController()
    const posted = poster.post({ headers: {}, body: '{}', signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 50)
    await expect(posted).rejects.toThrow('enough')
    await poster.close()
  })
})

test.each(['nonsense', 'ftp://localhost/', 'http://example.com/', 'https://10.0.0.1/', 'http://127.1/'])(
  'webhooks are not sent to %s',
  async url => {
    await expect(openPoster(url, { allowPrivate: false })).rejects.toMatchObject({ code: 'usage' })
  },
)
