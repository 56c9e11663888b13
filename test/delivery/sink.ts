/** A local receiver of webhooks that answers as the test says and keeps what it received. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A status, or a function that handles the response itself. */
export type Behaviour = (
  received: Received,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>

export interface Sink {
  readonly url: string
  readonly received: Received[]
  behave: Behaviour
  close(): Promise<void>
}

const open: Sink[] = []

export async function openSink(behave: Behaviour = () => 200): Promise<Sink> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const each = { path: request.url ?? '', headers: request.headers, body }
      received.push(each)
      const status = await sink.behave(each, response)
      if (status !== undefined) response.writeHead(status).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const sink: Sink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    behave,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
  open.push(sink)
  return sink
}

afterAll(async () => {
  for (const sink of open.splice(0)) await sink.close()
})
