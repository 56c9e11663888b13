/** Teams and API keys: a key's rights, its lifetime, and team settings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { keyHolder, newTeam } from './with-key.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'
let h: Harness
afterEach(() => h.engine.close())

describe('a team', () => {
  it('is created with a working key that is shown once and stored as a hash', async () => {
    h = await openHarness()
    const { team_id, api_key, as } = await newTeam(h, 'acme')
    expect(api_key).toMatch(/^sk_us_[A-Za-z0-9_-]{43}$/)
    const { keys } = await h.call('key.list', { query: { team_id } })
    expect(keys).toEqual([
      {
        key_id: expect.any(String),
        team_id,
        prefix: `sk_us_…${api_key.slice(-4)}`,
        label: 'first key',
        is_operator: false,
        created_on: '2026-11-20T12:00:00+00:00',
        last_used_on: null,
        revoked_at: null,
      },
    ])
    expect(await as.call('team.whoami')).toEqual({ team_id, name: 'acme' })
    await h.engine.close()
    for (const name of ['svc.db', 'svc.db-wal']) {
      const file = join(h.dataDir, name)
      expect(readIfThere(file).includes(api_key)).toBe(false)
    }
    h = await openHarness({ dataDir: h.dataDir })
  })

  it('has a key whose prefix shows its environment and region', async () => {
    h = await openHarness()
    for (const [environment, region, start] of [
      ['production', 'us', 'pk_us_'],
      ['production', 'eu', 'pk_eu_'],
      ['sandbox', 'eu', 'sk_eu_'],
    ] as const) {
      const { api_key } = await h.call('team.create', { body: { name: start, environment, region } })
      expect(api_key.startsWith(start)).toBe(true)
    }
  })

  it('has a unique name that is not an ID', async () => {
    h = await openHarness()
    await newTeam(h, 'acme')
    expect((await h.refusal('team.create', { body: { name: 'acme' } })).code).toBe('conflict')
    expect((await h.refusal('team.create', { body: { name: 'local' } })).code).toBe('conflict')
    for (const name of ['', ' acme', 'a\nb', NOBODY, 'x'.repeat(101)]) {
      expect((await h.refusal('team.create', { body: { name } })).status).toBe(422)
    }
    expect((await h.call('team.list', {})).teams.map(team => team.name)).toEqual(['local', 'acme'])
  })

  it('sees nothing of another team', async () => {
    h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
    const { as } = await newTeam(h, 'acme')
    expect((await as.refusal('user.get', { params: { user_id } })).body).toEqual(
      (await as.refusal('user.get', { params: { user_id: NOBODY } })).body,
    )
    expect(await as.call('user.create', { body: { client_user_id: 'ada' } })).toMatchObject({ client_user_id: 'ada' })
    expect(await as.call('user.list')).toMatchObject({ total: 1 })
  })

  it('can be renamed and changed; omitted settings stay', async () => {
    h = await openHarness()
    const { team_id } = await newTeam(h, 'acme')
    await newTeam(h, 'other')
    const change = (body: object) => h.call('team.update', { params: { team_id }, body })
    expect(await change({ name: 'acme 2', beta: { aggregate: false } })).toMatchObject({
      name: 'acme 2',
      beta: { user_info: true, aggregate: false },
    })
    expect(
      await change({ user_limit: 5, compatibility_date: '2024-06-01', reject_duplicate_connection: true }),
    ).toEqual({
      team_id,
      name: 'acme 2',
      created_on: '2026-11-20T12:00:00+00:00',
      user_count: 0,
      stored_bytes: null,
      reject_duplicate_connection: true,
      user_limit: 5,
      max_users: 5,
      max_bytes: null,
      max_requests_per_second: null,
      max_in_flight: null,
      beta: { user_info: true, aggregate: false },
      compatibility_date: '2024-06-01',
      event_days: 30,
      merge: false,
      mixed_kinds: 'warn',
      keep_import_days: null,
    })
    expect(await change({ user_limit: null, compatibility_date: null, name: 'acme 2' })).toMatchObject({
      user_limit: null,
      compatibility_date: null,
    })
    expect((await h.refusal('team.update', { params: { team_id }, body: { name: 'other' } })).code).toBe('conflict')
    expect((await h.refusal('team.update', { params: { team_id: NOBODY }, body: {} })).code).toBe('not_found')
    expect((await h.refusal('team.update', { params: { team_id }, body: { userlimit: 1 } } as never)).status).toBe(422)
  })
})

describe('a closed-beta feature', () => {
  it('returns 403 only to a team for which it is switched off', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    const { user_id } = await as.call<{ user_id: string }>('user.create', { body: { client_user_id: 'ada' } })
    const info = { params: { user_id } }
    expect((await as.refusal('user.info', info)).status).toBe(404)
    await h.call('team.update', { params: { team_id }, body: { beta: { user_info: false, aggregate: false } } })
    const off = await as.refusal('user.info', info)
    expect({ status: off.status, body: off.body }).toEqual({
      status: 403,
      body: { detail: 'The closed-beta feature user_info is switched off for this team.' },
    })
    expect((await as.refusal('aggregate.query', { params: { user_id }, body: {} })).status).toBe(403)
    expect((await h.refusal('aggregate.query', { params: { user_id: NOBODY }, body: {} } as never)).status).toBe(422)
    expect((await as.reply('user.get', { params: { user_id } })).status).toBe(200)
  })
})

describe('a key', () => {
  it('stops working when it is revoked, and stays revoked', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    const made = await h.call('key.create', { params: { team_id }, body: { label: 'second', region: 'eu' } })
    expect(made).toMatchObject({ label: 'second', is_operator: false, last_used_on: null })
    const second = keyHolder(h, made.api_key)
    expect((await second.reply('user.list')).status).toBe(200)
    h.time.ms = NOON + DAY_MS
    const revoked = await h.call('key.revoke', { params: { key_id: made.key_id } })
    expect(revoked.revoked_at).toBe('2026-11-21T12:00:00+00:00')
    const refused = await second.refusal('user.list')
    expect({ status: refused.status, body: refused.body }).toEqual({ status: 401, body: { detail: 'Invalid API key' } })
    h.time.ms = NOON + 2 * DAY_MS
    expect(await h.call('key.revoke', { params: { key_id: made.key_id } })).toEqual(revoked)
    expect((await as.reply('user.list')).status).toBe(200)
    expect((await h.call('key.list', { query: { team_id } })).keys).toHaveLength(1)
    const all = await h.call('key.list', { query: { team_id, revoked: true } })
    expect(all.keys.map(key => key.label)).toEqual(['second', 'first key'])
    expect((await h.refusal('key.revoke', { params: { key_id: NOBODY } })).code).toBe('not_found')
  })

  it('shows the day it was last used', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    const lastUse = async () => (await h.call('key.list', { query: { team_id } })).keys[0]?.last_used_on
    expect(await lastUse()).toBeNull()
    await as.call('user.list')
    await expect.poll(() => lastUse()).toBe('2026-11-20')
    h.time.ms = NOON + 3 * DAY_MS
    await as.call('user.list')
    await as.call('user.list')
    await expect.poll(() => lastUse()).toBe('2026-11-23')
  })

  it('has rights beyond its team only if it is an operator’s', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    const operations = [
      'team.list',
      'key.list',
      'audit.list',
      'engine.status',
      'engine.check',
      'engine.run_due',
      'engine.snapshot',
    ] as const
    for (const id of operations) expect([id, (await as.refusal(id)).code]).toEqual([id, 'operator_only'])
    expect((await as.refusal('clock.set', { body: { advance: '1d' } })).status).toBe(403)
    expect((await as.refusal('team.create', { body: { name: 'x' } })).status).toBe(403)
    const operator = await h.call('key.create', { params: { team_id }, body: { is_operator: true } })
    for (const id of operations.slice(0, -1)) {
      expect((await keyHolder(h, operator.api_key).reply(id)).status).toBe(200)
    }
  })

  it('is one of at most a hundred valid ones', async () => {
    h = await openHarness()
    const { team_id } = await newTeam(h, 'acme')
    const create = { params: { team_id }, body: {} }
    for (let i = 1; i < 100; i++) await h.call('key.create', create)
    const refused = await h.refusal('key.create', create)
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('100 keys')])
    const { keys, ...page } = await h.call('key.list', { query: { team_id, limit: 3 } })
    expect(keys).toHaveLength(3)
    expect(page).toEqual({ total: 100, offset: 0, limit: 3 })
    const rest = await h.call('key.list', { query: { team_id, offset: 1, limit: 2 } })
    expect(rest).toEqual({ keys: keys.slice(1), total: 100, offset: 1, limit: 2 })
    await h.call('key.revoke', { params: { key_id: (keys[0] as { key_id: string }).key_id } })
    await h.call('key.create', create)
  })
})

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
