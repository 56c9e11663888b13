/** Idempotency keys: their scope, how responses are stored, and the response to a call that arrives too early. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import { parseInput } from '../../src/contract/kernel/validation.ts'
import { operations } from '../../src/contract/operations.ts'
import { hashSecret } from '../../src/core/ids.ts'
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts'
import { type Harness, openHarness } from '../kit/harness.ts'
import { DAILY_STEPS } from './continuous/continuous.ts'
import { inBytes } from './links/linked-user.ts'
import { orderBody } from './orders/orders.ts'
import { keyHolder } from './teams/with-key.ts'

const keyed = (key: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'x-idempotency-key': key, ...more },
})
const ada = { body: { client_user_id: 'ada' } }
const users = async (h: Harness) => (await h.call('user.list', {})).total
const conflict = { status: 409, headers: { 'retry-after': '1' } }

describe('a key', () => {
  it('is accepted in either header, and the two must not differ', async () => {
    const h = await openHarness()
    const first = await h.call('user.create', ada, { headers: { 'idempotency-key': 'k' } })
    expect(await h.call('user.create', ada, keyed('k'))).toEqual(first)
    expect(await h.call('user.create', ada, keyed('k', { 'idempotency-key': 'k' }))).toEqual(first)
    const differing = await h.refusal('user.create', ada, keyed('k', { 'idempotency-key': 'l' }))
    expect(differing.body).toMatchObject({ detail: [{ loc: ['header', 'idempotency-key'] }] })
    expect(await users(h)).toBe(1)
  })

  it('applies to its team, whichever of the team’s API keys is used', async () => {
    const h = await openHarness()
    const acme = await h.call('team.create', { body: { name: 'acme' } })
    const other = await h.call('key.create', { params: { team_id: acme.team_id }, body: {} })
    const mine = await h.call('user.create', ada, keyed('k'))
    const asked = { ...ada, ...keyed('k') }
    const theirs = await keyHolder(h, acme.api_key).call<{ user_id: string }>('user.create', asked)
    expect(theirs.user_id).not.toBe(mine.user_id)
    expect(await keyHolder(h, other.api_key).call('user.create', asked)).toEqual(theirs)
  })

  it('applies to a user if the call refers to one in any way', async () => {
    const h = await openHarness()
    const [a, b] = [await h.call('user.create', ada), await h.call('user.create', { body: { client_user_id: 'b' } })]
    const tokens = [a, b].map(({ user_id }) => h.call('link.token', { body: { user_id } }, keyed('k')))
    const [one, two] = await Promise.all(tokens)
    expect(one?.link_token).not.toBe(two?.link_token)
    const other = await h.refusal('user.sign_in_token', { params: { user_id: a.user_id } }, keyed('k'))
    expect(other.body).toMatchObject({ detail: [{ loc: ['header', 'x-idempotency-key'] }] })
    const { order } = await h.call('order.create', { body: orderBody(a.user_id) }, keyed('o'))
    expect(await h.refusal('order.cancel', { params: { order_id: order.id } }, keyed('o'))).toMatchObject({
      status: 422,
    })
  })

  it('is valid for a day of real time, however the engine’s clock is moved', async () => {
    const h = await openHarness()
    const advance = { body: { advance: '10d' } }
    const first = await h.call('clock.set', advance, keyed('k'))
    expect(await h.call('clock.set', advance, keyed('k'))).toEqual(first)
    h.time.ms += 23 * HOUR_MS
    expect(await h.call('clock.set', advance, keyed('k'))).toEqual(first)
    h.time.ms += HOUR_MS + 1
    expect(await h.call('clock.set', advance, keyed('k'))).not.toEqual(first)
  })

  it('matches an upload with the same bytes, and refuses one with other bytes', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', ada)
    const params = { user_id }
    const sample = { resource: 'heartrate', timestamp: '2026-11-20T08:30:00Z', value: 61 }
    const first = await h.call('samples.push', { params, body: inBytes([sample]) }, keyed('k'))
    const pieces = [...JSON.stringify([sample])].map(each => Buffer.from(each))
    const body = { kind: 'stream' as const, stream: Readable.from(pieces) }
    expect(await h.call('samples.push', { params, body }, keyed('k'))).toEqual(first)
    const other = inBytes([{ ...sample, value: 62 }])
    expect((await h.refusal('samples.push', { params, body: other }, keyed('k'))).status).toBe(422)
  })
})

describe('simultaneous calls', () => {
  it('run once: the others get the same response', async () => {
    const h = await openHarness()
    const made = await Promise.all(Array.from({ length: 10 }, () => h.call('user.create', ada, keyed('k'))))
    expect(new Set(made.map(each => each.user_id)).size).toBe(1)
    expect(await users(h)).toBe(1)
  })

  it('are told to retry while the first has changed something and has no response yet', async () => {
    const h = await openHarness()
    // several people, each a separate change
    const seed = { body: { people: 3, days: 2, seed: 7 } }
    const outcomes = await Promise.allSettled([1, 2].map(() => h.call('engine.seed', seed, keyed('k'))))
    const [refused] = outcomes.filter(each => each.status === 'rejected')
    if (refused) expect(refused.reason).toMatchObject(conflict)
    const first = await h.call('engine.seed', seed, keyed('k'))
    expect(outcomes).toContainEqual({ status: 'fulfilled', value: first })
    expect(await users(h)).toBe(3)
  })

  it('never repeat a call that was interrupted', async () => {
    const h = await openHarness()
    const seed = { body: { people: 2, days: 2, seed: 7 } }
    await h.call('engine.seed', seed, keyed('k'))
    // as left by a process that was killed before it could respond
    await inDatabase(h, db => db.exec('UPDATE team_answer SET status=NULL, answer=NULL'))
    const refused = await h.refusal('engine.seed', seed, keyed('k'))
    expect(refused).toMatchObject(conflict)
    expect(refused.suggestions.join(' ')).toContain('new key')
  })
})

describe('a stored response', () => {
  it('can be a refusal (400, 404) unless disabled, but no other refusal', async () => {
    const h = await openHarness()
    await h.call('user.create', ada)
    const first = await h.refusal('user.create', ada, keyed('taken'))
    expect(first).toMatchObject({ status: 400, code: 'client_user_id_taken' })
    const second = await h.refusal('user.create', ada, keyed('taken'))
    expect(second).toMatchObject({ code: first.code, body: first.body, message: first.message })
    expect(second.headers).toHaveProperty('x-idempotent-replayed')
    await h.refusal('user.create', ada, keyed('not kept', { 'x-idempotency-error': 'no-cache' }))
    expect((await h.refusal('user.create', ada, keyed('not kept'))).headers).toEqual({})
    await h.call('continuous_query.create', { body: DAILY_STEPS })
    for (let i = 0; i < 2; i++) {
      const refused = await h.refusal('continuous_query.create', { body: DAILY_STEPS }, keyed('slug'))
      expect([refused.status, refused.headers]).toEqual([409, {}])
    }
  })

  it('is encrypted: no file reveals secrets or values', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'Canaryperson' } }, keyed('u'))
    const { api_key } = await h.call('team.create', { body: { name: 'acme' } }, keyed('t'))
    const { link_token } = await h.call('link.token', { body: { user_id } }, keyed('l'))
    const endpoint = { url: 'https://hooks.example/x', event_types: ['*'] }
    const { secret } = await h.call('webhook.create', { body: endpoint }, keyed('w'))
    const { sign_in_token } = await h.call('user.sign_in_token', { params: { user_id } }, keyed('s'))
    const rows = () => {
      const files = readdirSync(h.dataDir, { recursive: true, encoding: 'utf8' }).map(name => join(h.dataDir, name))
      return Buffer.concat(files.filter(path => statSync(path).isFile()).map(path => readFileSync(path)))
    }
    for (const text of [api_key, link_token, secret, sign_in_token, '"api_key"', '"client_user_id"']) {
      expect(rows().includes(text), text).toBe(false)
    }
    // and it can still be decrypted
    expect(await h.call('team.create', { body: { name: 'acme' } }, keyed('t'))).toMatchObject({ api_key })
  })

  it('is not repeated if it can no longer be decrypted, and the call does not run again', async () => {
    const h = await openHarness()
    await h.call('user.create', ada, keyed('k'))
    process.env['SVC_MASTER_KEY'] = '22'.repeat(32)
    const other = await openHarness({ dataDir: h.dataDir })
    const refused = await other.refusal('user.create', ada, keyed('k'))
    delete process.env['SVC_MASTER_KEY']
    // the request is hashed with the same key, so it cannot be recognized either
    expect([409, 422]).toContain(refused.status)
    expect(await users(other)).toBe(1)
  })

  it('is removed with the user that it is about, created or mentioned by the call', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', ada, keyed('u'))
    await h.call('user.sign_in_token', { params: { user_id } }, keyed('s'))
    await h.call('clock.set', { body: { advance: '1h' } }, keyed('c'))
    expect(await readRows(h)).toEqual({ team: 2, user: 1 })
    await h.call('user.delete', { params: { user_id } })
    await h.call('clock.set', { body: { advance: '8d' } })
    await h.call('engine.run_due', {})
    expect(await readRows(h)).toEqual({ team: 1, user: 0 })
    expect((await h.call('engine.check', {})).problems).toEqual([])
  })

  it('is removed when it is a day old, a hundred at a time', async () => {
    const h = await openHarness()
    for (let i = 0; i < 3; i++) await h.call('clock.set', { body: { advance: '1s' } }, keyed(`k${i}`))
    h.time.ms += DAY_MS + 1
    await h.call('clock.set', { body: { advance: '1s' } }, keyed('later'))
    expect(await readRows(h)).toEqual({ team: 1, user: 0 })
  })

  it('is removed by due work when it is a day old', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', ada, keyed('u'))
    await h.call('user.sign_in_token', { params: { user_id } }, keyed('s'))
    h.time.ms += DAY_MS + 1
    expect((await h.call('engine.run_due', {})).ran).toContainEqual({ kind: 'keyed_response', count: 2 })
    expect((await h.call('engine.run_due', {})).ran).toEqual([])
  })

  it('is recorded in the audit trail with the object that the first call created', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', ada, keyed('k'))
    await h.call('user.create', ada, keyed('k'))
    const { entries } = await h.call('audit.list', { query: { operation: 'user.create' } })
    expect(entries.map(each => [each.outcome, each.object])).toEqual([
      ['ok', { user_id }],
      ['ok', { user_id }],
    ])
  })
})

async function inDatabase<T>(h: Harness, step: (db: InstanceType<typeof DatabaseSync>) => T): Promise<T> {
  const db = new DatabaseSync(h.engine.folder.database)
  try {
    return step(db)
  } finally {
    db.close()
  }
}

const readRows = (h: Harness) =>
  inDatabase(h, db => {
    const count = (table: string) => (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
    return { team: count('team_answer'), user: count('user_answer') }
  })

describe('stored responses of schema 5', () => {
  it('are repeated for the rest of their day', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', ada)
    const body = orderBody(user_id)
    const { order } = await h.call('order.create', { body }, keyed('k'))
    const parsed = parseInput(operations['order.create'], { params: {}, query: {}, body }, SHIPPED_REGISTRY).body
    const kept = JSON.stringify({ order, status: 'success', message: 'as it was' })
    await inDatabase(h, db =>
      db
        .prepare("UPDATE user_answer SET call_id='', request_hash=?, answer=?")
        .run(hashSecret(JSON.stringify(parsed)), Buffer.from(kept)),
    )
    const later = await openHarness({ dataDir: h.dataDir })
    expect(await later.call('order.create', { body }, keyed('k'))).toEqual({
      order,
      status: 'success',
      message: 'as it was',
    })
    const other = { body: orderBody(user_id, 'thyroid-kit') }
    expect((await later.refusal('order.create', other, keyed('k'))).status).toBe(422)
  })
})
