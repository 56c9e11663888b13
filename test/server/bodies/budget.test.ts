/** The budget for bytes in flight: accepted and refused bodies, and that all of it is released. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { PUSH_LIMIT_BYTES } from '../../../src/engine/intake/pushed-items.ts'
import { BodyBudget, type Hold, SLOW_BODY_MS, SMALL_BODY_BYTES } from '../../../src/server/bodies/budget.ts'
import { HeldUpload } from '../../../src/server/bodies/held-upload.ts'
import { serve, type TestServer } from '../../kit/server.ts'

const MiB = 1024 * 1024

/** Returns 1 GiB of blanks in several gzip members. */
const bomb = (): Buffer => Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * MiB, ' '))))

describe('the byte budget', () => {
  const nobody = () => {}

  it('refuses bodies that do not fit, keeps a share for small ones, and is complete again at the end', () => {
    const budget = new BodyBudget(8 * MiB)
    const large = [budget.hold(nobody), budget.hold(nobody)]
    for (const each of large) each.add(3 * MiB)
    const third = budget.hold(nobody)
    third.add(SMALL_BODY_BYTES)
    expect(() => third.add(3 * MiB)).toThrow(expect.objectContaining({ code: 'overloaded', status: 503, exitCode: 7 }))
    third.release()
    const small = Array.from({ length: 16 }, () => budget.hold(nobody))
    for (const each of small) each.add(SMALL_BODY_BYTES)
    expect(budget.heldBytes).toBe(7 * MiB)
    for (const each of [...large, ...small]) {
      each.release()
      each.release()
    }
    expect(budget.heldBytes).toBe(0)
  })

  it('counts the memory of a parsed body without treating a small body as large', () => {
    const budget = new BodyBudget(8 * MiB)
    const large = budget.hold(nobody)
    large.add(7 * MiB)
    const small = budget.hold(nobody)
    small.add(1000)
    small.weigh(MiB / 2)
    expect(budget.heldBytes).toBe(7.5 * MiB + 1000)
    expect(() => small.weigh(MiB)).toThrow('no memory left for request bodies')
  })

  it('always accepts one large body', () => {
    const budget = new BodyBudget(4 * MiB)
    const hold = budget.hold(nobody)
    hold.add(20 * MiB)
    expect(() => budget.hold(nobody).add(MiB)).toThrow('no memory left for request bodies')
    hold.release()
    budget.hold(nobody).add(MiB)
  })

  it('takes space from slow senders, not from new ones', () => {
    let now = 0
    const budget = new BodyBudget(8 * MiB, () => now)
    const gaveWay: string[] = []
    const slow = budget.hold(() => gaveWay.push('slow'))
    const there = budget.hold(() => gaveWay.push('there'))
    slow.add(3 * MiB)
    there.add(3 * MiB)
    there.arrived()
    const next = budget.hold(() => gaveWay.push('next'))
    expect(() => next.add(2 * MiB)).toThrow('no memory left for request bodies')
    now = SLOW_BODY_MS
    next.add(2 * MiB)
    expect(gaveWay).toEqual(['slow'])
    expect(() => slow.add(1)).toThrow('no memory left for request bodies')
    expect(budget.heldBytes).toBe(5 * MiB)
  })
})

describe('a gzip upload', () => {
  it('is decompressed only up to the limit of a push', async () => {
    let most = 0
    class Watched extends BodyBudget {
      override take(hold: Hold, bytes: number, isLarge: boolean): void {
        super.take(hold, bytes, isLarge)
        most = Math.max(most, this.heldBytes)
      }
    }
    const budget = new Watched(1024 * MiB)
    const packed = bomb()
    const upload = new HeldUpload(Readable.from([packed.subarray(0, 1), packed.subarray(1)]), budget)
    expect(await upload.gather()).toBeNull()
    await expect(upload.stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'body_too_large' })
    expect(most).toBeGreaterThan(PUSH_LIMIT_BYTES)
    expect(most).toBeLessThan(PUSH_LIMIT_BYTES + packed.length + MiB)
    expect(budget.heldBytes).toBe(0)
  })
})

