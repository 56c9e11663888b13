/** How targets that misbehave are reported: each failure has its own message, and none leaves anything open. */
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { type EndpointResponse, openSender, type Sender } from '../../src/delivery/sender.ts'
import { openSink } from '../kit/sink.ts'
import { within } from '../kit/until.ts'
import { selfSigned } from '../server/certificate.ts'

const senders: Sender[] = []
const servers: { close(): unknown }[] = []
afterAll(async () => {
  for (const sender of senders) await sender.close()
  for (const server of servers) server.close()
})

async function send(
  url: string,
  options: Partial<Parameters<typeof openSender>[0]> = {},
): Promise<EndpointResponse | null> {
  const sender = await openSender({ allowPrivate: false, responseTimeoutMs: 1_500, ...options })
  senders.push(sender)
  return sender.send({
    route: 'one',
    url: new URL(url),
    allowLoopback: true,
    headers: ['content-type', 'application/json'],
    body: Buffer.from('{}'),
  })
}

/** Starts a server that handles each connection with `onConnection`. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    onConnection(socket)
  })
  servers.push({ close: () => server.close() })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

const respondingWith = (text: string) => rawServer(socket => socket.once('data', () => socket.write(text)))

describe('a response', () => {
  it('of 2xx is a success, whatever its body', async () => {
    const sink = await openSink((_, response) => {
      response.writeHead(202).end('<html>not JSON at all')
      return undefined
    })
    expect(await send(sink.url)).toMatchObject({ status: 202, error: null })
  })

  it('that is a redirect fails and is not followed', async () => {
    const sink = await openSink(({ path }, response) => {
      response.writeHead(path === '/' ? 302 : 200, { location: `${sink.url}/elsewhere` }).end()
      return undefined
    })
    expect(await send(sink.url)).toMatchObject({ status: 302, error: 'responded with 302: redirects are not followed' })
    expect(sink.received).toHaveLength(1)
  })

  it('that never ends counts by its status, and only its start is read', async () => {
    let closed = (): void => {}
    const isClosed = new Promise<void>(resolve => {
      closed = resolve
    })
    const url = await rawServer(socket => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n')
        const timer = setInterval(() => {
          socket.write('x'.repeat(64 * 1024))
        }, 5)
        socket.on('close', () => {
          clearInterval(timer)
          closed()
        })
      })
    })
    expect(await send(url)).toMatchObject({ status: 200, error: null })
    await within(isClosed, () => 'the connection stays open')
  })

  it('that trickles counts by its status when the time limit is reached', async () => {
    const url = await respondingWith('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx')
    expect(await send(url, { responseTimeoutMs: 300 })).toMatchObject({ status: 200, error: null })
  })

  it('that does not arrive fails after the time limit', async () => {
    const url = await rawServer(() => {})
    const outcome = await send(url, { responseTimeoutMs: 300 })
    expect(outcome).toMatchObject({ status: null, error: 'no response within 0.3 s' })
    expect(outcome?.ms).toBeGreaterThanOrEqual(290)
  })

  it('is impossible if no connection was made in time, which is a different failure', async () => {
    const url = await rawServer(() => {})
    expect(await send(url, { responseTimeoutMs: 1_000 })).toMatchObject({ failure: 'timeout' })
    // TLS never begins
    const outcome = await send(url.replace('http:', 'https:'), { responseTimeoutMs: 300 })
    expect(outcome).toMatchObject({ failure: 'unreachable', error: 'no response within 0.3 s' })
  })

  it('that is not HTTP fails with its own message', async () => {
    const gone = await openSink()
    await gone.close()
    expect(await send(gone.url)).toMatchObject({ error: 'nothing listens there: the connection was refused' })
    expect((await send(await respondingWith('SSH-2.0-OpenSSH_9\r\n')))?.error).toBe('the response is not HTTP')
    const closed = await rawServer(socket => socket.once('data', () => socket.destroy()))
    expect((await send(closed))?.error).toBe('the connection was closed before a response arrived')
    const long = await respondingWith(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)
    expect((await send(long))?.error).toBe('the response headers are too long')
    expect((await send('http://127.0.0.1:1/'))?.status).toBeNull()
  })

  it('over untrusted TLS, or without TLS, fails with its own message', async () => {
    const plain = (await openSink()).url.replace('http:', 'https:')
    expect((await send(plain))?.error).toMatch(/^TLS failed/)
    const server = createTlsServer(selfSigned(new Date(Date.now() + 86_400_000)))
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect((await send(`https://127.0.0.1:${port}/`))?.error).toBe('its certificate is self-signed')
  })
})

describe('a target', () => {
  const resolving =
    (address: string): Parameters<typeof openSender>[0]['resolve'] =>
    (_, done) =>
      done(null, [{ address, family: address.includes(':') ? 6 : 4 }])

  it('whose name resolves to a forbidden address is not connected to', async () => {
    let connections = 0
    const url = await rawServer(() => connections++)
    const { port } = new URL(url)
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
      const outcome = await send(`https://hooks.example:${port}/`, { resolve: resolving(address) })
      expect(outcome?.error, address).toMatch(/to which webhooks are not sent/)
    }
    expect(connections).toBe(0)
  })

  it('that is cut off before it responds has no response', async () => {
    const sender = await openSender({ allowPrivate: false })
    senders.push(sender)
    const url = await rawServer(() => {})
    const sending = sender.send({
      route: 'one',
      url: new URL(url),
      allowLoopback: true,
      headers: [],
      body: Buffer.from('{}'),
    })
    sender.cut()
    expect(await sending).toBeNull()
  })
})
