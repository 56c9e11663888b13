/** `svc listen` sends the same requests as a server sends to an endpoint, byte for byte, in the same order. */
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { allEventTypes } from '../../../src/catalogue/event-types.ts'
import { Board } from '../../../src/cli/listen/board.ts'
import type { FeedPosition } from '../../../src/cli/listen/feed.ts'
import { pageQuery } from '../../../src/cli/listen/page-query.ts'
import { type ListenOptions, ListenSession } from '../../../src/cli/listen/session.ts'
import { openTarget } from '../../../src/cli/listen/target.ts'
import { openHttp } from '../../../src/client/http.ts'
import { seededRandom, systemRandom } from '../../../src/core/random.ts'
import { newSecret } from '../../../src/delivery/signature.ts'
import { openDeliveryHarness, TYPE } from '../../delivery/delivery-harness.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { serve } from '../../kit/server.ts'
import { until } from '../../kit/until.ts'

/** Accepts every webhook, and keeps the bytes of each request as text. */
async function openRecorder() {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      for (;;) {
        const head = text.indexOf('\r\n\r\n') + 4
        const end = head + Number(/content-length: (\d+)/i.exec(text)?.[1])
        if (head < 4 || text.length < end) return
        requests.push(text.slice(0, end))
        text = text.slice(end)
        socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      }
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/hooks?team=a%20b`, requests }
}

/** Data that would change if it were parsed and written in another way. */
const ODD_DATA = {
  '10': 'keys that look like numbers',
  '9': [1e21, 5e-324, 0.1 + 0.2, 123_456_789_012_345_680, -0],
  text: 'line\u2028break, "quotes" \\ /, é, 日本, 👩‍⚕️, \ud800, \u0000',
  nested: { __proto__x: null, empty: {}, list: [] },
}

test('listen and an endpoint with the same secret send the same bytes and headers at the same moment', async () => {
  const harness = await openDeliveryHarness()
  const { h, engine } = harness
  const recorder = await openRecorder()
  const secret = newSecret(systemRandom)
  const anna = await harness.user('anna')
  const { endpoint_id } = await harness.endpoint(recorder.url, { secret, header_prefix: 'svix-' })
  for (const type of allEventTypes()) await h.call('webhook.test', { params: { endpoint_id }, body: { type } })
  const odd = { teamId: h.team.teamId, type: TYPE, data: ODD_DATA, at: h.time.ms, endpointIds: null }
  await engine.store.events.emit(anna, odd)
  await harness.deliverAll()
  const expected = recorder.requests.splice(0)
  expect(expected).toHaveLength(allEventTypes().length + 1)
  expect(expected[0]).toMatch(/^POST \/hooks\?team=a%20b HTTP\/1\.1\r\nhost: 127.*\r\nconnection: keep-alive\r\n/i)

  const listen = async (page: ListenOptions['page']): Promise<string[]> => {
    const target = await openTarget(recorder.url, {
      secret: () => secret,
      headerPrefix: 'svix-',
      allowPrivate: false,
      version: 'test',
      time: { now: () => h.time.ms, elapsed: () => performance.now() },
    })
    const stop = new AbortController()
    const session = new ListenSession({
      page,
      payload: async () => undefined,
      target,
      board: new Board(
        () => {},
        () => {},
      ),
      write: () => '',
      drained: async () => {},
      idleMs: 5,
      random: seededRandom('listen'),
      signal: stop.signal,
    })
    const running = session.run('')
    await until(() => recorder.requests.length === expected.length)
    stop.abort()
    await running
    await target?.poster.close()
    return recorder.requests.splice(0)
  }
  const query = (at: FeedPosition) => pageQuery(at, { type: undefined, user_id: undefined, since: '2026-11-20' })
  expect(await listen(at => h.call('event.list', { query: query(at) }))).toEqual(expected)

  const server = await serve({ dataDir: h.dataDir })
  const client = openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 10_000 })
  const overHttp = await listen(async at => {
    const reply = await client.call('event.list', { query: query(at) })
    return (reply as { body: Awaited<ReturnType<ListenOptions['page']>> }).body
  })
  await client.close()
  expect(overHttp).toEqual(expected)
})
