/** A webhook handler on loopback for tests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

export interface Received {
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Handler {
  readonly url: string
  readonly received: readonly Received[]
  close(): Promise<void>
}

/** How to answer: with a status, or with a function that does it all. */
export type Answer = number | ((request: Received, response: ServerResponse) => void)

const open: Handler[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()))
})

/** Starts a handler that reads each request completely, keeps it, and answers. `port` 0 picks a free port. */
export async function startHandler(answer: (request: Received, index: number) => Answer, port = 0): Promise<Handler> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', headers } = request
      const one = { method, headers, body: Buffer.concat(chunks).toString('utf8') }
      received.push(one)
      const how = answer(one, received.length - 1)
      if (typeof how === 'number') response.writeHead(how).end()
      else how(one, response)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const handler: Handler = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  open.push(handler)
  return handler
}
