/** User and byte quotas: refused and allowed writes, and a byte count that stays correct after any change. */

import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../src/core/ids.ts'
import { DAY_MS } from '../../src/core/time.ts'
import { salvage } from '../../src/store/sqlite/salvage/salvage.ts'
import { times } from '../kit/effort.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { type Harness, openHarness } from '../kit/harness.ts'
import { IS_ON_POSTGRES } from '../kit/postgres/database.ts'
import { seed } from '../kit/seed.ts'
import { inBytes, linkedUser } from './links/linked-user.ts'
import { orderBody } from './orders/orders.ts'

const limit = (h: Harness, body: object) => h.call('team.update', { params: { team_id: h.team.teamId }, body })
const MANY = 1e12
const stored = async (h: Harness) => (await h.call('team.list', {})).teams[0]?.stored_bytes ?? -1
const problems = async (h: Harness) => (await h.call('engine.check', {})).problems
const samples = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({
    resource: 'heartrate',
    provider: 'polar',
    source_type: 'watch',
    timestamp: new Date(Date.UTC(2026, 10, 1) + (from + i) * 977).toISOString(),
    value: 60 + ((i * i + from) % 97) / 7,
  }))

describe('a user quota', () => {
  it('refuses new users and undone deletions beyond it with 403', async () => {
    const h = await openHarness()
    await limit(h, { max_users: 1 })
    const a = await h.call('user.create', { body: { client_user_id: 'a' } })
    const refused = await h.refusal('user.create', { body: { client_user_id: 'b' } })
    expect(refused).toMatchObject({ status: 403, code: 'quota_exceeded', exitCode: 4 })
    expect(refused.suggestions.join(' ')).toContain('--max-users')
    await h.call('user.delete', { params: { user_id: a.user_id } })
    await h.call('user.create', { body: { client_user_id: 'b' } })
    expect((await h.refusal('user.undo_delete', { body: { user_id: a.user_id } })).code).toBe('quota_exceeded')
    expect((await h.refusal('engine.seed', { body: { people: 2, days: 2 } })).code).toBe('quota_exceeded')
    await limit(h, { max_users: null })
    expect(await h.call('user.undo_delete', { body: { user_id: a.user_id } })).toEqual({ success: true })
    expect(await problems(h)).toEqual([])
  })

  it('has a former name with the same meaning', async () => {
    const h = await openHarness()
    expect(await limit(h, { user_limit: 3 })).toMatchObject({ user_limit: 3, max_users: 3 })
    expect(await limit(h, { max_users: 4 })).toMatchObject({ user_limit: 4, max_users: 4 })
    expect(await limit(h, { max_users: 5, user_limit: 5 })).toMatchObject({ user_limit: 5, max_users: 5 })
    const params = { team_id: h.team.teamId }
    const refused = await h.refusal('team.update', { params, body: { max_users: 5, user_limit: 6 } })
    expect(refused.body).toMatchObject({ detail: [{ loc: ['body', 'user_limit'] }] })
  })
})

