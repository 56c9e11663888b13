/** Time-outs, cancelling, uploads and lost connections, against a loopback server that misbehaves on purpose. */
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { CallProgress, ServiceClient } from '../../src/client/client.ts'
import { type HttpOptions, openHttp } from '../../src/client/http.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { temporaryFolder } from '../kit/folder.ts'

const USER = '6f1e2d3c-0000-4000-8000-000000000001'
const PARQUET = 'application/vnd.service.tar+gzip+parquet'
const open: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function listening(server: Server | TcpServer): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const serve = (listener: RequestListener): Promise<string> => listening(createServer(listener))

function client(baseUrl: string, options: Partial<HttpOptions> = {}): ServiceClient {
  const opened = openHttp({ baseUrl, apiKey: 'sk_us_canary0123456789', timeoutMs: 1_000, retries: 0, ...options })
  open.push(() => opened.close())
  return opened
}

async function failure(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => new Error('it succeeded'),
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(ServiceError)
  expect(error.message).not.toContain('canary')
  return error
}

describe('time-outs', () => {
  it('end the wait for a server that never responds', async () => {
    const url = await serve(() => {})
    const began = performance.now()
    const error = await failure(client(url).call('user.list', {}))
    expect(error).toMatchObject({ code: 'timeout', exitCode: 7 })
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ did not respond within 1 s\.$/)
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('end a response that never ends', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    })
    expect(await failure(client(url).call('user.list', {}))).toMatchObject({ code: 'timeout' })
  })

  it('allow a transfer to take long as a whole, but not to stall', async () => {
    const url = await serve(async (request, response) => {
      response.writeHead(200, { 'content-type': PARQUET })
      for (let i = 0; i < 4; i++) {
        response.write('x')
        await delay(300)
      }
      if (request.headers['x-service-api-key'] === 'stalling-key') return
      response.end()
    })
    const read = async (opened: ServiceClient): Promise<number> => {
      const reply = await opened.call(
        'aggregate.query',
        { params: { user_id: USER }, body: {} as never },
        { accept: PARQUET },
      )
      if (reply.kind !== 'bytes') throw new Error('bytes were asked for')
      let size = 0
      for await (const chunk of reply.bytes as AsyncIterable<Uint8Array>) size += chunk.length
      return size
    }
    expect(await read(client(url, { timeoutMs: 1_000 }))).toBe(4)
    const error = await failure(read(client(url, { timeoutMs: 1_000, apiKey: 'stalling-key' })))
    expect(error.code).toBe('timeout')
  })
})

describe('cancelling', () => {
  it('stops a running call', async () => {
    let closed = false
    const controller = new AbortController()
    const url = await serve((request, _response) => {
      request.socket.on('close', () => {
        closed = true
      })
      controller.abort()
    })
    const error = await failure(client(url, { timeoutMs: 15_000 }).call('user.list', {}, { signal: controller.signal }))
    expect(error).toMatchObject({ code: 'cancelled', exitCode: 130 })
    await expect.poll(() => closed).toBe(true)
  })

  it('ends the wait between two attempts', async () => {
    const controller = new AbortController()
    const url = await serve((_request, response) => {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '30' }).end('{"detail":"busy"}')
      setTimeout(() => controller.abort(), 100)
    })
    const call = client(url, { timeoutMs: 15_000, retries: 2 }).call('user.list', {}, { signal: controller.signal })
    expect(await failure(call)).toMatchObject({ code: 'cancelled', exitCode: 130 })
  })
})

describe('lost connections', () => {
  it('are reported with the host and port if nothing listens', async () => {
    const taken = createTcpServer()
    const url = await listening(taken)
    await open.pop()?.()
    const error = await failure(client(url).call('user.list', {}))
    expect(error).toMatchObject({ code: 'network', exitCode: 7 })
    expect(error.message).toBe(`${new URL(url).host} cannot be reached: nothing listens there.`)
  })

  it.each([
    ['hangs up', (socket: import('node:net').Socket) => socket.destroy(), 'the connection was'],
    [
      'speaks something else',
      (socket: import('node:net').Socket) => socket.end('SSH-2.0-x\r\n'),
      'does not speak HTTP',
    ],
  ])('are reported as: the other side %s', async (_name, behave, words) => {
    const url = await listening(createTcpServer(socket => void socket.once('data', () => behave(socket))))
    const error = await failure(client(url, { timeoutMs: 15_000 }).call('user.list', {}))
    expect(error.code).toBe('network')
    expect(error.message).toContain(words)
  })

  it('are reported with a hint if TLS was expected', async () => {
    const url = await serve((_request, response) => void response.end())
    const error = await failure(client(url.replace('http:', 'https:'), { timeoutMs: 15_000 }).call('user.list', {}))
    expect(error.code).toBe('network')
    expect(error.message).toContain('TLS')
  })
})

describe('uploads', () => {
  async function file(bytes: Uint8Array): Promise<string> {
    const path = join(temporaryFolder(), 'export.zip')
    await writeFile(path, bytes)
    return path
  }

  it('send a file piece by piece, completely and with progress', async () => {
    const bytes = Buffer.alloc(3_000_000, 'abc')
    let received = Buffer.alloc(0)
    let length: string | undefined
    const url = await serve(async (request, response) => {
      length = request.headers['content-length']
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      received = Buffer.concat(chunks)
      await delay(100)
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"records":3,"stored":{},"summaries":{},"streams":{},"skipped":[]}')
    })
    const seen: CallProgress[] = []
    const reply = await client(url).call(
      'import.create',
      { params: { user_id: USER }, body: { kind: 'file', path: await file(bytes) } },
      { onProgress: progress => seen.push(progress) },
    )
    expect(reply).toMatchObject({ body: { records: 3 } })
    expect(received.equals(bytes)).toBe(true)
    expect(length).toBe('3000000')
    expect(seen.length).toBeGreaterThan(3)
    expect(seen.at(-1)).toEqual({ phase: 'sending', doneBytes: 3_000_000, totalBytes: 3_000_000, records: 0 })
  })

  it('read the refusal of a server that does not wait for the end of the upload', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"Invalid API key"}')
    })
    const path = await file(Buffer.alloc(20_000_000))
    const call = client(url).call('import.create', { params: { user_id: USER }, body: { kind: 'file', path } })
    expect(await failure(call)).toMatchObject({ code: 'invalid_api_key', exitCode: 4 })
  })

  it.each([
    ['is not there', '/nowhere/export.zip', 'no such file'],
    ['is a folder', tmpdir(), 'it is a folder'],
  ])('report that a file %s', async (_name, path, words) => {
    const call = client('http://127.0.0.1:9').call('import.create', {
      params: { user_id: USER },
      body: { kind: 'file', path },
    })
    const error = await failure(call)
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 })
    expect(error.message).toContain(words)
  })
})
