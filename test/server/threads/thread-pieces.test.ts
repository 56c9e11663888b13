/** Bytes between a server and its thread: in order, one piece at a time, and ended from either side. */
import { MessageChannel } from 'node:worker_threads'
import { afterEach, expect, it } from 'vitest'
import { type PieceMessage, PieceReader, PieceSource, toOwnBuffer } from '../../../src/server/threads/thread-pieces.ts'

const channels: MessageChannel[] = []
afterEach(() => {
  for (const { port1 } of channels.splice(0)) port1.close()
})

/** Returns a source whose pieces are read on the other side of a channel. */
function connected(pieces: AsyncIterable<Uint8Array>) {
  const channel = new MessageChannel()
  channels.push(channel)
  const ended: unknown[] = []
  const source = new PieceSource(
    pieces,
    7,
    (message, transfer = []) => channel.port1.postMessage(message, [...transfer]),
    error => ended.push(error),
  )
  const reader = new PieceReader(7, message => channel.port2.postMessage(message))
  channel.port1.on('message', ({ kind }: PieceMessage) => void (kind === 'pull' ? source.pull() : source.drop()))
  channel.port2.on('message', (message: PieceMessage) => {
    if (message.kind === 'piece') reader.arrived(message.bytes)
    else reader.fail(new Error('it broke off'))
  })
  return { reader, ended }
}

async function* counted(count: number, made: { pieces: number }): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) {
    made.pieces++
    yield Buffer.from(`${i};`)
  }
}

const pause = () => new Promise(resolve => setTimeout(resolve, 30))

it('arrive in order, and none is produced before it is requested', async () => {
  const made = { pieces: 0 }
  const { reader, ended } = connected(counted(5, made))
  const texts: string[] = []
  await pause()
  expect(made.pieces).toBe(0)
  for await (const bytes of reader.pieces()) {
    texts.push(Buffer.from(bytes).toString())
    await pause()
    expect(made.pieces).toBe(texts.length)
  }
  expect(texts.join('')).toBe('0;1;2;3;4;')
  expect(ended).toEqual([undefined])
})

it('are no longer produced when the reader leaves', async () => {
  const made = { pieces: 0 }
  const { reader, ended } = connected(counted(1000, made))
  for await (const _ of reader.pieces()) break
  await pause()
  expect(made.pieces).toBe(1)
  expect(ended).toEqual([undefined])
})

it('end with an error if producing one fails, and the producer learns why', async () => {
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a')
    throw new Error('secret')
  }
  const { reader, ended } = connected(failing())
  const reading = (async () => {
    for await (const _ of reader.pieces());
  })()
  await expect(reading).rejects.toThrow('it broke off')
  expect(ended).toMatchObject([{ message: 'secret' }])
})

it('are copied if they share their memory with others', () => {
  const whole = new Uint8Array(8)
  expect(toOwnBuffer(whole)).toBe(whole)
  expect(toOwnBuffer(whole.subarray(2, 4)).buffer.byteLength).toBe(2)
})