describe('a byte quota', () => {
  it('refuses writes that would exceed it as a whole, but none that store less', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
    const params = { user_id }
    await h.call('samples.push', { params, body: inBytes(samples(500)) })
    const { user_id: demo } = await h.call('user.create', { body: { client_user_id: 'demo' } })
    await limit(h, { max_bytes: MANY })
    const full = await stored(h)
    expect(full).toBeGreaterThan(1_000)
    await limit(h, { max_bytes: full })
    for (const [id, input] of [
      ['samples.push', () => ({ params, body: inBytes(samples(500, 500)) })],
      ['import.create', () => ({ params, body: inBytes(samples(1, 2_000)[0] ?? {}) })],
      ['import.create', () => ({ params, query: { dry_run: true }, body: inBytes(samples(1, 2_000)[0] ?? {}) })],
      ['order.create', () => ({ body: orderBody(user_id) })],
      ['link.demo', () => ({ body: { user_id: demo, provider: 'oura' } })],
      ['event.trigger', () => ({ body: { type: 'daily.data.steps.created', user_id } })],
      ['event.trigger', () => ({ body: { type: 'daily.data.steps.created', user_id, only_event: true } })],
    ] as const) {
      const refused = await h.refusal(id, input() as never)
      expect([id, refused.status, refused.code]).toEqual([id, 403, 'quota_exceeded'])
      expect(refused.message).toContain(`${full} bytes`)
    }
    expect(await stored(h)).toBe(full)
    // the same samples again need no more space
    await h.call('samples.push', { params, body: inBytes(samples(500)) })
    const range = { start_date: '2026-11-01T00:00:00Z', end_date: '2026-11-01T00:04:00Z' }
    await h.call('timeseries.delete', { params: { ...params, resource: 'heartrate' }, query: range })
    expect(await stored(h)).toBeLessThan(full)
    await limit(h, { max_bytes: null })
    await h.call('samples.push', { params, body: inBytes(samples(500, 500)) })
    expect(await problems(h)).toEqual([])
  })

  it('counts a deleted user until the purge, and applies to its own team only', async () => {
    const { h, params } = await linkedUser(['whoop'])
    await limit(h, { max_bytes: MANY })
    const full = await stored(h)
    await limit(h, { max_bytes: full })
    const other = await h.call('team.create', { body: { name: 'acme' } })
    const change = { max_bytes: 10 }
    expect(await h.call('team.update', { params: { team_id: other.team_id }, body: change })).toMatchObject({
      stored_bytes: 0,
      max_bytes: 10,
    })
    await h.call('user.delete', { params })
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'b' } })
    const push = () => ({ params: { user_id }, body: inBytes(samples(10)) })
    expect((await h.refusal('samples.push', push())).code).toBe('quota_exceeded')
    h.time.ms += 7 * DAY_MS
    await h.call('engine.run_due', {})
    expect(await stored(h)).toBe(0)
    await h.call('samples.push', push())
    expect(await problems(h)).toEqual([])
  })
})

