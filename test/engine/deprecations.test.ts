/** Deprecated features: served and announced before their date, and removed from it on, according to the team's compatibility date. */
import { afterEach, describe, expect, it } from 'vitest'
import { DEPRECATIONS } from '../../src/catalogue/deprecations.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { type Harness, openHarness } from '../kit/harness.ts'
import { keyHolder, newTeam } from './teams/with-key.ts'

let h: Harness
afterEach(() => h.engine.close())

describe('a deprecated operation', () => {
  it('responds with Deprecation and Sunset before its date, and with 410 from then on', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    const { user_id } = await as.call<{ user_id: string }>('user.create', { body: { client_user_id: 'ada' } })
    const at = (compatibility_date: string) =>
      h.call('team.update', { params: { team_id }, body: { compatibility_date } })
    const read = { params: { user_id, resource: 'hypnogram' }, query: { start_date: '2025-01-01' } }
    await at('2025-01-30')
    const served = await as.reply('timeseries.grouped', read)
    expect(served).toMatchObject({
      status: 200,
      headers: { deprecation: '@1704067200', sunset: 'Fri, 31 Jan 2025 00:00:00 GMT' },
    })
    await at('2025-01-31')
    const gone = await as.refusal('timeseries.grouped', read)
    expect([gone.status, gone.code]).toEqual([410, 'gone'])
    expect(gone.message).toMatch(/2025-01-31.*sleep_cycle/)
    expect(gone.headers['sunset']).toBe('Fri, 31 Jan 2025 00:00:00 GMT')
    const steps = await as.reply('timeseries.grouped', { ...read, params: { user_id, resource: 'steps' } })
    expect(steps.headers).toEqual({})
  })

  it('follows the clock for a team without a compatibility date', async () => {
    h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
    const read = { params: { user_id, resource: 'hypnogram' as const }, query: { start_date: '2025-01-01' } }
    expect((await h.refusal('timeseries.grouped', read)).code).toBe('gone')
    await h.call('clock.set', { body: { set: '2025-01-30T23:59:59Z' } })
    expect(await h.call('timeseries.grouped', read)).toMatchObject({ groups: {} })
  })
})

describe('a deprecated field', () => {
  it('is sent before its date and absent from then on', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    const { user_id } = await as.call<{ user_id: string }>('user.create', { body: { client_user_id: 'ada' } })
    const { link_token } = await as.call<{ link_token: string }>('link.token', { body: { user_id } })
    await keyHolder(h, null, link_token).call('link.password', {
      params: { provider: 'whoop' },
      body: { username: 'ada', password: 'secret' },
    })
    const source = async () => {
      const page = await as.call<{ sleep: { source: object }[] }>('summary.get', {
        params: { user_id, resource: 'sleep' },
        query: { start_date: '2020-01-01' },
      })
      return Object.keys(page.sleep[0]?.source ?? {})
    }
    const at = (compatibility_date: string) =>
      h.call('team.update', { params: { team_id }, body: { compatibility_date } })
    await at('2024-07-30')
    expect(await source()).toEqual(expect.arrayContaining(['provider', 'name', 'logo', 'slug']))
    await at('2024-07-31')
    expect(await source()).not.toContain('slug')
  })
})

describe('the list of deprecations', () => {
  it('has every announcement with its date, its replacement, and whether it is still served', async () => {
    h = await openHarness()
    const { team_id, as } = await newTeam(h, 'acme')
    await h.call('team.update', { params: { team_id }, body: { compatibility_date: '2024-07-01' } })
    type List = { compatibility_date: string; deprecations: { name: string; is_served: boolean }[] }
    const list = await as.call<List>('deprecation.list')
    expect(list.compatibility_date).toBe('2024-07-01')
    expect(list.deprecations).toHaveLength(Object.keys(DEPRECATIONS).length)
    const served = Object.fromEntries(list.deprecations.map(each => [each.name, each.is_served]))
    expect(served).toMatchObject({
      is_final: false,
      source_details: true,
      hypnogram_timeseries: true,
      result_value: true,
    })
    expect((await h.call('deprecation.list', {})).compatibility_date).toBe('2026-11-20')
  })

  it('contains only existing operations and inputs', async () => {
    h = await openHarness()
    const announced = operationIds.flatMap(id => {
      const operation: { deprecation?: string; expand?: { deprecations?: object } } = operations[id]
      return [operation.deprecation ?? [], Object.values(operation.expand?.deprecations ?? {})].flat()
    })
    for (const [name, each] of Object.entries(DEPRECATIONS)) {
      if (each.kind === 'operation') expect([name, announced.includes(name)]).toEqual([name, true])
      if ('input' in each) expect(operationIds).toContain(each.input.operation)
    }
  })
})
