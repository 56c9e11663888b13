/** The audit trail: its content, data that it never contains, and that a change and its entry are stored together or not at all. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { operationIds, operations } from '../../../src/contract/operations.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { isAudited } from '../../../src/engine/audit/audit.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { keyHolder, newTeam } from '../teams/with-key.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'
let h: Harness
afterEach(() => h.engine.close())

const entries = async (query: object = {}) => (await h.call('audit.list', { query })).entries
/** Returns the entries, oldest first, as `operation object outcome`. */
const lines = async (query: object = {}) =>
  (await entries(query))
    .map(({ operation, object, outcome }) => `${operation} ${Object.keys(object).join(',') || '-'} ${outcome}`)
    .reverse()

describe('the audit trail', () => {
  it('has an entry for each call that changes something, and none for reads', async () => {
    h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
    await h.call('user.get', { params: { user_id } })
    await h.call('user.list', {})
    await h.call('user.delete', { params: { user_id } })
    const [deleted, ...others] = await entries()
    expect(deleted).toEqual({
      entry_id: expect.any(String),
      at: '2026-11-20T12:00:00+00:00',
      team_id: h.team.teamId,
      actor: 'local',
      person: null,
      operation: 'user.delete',
      object: { user_id },
      outcome: 'ok',
    })
    expect(others.map(each => [each.operation, each.outcome])).toEqual([['user.create', 'ok']])
  })

  it('has one entry for a refused call, with the error code', async () => {
    h = await openHarness()
    await h.call('user.create', { body: { client_user_id: 'ada' } })
    await h.refusal('user.create', { body: { client_user_id: 'ada' } })
    await h.refusal('user.create', { body: {} } as never)
    await h.refusal('user.delete', { params: { user_id: NOBODY } })
    expect((await lines()).slice(1)).toEqual([
      'user.create - client_user_id_taken',
      'user.create - invalid_request',
      'user.delete user_id user_not_found',
    ])
  })

  it('identifies the caller: the key, or the holder of a link token', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    const { user_id } = await as.call<{ user_id: string }>('user.create', { body: { client_user_id: 'mark-client' } })
    const { link_token } = await as.call<{ link_token: string }>('link.token', { body: { user_id } })
    const linking = (password: string, token = link_token) =>
      keyHolder(h, null, token).call('link.password', {
        params: { provider: 'whoop' },
        body: { username: 'mark-of-a-name', password },
      })
    await linking('wrong')
    await linking('secret')
    await linking('secret', 'no-token')
    const [key] = (await h.call('key.list', { query: { team_id } })).keys
    const found = await entries({ team_id })
    expect(found.map(each => [each.operation, each.actor, each.outcome]).reverse()).toEqual([
      ['user.create', `key:${key?.key_id}`, 'ok'],
      ['link.token', `key:${key?.key_id}`, 'ok'],
      ['link.password', 'link_token', 'provider_credential_error'],
      ['link.password', 'link_token', 'ok'],
    ])
    expect(found[0]?.object).toEqual({ provider: 'whoop', user_id })
    expect(JSON.stringify(found)).not.toMatch(/mark-|secret/)
  })

  it('identifies the created object, but contains no free text', async () => {
    h = await openHarness()
    const { team_id } = await newTeam(h, 'acme')
    const { key_id } = await h.call('key.create', { params: { team_id }, body: { label: 'mark-label' } })
    await h.refusal('continuous_query.delete', { params: { query_id_or_slug: 'mark-slug' } })
    await h.refusal('link.complete_mfa', { params: { provider: 'mark-provider' }, body: { mfa_code: '1' } } as never)
    expect((await entries({ operation: 'key.create' }))[0]?.object).toEqual({ team_id, key_id })
    expect((await entries({ operation: 'team.create' }))[0]?.object).toEqual({ team_id })
    expect(JSON.stringify(await entries())).not.toContain('mark-')
  })

  it('has no entry for an unknown caller', async () => {
    h = await openHarness()
    await keyHolder(h, 'no-such-key').refusal('user.create', { body: { client_user_id: 'x' } })
    await keyHolder(h, null, 'no-such-token').reply('link.password', {
      params: { provider: 'whoop' },
      body: { username: 'a', password: 'b' },
    })
    expect(await entries()).toEqual([])
  })

  it('covers every operation except plain reads', async () => {
    h = await openHarness()
    const silent = operationIds.filter(id => !isAudited(operations[id]))
    const writes = silent.filter(id => operations[id].method !== 'GET')
    expect(writes.filter(id => !('readsOnly' in operations[id]))).toEqual([])
    for (const id of [
      'user.create',
      'user.delete',
      'clock.set',
      'team.create',
      'samples.push',
      'link.password',
    ] as const) {
      expect(isAudited(operations[id])).toBe(true)
    }
  })
})

describe('a change and its entry', () => {
  it('are one transaction: without the entry there is no change', async () => {
    h = await openHarness()
    const db = new DatabaseSync(join(h.dataDir, 'svc.db'))
    db.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room for the line'); END")
    await expect(h.call('user.create', { body: { client_user_id: 'ada' } })).rejects.toThrow('no room')
    expect((await h.call('user.list', {})).total).toBe(0)
    db.exec('DROP TRIGGER full')
    db.close()
    await h.call('user.create', { body: { client_user_id: 'ada' } })
    expect(await lines()).toHaveLength(1)
  })

  it('cannot be changed or removed', async () => {
    h = await openHarness()
    await h.call('user.create', { body: { client_user_id: 'ada' } })
    const db = new DatabaseSync(join(h.dataDir, 'svc.db'))
    expect(() => db.exec("UPDATE audit SET outcome='ok'")).toThrow('append-only')
    expect(() => db.exec('DELETE FROM audit')).toThrow('append-only')
    db.close()
  })
})

describe('reading the audit trail', () => {
  it('goes back page by page, each entry once, while others are added', async () => {
    h = await openHarness()
    for (let i = 0; i < 7; i++) await h.call('user.create', { body: { client_user_id: `u${i}` } })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: object = { limit: 3, ...(cursor === null ? {} : { next_cursor: cursor }) }
      const page = await h.call('audit.list', { query })
      seen.push(...page.entries.map(each => each.entry_id))
      cursor = page.next_cursor
      await h.call('user.create', { body: { client_user_id: `later${seen.length}` } })
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(7)
    expect(seen).toHaveLength(7)
    expect(seen).toEqual(seen.toSorted().reverse())
  })

  it('filters by team, operation and day; a cursor is valid only for the same filters', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    await as.call('user.create', { body: { client_user_id: 'a' } })
    h.time.ms = NOON + DAY_MS
    await as.call('user.create', { body: { client_user_id: 'b' } })
    await h.call('user.create', { body: { client_user_id: 'c' } })
    expect(await lines({ team_id })).toHaveLength(2)
    expect(await lines({ operation: 'user.create' })).toHaveLength(3)
    expect(await lines({ since: '2026-11-21' })).toHaveLength(2)
    expect(await lines({ since: '2026-11-21T12:00:01Z' })).toHaveLength(0)
    const { next_cursor } = await h.call('audit.list', { query: { limit: 1 } })
    const elsewhere = await h.refusal('audit.list', { query: { limit: 1, team_id, next_cursor } })
    expect(elsewhere.code).toBe('invalid_cursor')
    expect((await h.refusal('audit.list', { query: { team_id: NOBODY } })).code).toBe('not_found')
    expect((await h.refusal('audit.list', { query: { limit: 501 } })).status).toBe(422)
  })
})