describe('the byte count', () => {
  it('matches the stored data after any actions in any order', async () => {
    const move = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 400 }))
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 8, maxLength: 14 }), async moves => {
        const h = await openHarness()
        await limit(h, { max_bytes: MANY })
        const make = (name: string) => h.call('user.create', { body: { client_user_id: name } })
        let { user_id } = await make('first')
        const imports: string[] = []
        const snapshot = { name: 'now', replace: true }
        if (!IS_ON_POSTGRES) await h.call('snapshot.save', { body: snapshot })
        for (const [what, at] of moves) {
          const params = { user_id }
          const attempts: (() => Promise<unknown>)[] = [
            () => h.call('samples.push', { params, body: inBytes(samples(50, at)) }),
            async () => {
              const made = await h.call('import.create', { params, body: inBytes({ samples: samples(30, at) }) })
              if (made.import_id) imports.push(made.import_id)
            },
            () => h.call('import.undo', { params: { import_id: imports.pop() ?? user_id } }),
            () =>
              h.call('timeseries.delete', {
                params: { ...params, resource: 'heartrate' },
                query: { start_date: '2026-11-01T00:01:00Z', end_date: '2026-11-01T00:03:00Z' },
              }),
            async () => {
              const { order } = await h.call('order.create', { body: orderBody(user_id) })
              await h.call('order.simulate', { params: { order_id: order.id } })
            },
            () => h.call('link.demo', { body: { user_id, provider: 'oura' } }),
            async () => {
              await h.call('user.delete', { params })
              if (at % 2 === 0) await h.call('user.undo_delete', { body: params })
              else user_id = (await make(`user-${at}-${h.time.ms}`)).user_id as UserId
            },
            () => h.call('snapshot.save', { body: snapshot }),
            async () => {
              await h.call('snapshot.restore', { params: { name: 'now' } })
              user_id = (await h.call('user.list', {})).users[0]?.user_id as UserId
              if (user_id === undefined) user_id = (await make(`again-${at}`)).user_id
            },
            async () => {
              h.time.ms += (at / 10) * DAY_MS
              await h.call('engine.run_due', {})
            },
          ]
          // a refusal changes nothing, which is fine here
          await attempts[what]?.().catch((error: { code?: string }) => {
            if (error.code === undefined) throw error
          })
          expect(await problems(h)).toEqual([])
        }
        await h.call('engine.reset', { body: { confirm: 'reset' } })
        expect([await stored(h), await problems(h)]).toEqual([0, []])
        await h.engine.close()
      }),
      { seed, numRuns: times(3), verbose: 1 },
    )
  }, 240_000)

  it('starts with a quota, ends with the last one, and starts again with a new one', async () => {
    const { h, params } = await linkedUser(['whoop'])
    const push = (from: number) => h.call('samples.push', { params, body: inBytes(samples(40, from)) })
    const other = await h.call('team.create', { body: { name: 'acme' } })
    const ofOther = (body: object) => h.call('team.update', { params: { team_id: other.team_id }, body })
    expect(await stored(h)).toBe(-1)
    const first = (await limit(h, { max_bytes: MANY })).stored_bytes ?? 0
    expect(first).toBeGreaterThan(10_000)
    await ofOther({ max_bytes: 5 })
    expect((await limit(h, { max_bytes: null })).stored_bytes).toBeNull()
    await push(0)
    expect(await problems(h)).toEqual([])
    await ofOther({ max_bytes: null })
    // nothing is counted now
    await push(100)
    expect(await problems(h)).toEqual([])
    const again = await Promise.all([
      limit(h, { max_bytes: MANY }),
      ofOther({ max_bytes: null }),
      ofOther({ max_bytes: 1 }),
    ])
    expect(again[0].stored_bytes).toBeGreaterThan(first)
    expect(await problems(h)).toEqual([])
  })

  it('is correct when another process writes', async () => {
    const { h, params } = await linkedUser(['whoop'])
    const second = await openHarness({ dataDir: h.dataDir, chance: 'second' })
    await second.call('samples.push', { params, body: inBytes(samples(40)) })
    await limit(h, { max_bytes: MANY })
    await second.call('samples.push', { params, body: inBytes(samples(40, 100)) })
    await h.call('samples.push', { params, body: inBytes(samples(40, 200)) })
    expect(await problems(second)).toEqual([])
    await limit(second, { max_bytes: await stored(second) })
    const refused = await h.refusal('samples.push', { params, body: inBytes(samples(40, 300)) })
    expect(refused.code).toBe('quota_exceeded')
  })

  it('is recomputed by a salvage, which keeps the responses for idempotency keys', async () => {
    const { h, params } = await linkedUser(['whoop'])
    await limit(h, { max_bytes: MANY })
    const again = { headers: { 'x-idempotency-key': 'k' } }
    await h.call('clock.set', { body: { advance: '1h' } }, again)
    await h.call('user.sign_in_token', { params }, again)
    const right = await stored(h)
    await h.engine.close()
    const db = new DatabaseSync(h.engine.folder.database)
    db.exec("UPDATE user SET stored_bytes=17; DELETE FROM setting WHERE name='counting_bytes'")
    db.close()
    const [from, to] = [temporaryFolder(), join(temporaryFolder(), 'new')]
    for (const name of readdirSync(h.dataDir))
      if (name.startsWith('svc.db')) cpSync(join(h.dataDir, name), join(from, name))
    const quiet = { onPages: () => {}, onPhase: () => {}, signal: undefined }
    const report = await salvage({ from, to, now: h.time.ms, ...quiet })
    expect([report.leftOut, report.problems]).toEqual([0, []])
    const other = await openHarness({ dataDir: to })
    expect(await stored(other)).toBe(right)
    await other.call('samples.push', { params, body: inBytes(samples(40)) })
    expect(await problems(other)).toEqual([])
  })

  it('is reported by a check if wrong', async () => {
    const { h } = await linkedUser(['whoop'])
    await limit(h, { max_bytes: MANY })
    expect(await problems(h)).toEqual([])
    const db = new DatabaseSync(h.engine.folder.database)
    db.exec('UPDATE user SET stored_bytes=stored_bytes+1')
    db.close()
    expect(await problems(h)).toMatchObject([{ what: 'user', message: expect.stringContaining('byte counter') }])
  })
})
