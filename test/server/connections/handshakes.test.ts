/** TLS handshakes that never complete, tested with real sockets: they are closed in time, and never keep a server from closing. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { Connections } from '../../../src/server/connections/connections.ts'
import { closeMalformed } from '../../../src/server/http/client-error.ts'
import { selfSigned } from '../certificate.ts'

/** The start of a client's first message in TLS 1.2 and later. */
const PARTIAL_HELLO = Buffer.from('160301020001000001fc0303', 'hex')

it.each([
  ['nothing', Buffer.alloc(0), false],
  ['half of its first message', PARTIAL_HELLO, false],
  ['half of its first message, and leaves', PARTIAL_HELLO, true],
  ['no TLS', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n'), false],
] as const)('a client that sends %s is closed, and then the server closes', async (_what, first, leaves) => {
  const connections = new Connections({ connections: 8, perAddress: 8, handshakes: 8 }, () => null)
  const server = createServer({ ...selfSigned(new Date('2049-01-01')), handshakeTimeout: 300 })
  server.on('clientError', closeMalformed)
  connections.watch(server, true)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const isGone = once(socket.resume(), 'close')
  await once(server, 'connection')
  if (first.length > 0) socket.write(first)
  if (leaves) socket.end()
  const isClosed = once(server, 'close')
  server.close()
  await Promise.all([isGone, isClosed])
  await expect.poll(() => connections.count).toBe(0)
})
