/** Servers that implement as much of PostgreSQL's protocol as a test of bad behavior needs. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'

/** The password in the URLs, and a word in the servers' messages. Neither may be repeated. */
export const SECRET = 'Tr0ub4dor'

/** One message of PostgreSQL's protocol: its type, its length, its content. */
function message(type: string, ...content: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(content.map(each => Buffer.from(each)))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const int32 = (value: number) => Buffer.from(new Uint8Array(new Int32Array([value]).buffer).reverse())
const int16 = (value: number) => int32(value).subarray(2)

const READY = message('Z', 'I')
/** Lets the client in without a password. */
export const LET_IN = Buffer.concat([message('R', int32(0)), READY])
/** Refuses with a SQLSTATE. */
export const refusing = (state: string) => message('E', `SFATAL\0VFATAL\0C${state}\0M${SECRET}\0\0`)
/** Responds to SHOW server_version. */
export const versionRow = (version: string) =>
  Buffer.concat([
    message('T', int16(1), 'server_version\0', int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)),
    message('D', int16(1), int32(version.length), version),
    message('C', 'SHOW\0'),
    READY,
  ])

/** Starts a server that sends the given responses in order, one for each piece that arrives, and returns the URL of a store on it. */
export async function storeThat(...responses: readonly (Buffer | ((socket: Socket) => void))[]) {
  const server = createServer(socket => {
    const left = [...responses]
    socket.on('error', () => {})
    socket.on('data', () => {
      const next = left.shift()
      if (typeof next === 'function') next(socket)
      else if (next) socket.write(next)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEndOfFile(() => server.close())
  const { port } = server.address() as AddressInfo // the type of a listening server's address
  return parseStoreUrl(`postgres://svc:${SECRET}@127.0.0.1:${port}/svc`)
}
