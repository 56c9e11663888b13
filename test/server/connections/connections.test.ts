/** Which connection is closed when there are too many, tested with real sockets from several local addresses and few slots. */
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type ConnectionLimits, Connections } from '../../../src/server/connections/connections.ts'

const LIMITS: ConnectionLimits = { connections: 8, perAddress: 2, handshakes: 100 }
/** An address that many clients share. */
const SHARED = '127.0.0.1'
/** Long enough that the delay of a busy machine between two connections hardly matters. */
const AGE_MS = 500
const [ONE, OTHER] = ['127.0.0.2', '127.0.0.3']

/** An entry for each connection that was closed because there were too many. */
const closed: number[] = []
const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const each of cleanUp.splice(0)) each()
  closed.length = 0
})

/** Starts a server that responds to GET at once and to POST once its body has arrived, with its connections. */
async function listening(): Promise<{ connections: Connections; port: number; requests: () => number }> {
  const shareOf = (address: string) => (address === SHARED ? null : address)
  const connections = new Connections(LIMITS, shareOf, () => closed.push(1))
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    connections.began(request)
    response.once('close', () => connections.ended(request.socket))
    if (request.url === '/never') return
    request.resume().once('end', () => response.end('ok'))
  })
  connections.watch(server, false)
  await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
  cleanUp.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { connections, port: (server.address() as AddressInfo).port, requests: () => requests }
}

interface Client {
  readonly socket: Socket
  readonly isOpen: () => boolean
  ask(text: string): Promise<void>
}

async function client(port: number, localAddress: string): Promise<Client> {
  let isOpen = true
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  socket.once('close', () => {
    isOpen = false
  })
  cleanUp.push(() => socket.destroy())
  await new Promise<void>(resolve => socket.once('connect', resolve).once('close', () => resolve()))
  return {
    socket: socket.resume(),
    isOpen: () => isOpen,
    ask: text =>
      new Promise(resolve => {
        socket.once('data', () => resolve()).once('close', () => resolve())
        socket.write(text)
      }),
  }
}

async function clients(port: number, address: string, count: number): Promise<Client[]> {
  const all: Client[] = []
  for (let i = 0; i < count; i++) all.push(await client(port, address))
  return all
}

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const open = (all: readonly Client[]): boolean[] => all.map(each => each.isOpen())

describe('an address', () => {
  it('can use slots while half of them are free; after that it closes its own connections for new ones', async () => {
    const { connections, port } = await listening()
    const greedy = await clients(port, ONE, 4)
    await expect.poll(() => connections.count).toBe(4)
    expect(open(greedy)).toEqual([true, true, true, true])
    const others = await clients(port, OTHER, 1)
    const more = await clients(port, ONE, 2)
    await expect.poll(() => open(greedy)).toEqual([false, false, true, true])
    expect(open([...others, ...more])).toEqual([true, true, true])
    expect(connections.count).toBe(5)
    expect(closed).toHaveLength(2)
  })

  it('is refused when its whole share is busy', async () => {
    const { connections, port, requests } = await listening()
    const busy = await clients(port, ONE, 4)
    for (const each of busy) each.socket.write('GET /never HTTP/1.1\r\nhost: x\r\n\r\n')
    await expect.poll(requests).toBe(4)
    const refused = await client(port, ONE)
    await expect.poll(() => refused.isOpen()).toBe(false)
    expect(open(busy)).toEqual([true, true, true, true])
    const other = await client(port, OTHER)
    await other.ask(GET)
    expect(other.isOpen()).toBe(true)
    expect(connections.count).toBe(5)
  })

  it('that many clients share is not limited', async () => {
    const { connections, port } = await listening()
    const all = await clients(port, SHARED, 8)
    await expect.poll(() => connections.count).toBe(8)
    expect(open(all)).toEqual(Array(8).fill(true))
  })
})

describe('when all slots are used', () => {
  it('silent connections are closed first, oldest first, then the longest idle ones', async () => {
    const { port } = await listening()
    const kept = await clients(port, SHARED, 2)
    for (const each of kept) await each.ask(GET)
    const silent = await clients(port, SHARED, 5)
    const slow = await client(port, SHARED)
    slow.socket.write('GET / HTTP/1.1\r\nhost: ')
    await delay(AGE_MS)
    await clients(port, SHARED, 3)
    await expect.poll(() => open(silent)).toEqual([false, false, false, true, true])
    expect([...open(kept), slow.isOpen()]).toEqual([true, true, true])
    await delay(AGE_MS)
    for (let i = 0; i < 6; i++) await (await client(port, SHARED)).ask(GET)
    await expect.poll(() => slow.isOpen()).toBe(false)
    expect(open(kept)).toEqual([true, true])
    await kept[0]?.ask(GET)
    await (await client(port, SHARED)).ask(GET)
    await expect.poll(() => open(kept)).toEqual([true, false])
  })

  it('the connection with the slowest body is closed if none is idle, and requests in progress stay', async () => {
    const { port, requests } = await listening()
    const served = await clients(port, SHARED, 6)
    for (const each of served) each.socket.write('GET /never HTTP/1.1\r\nhost: x\r\n\r\n')
    const [slow, fast] = (await clients(port, SHARED, 2)) as [Client, Client]
    for (const each of [slow, fast]) each.socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n')
    fast.socket.write(Buffer.alloc(500_000))
    slow.socket.write('a')
    await expect.poll(requests).toBe(8)
    await delay(300)
    const next = await client(port, SHARED)
    await expect.poll(() => slow.isOpen()).toBe(false)
    await next.ask(GET)
    expect([fast.isOpen(), next.isOpen(), ...open(served)]).toEqual(Array(8).fill(true))
  })

  it('a new connection is refused if all requests are in progress', async () => {
    const { port, connections, requests } = await listening()
    const served = await clients(port, SHARED, 8)
    for (const each of served) each.socket.write('GET /never HTTP/1.1\r\nhost: x\r\n\r\n')
    await expect.poll(requests).toBe(8)
    const refused = await client(port, SHARED)
    await expect.poll(() => refused.isOpen()).toBe(false)
    expect(open(served)).toEqual(Array(8).fill(true))
    for (const each of served) each.socket.destroy()
    await expect.poll(() => connections.count).toBe(0)
  })
})
