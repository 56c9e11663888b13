/** More sockets than the server has slots, from the same address as all other clients: idle, slow, or in the middle of a handshake. */
import { writeFileSync } from 'node:fs'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sandbox } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'
import { selfSigned } from '../server/certificate.ts'

/** The server has 2,000 slots. */
const SOCKETS = 2_300
const HONEST = 27
/** A late response can be caused by the machine; a refused or forgotten request cannot. */
const PATIENCE_MS = 60_000

const sandbox = new Sandbox()
const tls = ['--tls-cert', path.join(sandbox.folder, 'cert.pem'), '--tls-key', path.join(sandbox.folder, 'key.pem')]
let ca = ''

beforeAll(async () => {
  const pair = selfSigned(new Date('2049-01-01'))
  ca = pair.cert
  writeFileSync(path.join(sandbox.folder, 'cert.pem'), pair.cert)
  writeFileSync(path.join(sandbox.folder, 'key.pem'), pair.key)
})

/** Sockets that send `first`, then one byte a second if they trickle. A closed one reconnects. */
class Attack {
  readonly sockets = new Set<Socket>()
  private readonly trickle: NodeJS.Timeout | undefined
  private readonly url: URL
  private readonly first: Uint8Array | string
  private isOver = false

  constructor(url: string, first: Uint8Array | string, trickles: boolean) {
    this.url = new URL(url)
    this.first = first
    if (trickles) {
      this.trickle = setInterval(() => {
        for (const socket of this.sockets) socket.write('a')
      }, 1_000)
    }
  }

  async begin(): Promise<void> {
    for (let i = 0; i < SOCKETS; i += 100) {
      await Promise.all(Array.from({ length: 100 }, () => this.open()))
    }
  }

  end(): void {
    this.isOver = true
    clearInterval(this.trickle)
    for (const socket of this.sockets) socket.destroy()
  }

  /** Resolves when it is connected, or has failed to connect. */
  private open(): Promise<void> {
    return new Promise(resolve => {
      const socket = connect(Number(this.url.port), this.url.hostname)
      socket.on('error', () => {})
      socket.once('connect', () => {
        this.sockets.add(socket)
        if (this.first.length > 0) socket.write(this.first)
        resolve()
      })
      socket.resume().once('close', () => {
        this.sockets.delete(socket)
        resolve()
        if (!this.isOver) setTimeout(() => this.isOver || this.open(), 1_000)
      })
    })
  }
}

/** Returns the status of a request over its own connection, or the reason why there was none. */
function honest(server: Serving): Promise<number | string> {
  const get = server.url.startsWith('https') ? getHttps : getHttp
  const headers = { 'x-service-api-key': server.api_key }
  return new Promise(resolve => {
    const clientRequest = get(
      `${server.url}/v2/user`,
      { agent: false, headers, ca, timeout: PATIENCE_MS },
      response => {
        response.resume().once('end', () => resolve(response.statusCode as number))
        response.once('error', error => resolve(error.message))
      },
    )
    clientRequest.once('timeout', () => clientRequest.destroy(new Error('no answer')))
    clientRequest.once('error', error => resolve(error.message))
  })
}

/** The first half of the message that a client sends first in TLS 1.2 and later. */
const PARTIAL_HELLO = Buffer.from('160301020001000001fc0303', 'hex')
const body = 'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{'
const form = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\ntoken='

describe(`${SOCKETS} sockets from one address`, () => {
  it.each([
    ['that say nothing', [], '', false],
    ['whose headers come a byte a second', [], 'GET /v2/user HTTP/1.1\r\nhost: x\r\nx-slow: ', true],
    ['whose bodies come a byte a second', [], `POST /v2/user HTTP/1.1\r\nhost: x\r\n${body}`, true],
    ['whose forms come a byte a second', [], `POST /link HTTP/1.1\r\nhost: x\r\n${form}`, true],
    ['with half a TLS handshake', tls, PARTIAL_HELLO, false],
    ['that say nothing where TLS is spoken', tls, '', false],
  ] as const)(
    '%s leave room for other clients',
    async (_what, args, first, trickles) => {
      const server = await serve(sandbox, [...args])
      const attack = new Attack(server.url, first, trickles)
      try {
        await attack.begin()
        const responses: (number | string)[] = []
        for (let i = 0; i < HONEST; i++) {
          responses.push(await honest(server))
          await delay(20)
        }
        expect(responses).toEqual(Array(HONEST).fill(200))
        const atOnce = await Promise.all(responses.map(() => honest(server)))
        expect(atOnce, 'in one transaction').toEqual(responses)
      } finally {
        attack.end()
        expect(await server.stop('SIGTERM')).toBe(0)
      }
    },
    120_000,
  )
})
