/** Stored requests and responses of delivery attempts: encrypted, for a week, and in no copy. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/core/time.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { openSink } from '../kit/sink.ts'
import { type DeliveryHarness, openDeliveryHarness } from './delivery-harness.ts'

const MARK = 'MARK-of-an-answer'

/** Delivers one event as far as the sink accepts it. */
async function delivered(
  ...behave: Parameters<typeof openSink>
): Promise<DeliveryHarness & { readonly event: string }> {
  const sink = await openSink(...behave)
  const d = await openDeliveryHarness()
  const ada = await d.user('ada')
  await d.endpoint(`${sink.url}/hooks`)
  const [event] = await d.events(ada, 1)
  await d.deliverAll()
  return { ...d, event: event?.eventId ?? '' }
}

const readAttempts = async ({ h }: DeliveryHarness, event_id: string) =>
  (await h.call('event.attempts', { params: { event_id } })).attempts

/** Returns the number of stored exchanges. */
const kept = async ({ engine }: DeliveryHarness): Promise<number> =>
  engine.store.deliveries.removeExchanges(Number.MAX_SAFE_INTEGER)

describe('the attempts to deliver an event', () => {
  it('show the request headers and the response of a success', async () => {
    const d = await delivered((_, response) => {
      response.writeHead(202, { 'content-type': 'text/plain', 'set-cookie': 'session=MARK' }).end('thanks')
      return undefined
    })
    expect(await readAttempts(d, d.event)).toEqual([
      {
        endpoint_id: expect.any(String),
        url: expect.stringMatching(/\/hooks$/),
        number: 1,
        attempted_at: '2026-11-20T12:00:00+00:00',
        status: 202,
        duration_ms: expect.any(Number),
        error: null,
        request_headers: expect.objectContaining({
          'content-type': 'application/json',
          'user-agent': 'svc/test',
          'webhook-id': d.event,
          'webhook-signature': expect.stringMatching(/^v1,/),
        }),
        response_headers: expect.objectContaining({ 'content-type': 'text/plain' }),
        response_body: 'thanks',
        response_truncated: false,
      },
    ])
    expect(JSON.stringify(await readAttempts(d, d.event))).not.toContain('MARK')
  })

  it('show each failure with its own response, and an earlier success after a resend', async () => {
    const d = await delivered((_, response, index) => {
      response.writeHead(index === 0 ? 500 : 200).end(`answer ${index + 1}`)
      return undefined
    })
    await d.advance('1h')
    await d.deliverAll()
    await d.h.call('event.resend', { params: { event_id: d.event } })
    await d.deliverAll()
    const attempts = await readAttempts(d, d.event)
    expect(attempts.map(each => [each.number, each.status, each.error, each.response_body])).toEqual([
      [1, 500, 'responded with 500', 'answer 1'],
      [2, 200, null, 'answer 2'],
      [3, 200, null, 'answer 3'],
    ])
  })

  it('include the first 4 KiB of a body, without half a character', async () => {
    const d = await delivered((_, response) => {
      response.writeHead(200).end(`${'x'.repeat(4_095)}€ and more`)
      return undefined
    })
    const [attempt] = await readAttempts(d, d.event)
    expect(attempt).toMatchObject({ response_body: 'x'.repeat(4_095), response_truncated: true })
  })

  it('show bytes that are not text as replacement characters', async () => {
    const d = await delivered((_, response) => {
      response.writeHead(200).end(Buffer.from([0x61, 0xff, 0x00, 0x62]))
      return undefined
    })
    const [attempt] = await readAttempts(d, d.event)
    expect(attempt).toMatchObject({ response_body: 'a\uFFFD\0b', response_truncated: false })
  })

  it('have a request but no response if the connection broke', async () => {
    const d = await delivered((_, response) => {
      response.destroy()
      return undefined
    })
    const [attempt] = await readAttempts(d, d.event)
    expect(attempt).toMatchObject({ status: null, response_headers: null, response_body: null })
    expect(attempt?.request_headers).toMatchObject({ 'webhook-id': d.event })
  })
})

describe('the stored exchange of an attempt', () => {
  it('is shown for 7 days of real time, and then removed', async () => {
    const d = await delivered()
    await d.advance('10d')
    d.h.time.ms += 7 * DAY_MS
    expect((await readAttempts(d, d.event))[0]).toMatchObject({ response_body: '' })
    d.h.time.ms += 1
    expect((await readAttempts(d, d.event))[0]).toMatchObject({
      status: 200,
      request_headers: null,
      response_body: null,
    })
    const { ran } = await d.h.call('engine.run_due', {})
    expect(ran).toContainEqual({ kind: 'delivery_exchange', count: 1 })
    expect(await kept(d)).toBe(0)
  })

  it('is removed with its endpoint', async () => {
    const d = await delivered()
    const { endpoints } = await d.h.call('webhook.list', {})
    await d.h.call('webhook.delete', { params: { endpoint_id: endpoints[0]?.endpoint_id ?? '' } })
    expect(await kept(d)).toBe(0)
  })

  it('is removed with its event', async () => {
    const d = await delivered()
    await d.advance('400d')
    const { ran } = await d.h.call('engine.run_due', {})
    expect(ran).toContainEqual(expect.objectContaining({ kind: 'retention' }))
    expect(await kept(d)).toBe(0)
  })

  it('is removed with its user', async () => {
    const d = await delivered()
    const { users } = await d.h.call('user.list', {})
    await d.h.call('user.delete', { params: { user_id: users[0]?.user_id ?? '' } })
    await d.advance('8d')
    const { ran } = await d.h.call('engine.run_due', {})
    expect(ran).toContainEqual({ kind: 'purge', count: 1 })
    expect(await kept(d)).toBe(0)
  })

  it('passes the check', async () => {
    const d = await delivered()
    expect(await d.h.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('is refused if it was changed', async () => {
    const d = await delivered()
    const db = new DatabaseSync(join(d.h.dataDir, 'svc.db'))
    db.exec('UPDATE delivery_exchange SET sealed=zeroblob(60), number=0')
    db.close()
    expect(await d.h.call('engine.check', {})).toMatchObject({
      ok: false,
      problems: [
        { what: 'delivery_exchange', message: expect.stringContaining('there is no attempt with its number') },
      ],
    })
    const refused = await d.h.refusal('event.attempts', { params: { event_id: d.event } })
    expect(refused.code).toBe('data_damaged')
  })
})

describe('the files of the store', () => {
  it('contain no response in plain text, and a snapshot has none at all', async () => {
    const d = await delivered((_, response) => {
      response.writeHead(200, { 'x-mark': MARK }).end(MARK)
      return undefined
    })
    const { dataDir } = d.h
    for (const name of ['svc.db', 'svc.db-wal']) expect(readFileSync(join(dataDir, name)).includes(MARK)).toBe(false)
    const path = join(temporaryFolder(), 'copy.db')
    await d.engine.store.snapshots.copyTo(path, { real: d.h.time.ms, now: d.h.time.ms })
    const copy = new DatabaseSync(path, { readOnly: true })
    expect(copy.prepare('SELECT count(*) AS n FROM delivery_exchange').get()).toEqual({ n: 0 })
    copy.close()
    await d.h.call('snapshot.save', { body: { name: 'one' } })
    await d.h.call('snapshot.restore', { params: { name: 'one' } })
    expect((await readAttempts(d, d.event))[0]).toMatchObject({ status: 200, request_headers: null })
    expect(await kept(d)).toBe(0)
  })
})
