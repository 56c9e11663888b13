/** A proxy in front of a fake provider: passes requests on to it, and sends hostile responses to some of them instead. */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HostileResponse } from './hostile-responses.ts'
import type { HostileTarget } from './hostile-targets.ts'

export interface HostileFront {
  readonly url: string
  /** Sends this response from now on; null: that of the fake provider. */
  attack(hostile: HostileResponse | null): void
  /** Requests for the attacked collection since the attack began. */
  readonly attacked: number
  close(): Promise<void>
}

/** Starts a front. The caller closes it. */
export async function openFront(target: HostileTarget, fakeUrl: string): Promise<HostileFront> {
  let hostile: HostileResponse | null = null
  let attacked = 0
  const server = createServer(async (message, response) => {
    // errors on the rest of a cut connection are not failures
    message.on('error', () => {})
    response.on('error', () => {})
    const body = await readBody(message)
    const url = new URL(message.url ?? '/', 'http://front')
    if (hostile === null || !target.isAttacked(url, new URLSearchParams(body.toString()))) {
      return pass(message, response, body)
    }
    const reply = hostile.reply(target, attacked++)
    if (typeof reply === 'function') return reply(response)
    const { status = 200, headers = {}, body: sent } = reply
    response.writeHead(status, headers)
    response.end(sent)
  })
  const pass = (message: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const { method, headers } = message
    const passed = forward(new URL(message.url ?? '/', fakeUrl), { method, headers, agent: false }, upstream => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers)
      upstream.pipe(response)
    })
    passed.on('error', () => response.destroy())
    passed.end(body)
  }
  // a client that is busy for longer would write to a connection that is just being closed
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attack(next) {
      hostile = next
      attacked = 0
    },
    get attacked() {
      return attacked
    },
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces)
}
