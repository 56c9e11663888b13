/** Webhook endpoints: a team's view of them, their allowed targets, and how their secrets are stored. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { parseSecret } from '../../../src/delivery/signature.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { openSecret } from '../../../src/engine/webhooks/sealed-secret.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { storeOptions } from '../../kit/postgres/database.ts'

const URL = 'https://example.com/hooks'
const NOBODY = '00000000-0000-4000-8000-000000000000'
const OWN_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

const findRecord = async ({ engine, team }: Harness, endpointId: string) => {
  const record = await engine.context.store.webhooks.find(team.teamId, endpointId)
  if (record === null) throw new Error('no such endpoint')
  return record
}
const readReasons = (error: { body: Readonly<Record<string, unknown>> }): string => JSON.stringify(error.body['detail'])

describe('an endpoint', () => {
  it('is created with defaults, and shows its secret once', async () => {
    const harness = await openHarness()
    const { secret, ...made } = await harness.call('webhook.create', { body: { url: URL } })
    expect(made).toEqual({
      endpoint_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: URL,
      description: '',
      event_types: ['*'],
      header_prefix: null,
      concurrency: 10,
      rate_limit: null,
      state: 'enabled',
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      target_problem: null,
      former_secret_until: null,
      waiting: 0,
      dead: 0,
      created_at: '2026-11-20T12:00:00+00:00',
      updated_at: '2026-11-20T12:00:00+00:00',
    })
    expect(parseSecret(secret)).toHaveLength(32)
    expect(await harness.call('webhook.get', { params: made })).toEqual(made)
    expect(await harness.call('webhook.list', {})).toEqual({ endpoints: [made] })
  })

  it('changes only in the given fields', async () => {
    const harness = await openHarness()
    const made = await harness.call('webhook.create', {
      body: { url: URL, event_types: ['daily.*', 'daily.*'], header_prefix: 'svix-', rate_limit: 5, description: 'a' },
    })
    expect(made.event_types).toEqual(['daily.*'])
    harness.time.ms += 1_000
    const params = { endpoint_id: made.endpoint_id }
    const changed = await harness.call('webhook.update', { params, body: { rate_limit: null, concurrency: 2 } })
    const { secret: _, ...rest } = made
    expect(changed).toEqual({ ...rest, rate_limit: null, concurrency: 2, updated_at: '2026-11-20T12:00:01+00:00' })
    harness.time.ms += 1_000
    expect(await harness.call('webhook.update', { params, body: {} })).toEqual(changed)
  })

  it('can be disabled and enabled, and keeps its first reason', async () => {
    const harness = await openHarness()
    const { endpoint_id } = await harness.call('webhook.create', { body: { url: URL } })
    const params = { endpoint_id }
    const disabled = await harness.call('webhook.disable', { params })
    expect(disabled).toMatchObject({
      state: 'disabled',
      disabled_reason: 'manual',
      disabled_at: '2026-11-20T12:00:00+00:00',
    })
    harness.time.ms += 60_000
    expect(await harness.call('webhook.disable', { params })).toEqual(disabled)
    expect(await harness.call('webhook.enable', { params })).toMatchObject({ state: 'enabled', disabled_at: null })
  })

  it('is unknown everywhere once deleted', async () => {
    const harness = await openHarness()
    const { endpoint_id } = await harness.call('webhook.create', { body: { url: URL } })
    const params = { endpoint_id }
    expect(await harness.call('webhook.delete', { params })).toEqual({ success: true })
    for (const id of ['webhook.get', 'webhook.disable', 'webhook.enable', 'webhook.delete', 'webhook.test'] as const) {
      expect(await harness.refusal(id, { params })).toMatchObject({ code: 'not_found', status: 404 })
    }
    expect(await harness.refusal('webhook.update', { params, body: { url: URL } })).toMatchObject({ status: 404 })
    expect(await harness.refusal('webhook.rotate_secret', { params, body: {} })).toMatchObject({ status: 404 })
    expect(await harness.refusal('webhook.get', { params: { endpoint_id: NOBODY } })).toMatchObject({ status: 404 })
  })

  it.each([
    [{ url: 'nowhere' }, 'url', 'must be a URL'],
    [{ url: 'http://example.com/' }, 'url', 'must begin with https'],
    [{ url: 'https://10.0.0.1/' }, 'url', 'a private address'],
    [{ url: 'https://u:p@example.com/' }, 'url', 'user name or password'],
    [{ url: URL, event_types: ['daily.data.glucos.*'] }, 'event_types', 'matches no event type'],
    [{ url: URL, event_types: ['daily.data.glucose.createt'] }, 'event_types', 'daily.data.glucose.created'],
    [{ url: URL, event_types: ['Daily'] }, 'event_types', 'must be an event type'],
    [{ url: URL, event_types: [] }, 'event_types', 'least 1'],
    [{ url: URL, header_prefix: 'svix' }, 'header_prefix', 'end with -'],
    [{ url: URL, header_prefix: 'webhook-' }, 'header_prefix', 'are always sent'],
    [{ url: URL, concurrency: 0 }, 'concurrency', '1'],
    [{ url: URL, secret: 'whsec_short' }, 'secret', 'must be whsec_'],
    [{ url: URL, colour: 'red' }, 'body', 'does not accept these fields: colour'],
  ])('is refused as %j', async (body, field, words) => {
    const harness = await openHarness()
    const refused = await harness.refusal('webhook.create', { body: body as never })
    expect(refused).toMatchObject({ status: 422 })
    expect(readReasons(refused)).toContain(`"${field}"`)
    expect(readReasons(refused)).toContain(words)
    expect(readReasons(refused)).not.toContain('whsec_short')
    expect(await harness.call('webhook.list', {})).toEqual({ endpoints: [] })
  })

  it('can target a private network where that is allowed', async () => {
    const dataDir = temporaryFolder()
    const engine = await openEngine({
      dataDir,
      waitForLock: 'blocking',
      allowPrivateTargets: true,
      ...storeOptions(dataDir),
    })
    expect(engine.context.allowPrivateTargets).toBe(true)
    await engine.close()
    process.env['SVC_ALLOW_PRIVATE_TARGETS'] = '1'
    try {
      const harness = await openHarness({ dataDir })
      expect(await harness.call('webhook.create', { body: { url: 'http://10.0.0.1:3000/' } })).toMatchObject({
        url: 'http://10.0.0.1:3000/',
      })
    } finally {
      delete process.env['SVC_ALLOW_PRIVATE_TARGETS']
    }
  })

  it('is one of at most 500', async () => {
    const harness = await openHarness()
    const { endpoint_id } = await harness.call('webhook.create', { body: { url: URL } })
    const record = await findRecord(harness, endpoint_id)
    const { webhooks } = harness.engine.context.store
    await Promise.all(
      Array.from({ length: 499 }, (_, n) => webhooks.add({ ...record, endpointId: `${n}`.padStart(36, '0') })),
    )
    expect(await harness.refusal('webhook.create', { body: { url: URL } })).toMatchObject({ code: 'bad_request' })
  })
})

describe('the secret of an endpoint', () => {
  it('is encrypted at rest, and can only be decrypted with the master key of the folder', async () => {
    const harness = await openHarness()
    const made = await harness.call('webhook.create', { body: { url: URL, secret: OWN_SECRET } })
    expect(made.secret).toBe(OWN_SECRET)
    const record = await findRecord(harness, made.endpoint_id)
    const { context } = harness.engine
    expect(Buffer.from(openSecret(context, record, record.secret))).toEqual(Buffer.alloc(24, 7))
    // another endpoint, another key, a changed byte
    const altered = Uint8Array.from(record.secret, (byte, at) => (at === record.secret.length - 1 ? byte ^ 1 : byte))
    for (const [engine, owner, sealed] of [
      [context, { ...record, endpointId: NOBODY }, record.secret],
      [{ masterKey: () => Buffer.alloc(32) }, record, record.secret],
      [context, record, altered],
      [context, record, new Uint8Array()],
    ] as const) {
      expect(() => openSecret(engine, owner, sealed)).toThrow('cannot be opened')
    }
    await harness.engine.close()
    for (const name of ['svc.db', 'svc.db-wal']) {
      let bytes = Buffer.alloc(0)
      try {
        bytes = readFileSync(join(harness.dataDir, name))
      } catch {
        continue
      }
      expect(bytes.includes(Buffer.alloc(24, 7))).toBe(false)
      expect(bytes.includes(OWN_SECRET.slice(6))).toBe(false)
    }
  })

  it('is replaced by another one, and valid until the overlap ends in real time', async () => {
    const harness = await openHarness()
    const { endpoint_id, secret: former } = await harness.call('webhook.create', { body: { url: URL } })
    const params = { endpoint_id }
    const rotated = await harness.call('webhook.rotate_secret', { params, body: { overlap_hours: 2 } })
    expect(rotated.former_secret_until).toBe('2026-11-20T14:00:00+00:00')
    const keys = async () => {
      const record = await findRecord(harness, endpoint_id)
      const both = [record.secret, record.formerSecret ?? new Uint8Array()]
      return both.map(sealed => Buffer.from(openSecret(harness.engine.context, record, sealed)))
    }
    const [next, last] = [rotated.secret, former].map(secret => Buffer.from(parseSecret(secret)))
    expect(await keys()).toEqual([next, last])
    // the engine's clock has no effect on it
    await harness.call('clock.set', { body: { advance: '7d' } })
    expect(await harness.call('webhook.get', { params })).toMatchObject({
      former_secret_until: '2026-11-20T14:00:00+00:00',
    })
    // another rotation ends the overlap: there are never three signatures
    const again = await harness.call('webhook.rotate_secret', { params, body: { secret: OWN_SECRET } })
    expect(again.secret).toBe(OWN_SECRET)
    expect(await keys()).toEqual([Buffer.alloc(24, 7), next])
    const atOnce = await harness.call('webhook.rotate_secret', { params, body: { overlap_hours: 0 } })
    expect(atOnce.former_secret_until).toBeNull()
    expect(await findRecord(harness, endpoint_id)).toMatchObject({ formerUntil: NOON })
  })

  it('leaves no trace in the audit trail', async () => {
    const harness = await openHarness()
    const { endpoint_id, secret } = await harness.call('webhook.create', { body: { url: URL } })
    await harness.call('webhook.rotate_secret', { params: { endpoint_id }, body: { secret: OWN_SECRET } })
    const trail = JSON.stringify(await harness.call('audit.list', {}))
    expect(trail).toContain(endpoint_id)
    expect(trail).toContain('webhook.rotate_secret')
    for (const text of [secret.slice(6, 20), OWN_SECRET.slice(6, 20), 'example.com']) expect(trail).not.toContain(text)
  })
})

describe('a test of an endpoint', () => {
  it('sends an example about the newest user, to that endpoint only', async () => {
    const harness = await openHarness()
    const make = (url: string) => harness.call('webhook.create', { body: { url, event_types: ['lab_report.*'] } })
    const [{ endpoint_id }, other] = [await make(URL), await make(`${URL}/two`)]
    await harness.call('user.create', { body: { client_user_id: 'older' } })
    harness.time.ms += 1_000
    const { user_id } = await harness.call('user.create', { body: { client_user_id: 'newer' } })
    const params = { endpoint_id }
    const queued = await harness.call('webhook.test', { params })
    expect(queued).toEqual({
      event_id: expect.any(String),
      event_type: 'provider.connection.created',
      endpoint_id,
      user_id,
    })
    expect(await harness.call('webhook.get', { params })).toMatchObject({ waiting: 1 })
    expect(await harness.call('webhook.get', { params: other })).toMatchObject({ waiting: 0 })
    const event = await harness.call('event.get', { params: { event_id: queued.event_id } })
    expect(event.payload).toMatchObject({
      event_type: 'provider.connection.created',
      data: { user_id, provider: { slug: expect.any(String) } },
      team_id: harness.team.teamId,
      user_id,
      client_user_id: 'newer',
    })
    const body = { type: 'daily.data.glucose.created' }
    expect(await harness.call('webhook.test', { params, body })).toMatchObject({ event_type: body.type })
    expect(await harness.call('webhook.get', { params })).toMatchObject({ waiting: 2 })
    // the data does not change
    const read = { params: { user_id, resource: 'glucose' }, query: { start_date: '2026-11-01' } }
    expect(await harness.call('timeseries.grouped', read)).toMatchObject({ groups: {} })
  })

  it('needs a user, an enabled endpoint and an existing event type', async () => {
    const harness = await openHarness()
    const { endpoint_id } = await harness.call('webhook.create', { body: { url: URL } })
    const test = (body: object = {}) => harness.refusal('webhook.test', { params: { endpoint_id }, body })
    expect(await test()).toMatchObject({ code: 'conflict', status: 409 })
    await harness.call('user.create', { body: { client_user_id: 'one' } })
    expect(readReasons(await test({ type: 'daily.data.glucos.created' }))).toContain('daily.data.glucose.created')
    expect(readReasons(await test({ type: 'daily.*' }))).toContain('is not an event type')
    await harness.call('webhook.disable', { params: { endpoint_id } })
    expect(await test()).toMatchObject({ code: 'conflict', message: expect.stringContaining('disabled') })
  })
})

describe('the deliveries of an endpoint', () => {
  /** Inserts deliveries as rows; other tests cover how they are created and removed. */
  const keep = (dataDir: string, rows: readonly (readonly [string, number, string, string, number])[]): void => {
    const db = new DatabaseSync(join(dataDir, 'svc.db'))
    for (const [userId, sequence, endpointId, state, attempts] of rows) {
      db.prepare(
        "INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, attempts, due_at) VALUES (?,?,?,'t',?,?,0)",
      ).run(userId, sequence, endpointId, state, attempts)
      db.prepare("INSERT INTO failed_attempt VALUES (?,?,?,1,0,500,'answered 500',1)").run(userId, sequence, endpointId)
    }
    db.exec(`UPDATE delivery SET team_id=(SELECT team_id FROM team LIMIT 1)`)
    db.close()
  }
  const count = (dataDir: string, sql: string): unknown => {
    const db = new DatabaseSync(join(dataDir, 'svc.db'))
    const row = db.prepare(`SELECT count(*) AS n FROM ${sql}`).get() as { n: number }
    db.close()
    return row.n
  }

  it('are counted, given up when it is disabled, and removed with it, independently of other endpoints', async () => {
    const harness = await openHarness()
    const [one, two] = [
      await harness.call('webhook.create', { body: { url: URL } }),
      await harness.call('webhook.create', { body: { url: `${URL}/two` } }),
    ].map(each => each.endpoint_id) as [string, string]
    keep(harness.dataDir, [
      ['u1', 1, one, 'waiting', 0],
      ['u1', 2, one, 'waiting', 3],
      ['u2', 1, one, 'dead', 8],
      ['u2', 2, one, 'delivered', 1],
      ['u1', 1, two, 'waiting', 0],
    ])
    expect(await harness.call('webhook.get', { params: { endpoint_id: one } })).toMatchObject({ waiting: 2, dead: 1 })
    expect(await harness.call('webhook.disable', { params: { endpoint_id: one } })).toMatchObject({
      waiting: 0,
      dead: 3,
    })
    const { endpoints } = await harness.call('webhook.list', {})
    expect(endpoints.map(each => [each.waiting, each.dead])).toEqual([
      [0, 3],
      [1, 0],
    ])
    expect(count(harness.dataDir, "delivery WHERE state='dead' AND last_error='endpoint disabled (manual)'")).toBe(2)
    await harness.call('webhook.delete', { params: { endpoint_id: one } })
    expect(count(harness.dataDir, 'delivery')).toBe(1)
    expect(count(harness.dataDir, 'failed_attempt')).toBe(1)
  })

  it('are removed in portions until none is left', async () => {
    const harness = await openHarness()
    const { endpoint_id } = await harness.call('webhook.create', { body: { url: URL } })
    const db = new DatabaseSync(join(harness.dataDir, 'svc.db'))
    db.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<9000)
       INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, due_at)
       SELECT 'u' || (i%7), i, CASE WHEN i%3=0 THEN 'other' ELSE ? END, 't', 'delivered', 0 FROM n`,
    ).run(endpoint_id)
    db.close()
    await harness.call('webhook.delete', { params: { endpoint_id } })
    expect(count(harness.dataDir, 'delivery')).toBe(3_000)
    expect(count(harness.dataDir, "delivery WHERE endpoint_id<>'other'")).toBe(0)
  })
})
