/** Limits on a request before it is handled: sizes, counts, and the time it takes to arrive. */
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import { BodyBudget } from '../../../src/server/bodies/budget.ts'
import { readUpload, receiveJson } from '../../../src/server/http/body.ts'
import { readForm } from '../../../src/server/pages/form.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import { within } from '../../kit/until.ts'

let server: TestServer
beforeAll(async () => {
  server = await serve()
})

/** Returns the response to some bytes, which ends with the connection. */
async function sendBytes(bytes: string): Promise<string> {
  const { port, hostname } = new URL(server.url)
  const socket: Socket = connect(Number(port), hostname)
  let heard = ''
  socket.setEncoding('utf8').on('data', text => {
    heard += text
  })
  socket.on('error', () => {})
  socket.write(bytes)
  const closed = new Promise(resolve => socket.once('close', resolve))
  await within(closed, () => `the connection stays open after ${heard}`)
  return heard
}
const parseBody = (response: string): unknown => JSON.parse(response.slice(response.indexOf('\r\n\r\n')))

describe('sizes', () => {
  it('refuses a path or a query that is too long with 414', async () => {
    const path = await server.ask('GET', `/v2/user/${'a'.repeat(11_000)}`)
    expect({ status: path.status, body: path.json }).toEqual({
      status: 414,
      body: { detail: 'The path is too long.' },
    })
    expect(path.headers.get('x-svc-error-code')).toBe('uri_too_long')
    expect((await server.ask('GET', `/v2/${'a/'.repeat(6_000)}`)).status).toBe(414)
    const query = await server.ask('GET', `/v2/user?x=${'a'.repeat(9_000)}`)
    expect({ status: query.status, code: query.headers.get('x-svc-error-code') }).toEqual({
      status: 414,
      code: 'uri_too_long',
    })
  })

  it('refuses too many headers, or too long ones, with 431', async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`x-h${i}`, '1']))
    const refused = await server.ask('GET', '/v2/user', { headers: many })
    expect({ status: refused.status, body: refused.json }).toEqual({
      status: 431,
      body: { detail: 'The request has more than 100 headers.' },
    })
    const long = await sendBytes(`GET /v2/user HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(40_000)}\r\n\r\n`)
    expect(long).toContain('HTTP/1.1 431 ')
    expect(parseBody(long)).toEqual({ detail: 'The request headers are larger than the limit.' })
  })

  it('reports in the usual format that a request is not HTTP', async () => {
    const response = await sendBytes('canary canary canary\r\n\r\n')
    expect(response).toContain('HTTP/1.1 400 ')
    expect(parseBody(response)).toEqual({ detail: 'The request is malformed.' })
    expect(response).not.toContain('canary')
  })
})

describe('a request with more than one Host header', () => {
  const requestText = (path: string, ...hosts: string[]) =>
    sendBytes(`GET ${path} HTTP/1.1\r\nconnection: close\r\n${hosts.map(host => `${host}\r\n`).join('')}\r\n`)

  it.each(['/healthz', '/v2/user', '/link?token=x', '/link/done', '/nothing'])(
    'is refused with 400 at %s',
    async path => {
      for (const hosts of [
        ['Host: a', 'Host: b'],
        ['host: a', 'HOST: a'],
        ['Host: a', 'X-Other: 1', 'hOsT: '],
      ]) {
        const response = await requestText(path, ...hosts)
        expect(response).toContain('HTTP/1.1 400 ')
        expect(response).toContain('x-svc-error-code: bad_request')
        expect(response.toLowerCase()).toContain('connection: close')
        expect(parseBody(response)).toEqual({ detail: 'The request has more than one Host header. Send exactly one.' })
      }
    },
  )

  it('does not include one with a single Host, and one without is also refused', async () => {
    expect(await requestText('/healthz', 'Host: a', 'X-Host: b')).toContain('HTTP/1.1 200 ')
    expect(await requestText('/healthz')).toContain('HTTP/1.1 400 ')
  })
})

describe('a body that does not arrive', () => {
  const silent = (...first: string[]) => {
    const stream = new Readable({ read() {} })
    for (const piece of first) stream.push(Buffer.from(piece))
    return stream
  }

  it('is awaited for a limited time', async () => {
    const began = performance.now()
    await expect(receiveJson(silent('{"a"'), {}, new BodyBudget(), 120)).rejects.toMatchObject({
      code: 'request_timeout',
      status: 408,
    })
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('is not awaited longer because of an occasional byte', async () => {
    const stream = silent()
    const drip = setInterval(() => stream.push(Buffer.from(' ')), 20)
    await expect(receiveJson(stream, {}, new BodyBudget(), 150)).rejects.toMatchObject({ code: 'request_timeout' })
    clearInterval(drip)
  })

  it('is awaited for the same time as a form', async () => {
    const request = {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: silent('token='),
    } as unknown as FastifyRequest
    await expect(readForm(request, 120)).rejects.toMatchObject({ code: 'request_timeout', status: 408 })
  })

  it('can pause during an upload, but not for too long', async () => {
    const stream = silent('one')
    setTimeout(() => stream.push(Buffer.from('two')), 80)
    const seen: string[] = []
    const read = async () => {
      for await (const piece of readUpload(stream, 200)) seen.push(Buffer.from(piece).toString())
    }
    await expect(read()).rejects.toMatchObject({ code: 'request_timeout' })
    expect(seen).toEqual(['one', 'two'])
  })
})
