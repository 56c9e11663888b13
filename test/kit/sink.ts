/** A local webhook receiver that responds as the test specifies and keeps the received requests. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEndOfFile } from './end-of-file.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Returns a status, or handles the response itself. `index` is the number of earlier requests. */
export type Behavior = (
  received: Received,
  response: ServerResponse,
  index: number,
) => number | undefined | Promise<number | undefined>

export interface Sink {
  readonly url: string
  readonly received: Received[]
  behave: Behavior
  close(): Promise<void>
}

/** Starts a receiver on loopback that is closed when the test file ends. `port` 0 picks a free one. */
export async function openSink(behave: Behavior = () => 200, port = 0): Promise<Sink> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', async () => {
      const { method = '', url = '', headers } = request
      const each = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') }
      const index = received.push(each) - 1
      const status = await sink.behave(each, response, index)
      if (status !== undefined) response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const sink: Sink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    behave,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
  atEndOfFile(sink.close)
  return sink
}