describe('a server with 8 MiB for bodies', () => {
  let server: TestServer
  let path: string
  beforeAll(async () => {
    server = await serve({ maxBytesInFlight: 8 * MiB })
    const made = await server.ask('POST', '/v2/user', { body: '{"client_user_id":"a"}' })
    path = `/svc/v1/users/${(made.json as { user_id: string }).user_id}/samples`
  })

  const item = JSON.stringify({ resource: 'heartrate', timestamp: '2026-01-01T00:00:00Z', value: 61 })
  const padded = (bytes: number): string => `[${item}${' '.repeat(bytes - item.length - 2)}]`
  const push = (body: string | Uint8Array) => server.ask('POST', path, { body })

  /** Starts an upload and leaves it unfinished. */
  async function begin(bytes: number, head: string): Promise<Socket> {
    const { port, hostname } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    const key = `x-service-api-key: ${server.apiKey}`
    socket.write([`POST ${path} HTTP/1.1`, 'host: x', key, head, '', ''].join('\r\n'))
    await new Promise(resolve => socket.write(Buffer.alloc(bytes, ' '), resolve))
    return socket
  }

  it('refuses a third body of 3 MiB with 503 and Retry-After, accepts small ones, and the third later', async () => {
    const sockets = [
      await begin(3 * MiB, `content-length: ${4 * MiB}`),
      await begin(3 * MiB, `content-length: ${4 * MiB}`),
    ]
    await untilHeld(6 * MiB)
    const refused = await push(padded(3 * MiB))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(refused.headers.get('x-svc-error-code')).toBe('overloaded')
    // gzip counts with its decompressed size
    const packed = gzipSync(padded(3 * MiB))
    expect(packed.length).toBeLessThan(10_000)
    expect((await push(packed)).status).toBe(503)
    expect((await push(padded(SMALL_BODY_BYTES))).status).toBe(200)
    expect((await server.ask('POST', '/v2/user', { body: '{"client_user_id":"small"}' })).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await untilHeld(0)
  })

  it('has the whole budget available after many callers left midway', async () => {
    for (let round = 0; round < 10; round++) {
      const sockets = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          i % 2 === 0 ? begin(MiB, `content-length: ${2 * MiB}`) : begin(200_000, 'content-length: 900000'),
        ),
      )
      for (const socket of sockets) socket.destroy()
    }
    await untilHeld(0)
    const two = [begin(3 * MiB, `content-length: ${4 * MiB}`), begin(3 * MiB, `content-length: ${4 * MiB}`)]
    const sockets = await Promise.all(two)
    await untilHeld(6 * MiB)
    for (const socket of sockets) socket.destroy()
    await untilHeld(0)
  })

  it('stops a gzip bomb at the limit of a push, and reports damaged or truncated gzip data', async () => {
    const refused = await push(bomb())
    expect([refused.status, refused.headers.get('x-svc-error-code')]).toEqual([413, 'body_too_large'])
    const good = gzipSync(padded(100_000))
    const broken = Buffer.from(good)
    broken.fill(0xff, 20, 40)
    for (const body of [broken, good.subarray(0, good.length - 9), good.subarray(0, 12)]) {
      const response = await push(body)
      expect(response.status).toBe(422)
      expect(response.text).toContain('gzip')
    }
    expect((await push(good)).status).toBe(200)
    await untilHeld(0)
  })

  it('handles a body that ends early or whose connection closes, and stores nothing of it', async () => {
    const { port, hostname } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    let heard = ''
    socket.setEncoding('latin1').on('data', text => {
      heard += text
    })
    const closed = once(socket, 'close')
    socket.write(
      [`POST ${path} HTTP/1.1`, 'host: x', `x-service-api-key: ${server.apiKey}`, 'content-length: 5000', '', ''].join(
        '\r\n',
      ),
    )
    socket.end(padded(400).replace('heartrate', 'steps'))
    await closed
    if (heard !== '') expect(heard).toMatch(/^HTTP\/1\.1 4\d\d /)
    const steps = await server.ask(
      'GET',
      `${path.replace('/svc/v1/users', '/v2/timeseries').replace('/samples', '/steps/grouped')}?start_date=2025-12-31&end_date=2026-01-02`,
    )
    expect(steps.json).toMatchObject({ groups: {} })
    await untilHeld(0)
  })

  it('accepts a body in chunks of one byte', async () => {
    const body = Buffer.from(padded(2000))
    const statusCode = new Promise<number>((resolve, reject) => {
      const sent = request(
        server.url + path,
        { method: 'POST', headers: { 'x-service-api-key': server.apiKey } },
        response => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0))
        },
      )
      sent.once('error', reject)
      for (const byte of body) sent.write(Buffer.from([byte]))
      sent.end()
    })
    expect(await statusCode).toBe(200)
  })

  /** Waits, because sent bytes arrive and released ones are noticed a moment later. */
  async function untilHeld(bytes: number): Promise<void> {
    let held = -1
    for (let tries = 0; tries < 800 && held !== bytes; tries++) {
      await delay(25)
      const { text } = await server.ask('GET', '/metrics')
      held = Number(/^svc_body_bytes_in_flight (\d+)$/m.exec(text)?.[1])
    }
    expect(held).toBe(bytes)
  }
})
