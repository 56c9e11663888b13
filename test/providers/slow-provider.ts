/** An API that delays requests for data, in the ways that providers do. It responds to all others at once. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How requests for data are handled. `refuses`: nothing listens. */
export const SLOWNESS = ['trickles', 'hangs', 'fails', 'refuses', 'is late'] as const
export type Slowness = (typeof SLOWNESS)[number]

const LATE_MS = 1_500
const TRICKLE_MS = 100

export interface SlowProvider {
  readonly url: string
  /** Number of received requests for data. */
  readonly requestCount: number
  close(): Promise<void>
}

export async function openSlowProvider(slowness: Slowness): Promise<SlowProvider> {
  let requestCount = 0
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    if (url === '/me') return void json(response, { id: request.headers.authorization })
    if (url === '/access' && slowness !== 'hangs') return void response.writeHead(method === 'DELETE' ? 204 : 404).end()
    requestCount++
    if (slowness === 'fails') response.writeHead(503).end()
    if (slowness === 'is late') timers.add(setTimeout(() => json(response, { data: [], next: null }), LATE_MS))
    if (slowness !== 'trickles') return
    response.writeHead(200, { 'content-type': 'application/json' })
    const trickling = setInterval(() => response.write(' '), TRICKLE_MS)
    timers.add(trickling)
    response.once('close', () => clearInterval(trickling))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): Promise<void> => {
    for (const timer of timers) clearTimeout(timer)
    server.closeAllConnections()
    return new Promise(resolve => server.close(() => resolve()))
  }
  if (slowness === 'refuses') await close()
  return {
    url,
    get requestCount() {
      return requestCount
    },
    close,
  }
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
