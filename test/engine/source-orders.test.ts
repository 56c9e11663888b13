/** Orders of sources in merges, of teams and users, and a team's defaults for aggregate queries. */
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { METRIC_GROUPS, resourcesIn } from '../../src/catalogue/metric-groups.ts'
import { RESOURCES } from '../../src/catalogue/resources.ts'
import type { QueryBatchInput } from '../../src/contract/aggregates/aggregate.ts'
import type { UserId } from '../../src/core/ids.ts'
import { type Harness, openHarness } from '../kit/harness.ts'
import { newUser } from './continuous/continuous.ts'

const WATCH = { provider: 'garmin', source_type: 'watch' }
const PHONE = { provider: 'apple_health_kit', source_type: 'phone' }
const [ONE, TWO] = ['a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002']
const push = (h: Harness, user_id: UserId, resource: string, samples: readonly object[]) => {
  const bytes = Buffer.from(JSON.stringify(samples.map(each => ({ resource, ...each }))))
  return h.call('samples.push', { params: { user_id }, body: { kind: 'stream', stream: Readable.from([bytes]) } })
}
type Order = Awaited<ReturnType<typeof set>>['source_orders'][number]

const set = (h: Harness, metric_group: string, sources: readonly object[], user_id?: UserId) =>
  h.call('source_order.replace', {
    params: { metric_group: metric_group as never },
    query: { user_id },
    body: { sources: sources as never },
  })
const list = (h: Harness, user_id?: UserId) => h.call('source_order.list', { query: { user_id } })
const brief = ({ metric_group, of, sources }: Order): string =>
  `${of} ${metric_group}: ${sources.map(each => Object.values(each).filter(Boolean).join(' ')).join(', ')}`

/** Two sources with one sample an hour each, which cover the same hour. */
async function twoSources(h: Harness, name: string): Promise<UserId> {
  const userId = await newUser(h, name)
  const sample = (value: number, more: object) => ({
    ...{ timestamp: '2026-11-19T08:00:00Z', end: '2026-11-19T09:00:00Z', value },
    ...more,
  })
  await push(h, userId, 'steps', [sample(100, WATCH), sample(250, PHONE)])
  await push(h, userId, 'heartrate', [
    { timestamp: '2026-11-19T08:00:00Z', value: 60, ...WATCH, device_id: ONE },
    { timestamp: '2026-11-19T08:00:00Z', value: 80, ...WATCH, device_id: TWO },
  ])
  return userId
}

type Query = QueryBatchInput['queries'][number]
const sum = (timeseries: string, more: object = {}): Query =>
  ({ select: [{ func: 'sum', arg: { timeseries, field: 'value' } }], ...more }) as never

async function ask(h: Harness, user_id: UserId, query: Query) {
  const timeframe = { type: 'relative' as const, anchor: '2026-11-20', past: { unit: 'day' as const, value: 3 } }
  const { results } = await h.call('aggregate.query', { params: { user_id }, body: { timeframe, queries: [query] } })
  const { table, warnings } = results[0] as { table: Record<string, unknown[]>; warnings?: unknown[] }
  return { value: Object.values(table).at(-1)?.[0], warnings }
}
const merged = async (h: Harness, userId: UserId, resource: string) =>
  (await ask(h, userId, sum(resource, { merge: true }))).value

describe('the groups of metrics', () => {
  it('contain every resource once', () => {
    const all = METRIC_GROUPS.flatMap(group => resourcesIn(group))
    expect(all.toSorted()).toEqual(RESOURCES.map(({ name }) => name).toSorted())
  })
})

describe('an order of sources', () => {
  let h: Harness
  let ada: UserId
  beforeAll(async () => {
    h = await openHarness()
    ada = await twoSources(h, 'ada')
  })

  it('of the user precedes that of the team, which precedes the order of source types', async () => {
    expect(await merged(h, ada, 'steps')).toBe(100)
    await set(h, 'steps', [PHONE])
    expect(await merged(h, ada, 'steps')).toBe(250)
    await set(h, 'steps', [{ source_type: 'watch' }], ada)
    expect(await merged(h, ada, 'steps')).toBe(100)
    expect((await list(h, ada)).source_orders.map(brief)).toEqual([
      'user steps: watch',
      'team steps: apple_health_kit phone',
    ])
    expect((await list(h)).source_orders.map(brief)).toEqual(['team steps: apple_health_kit phone'])
    // without a merge, nothing changes
    expect((await ask(h, ada, sum('steps'))).value).toBe(350)
    await set(h, 'steps', [], ada)
    expect(await merged(h, ada, 'steps')).toBe(250)
    await set(h, 'steps', [])
    expect(await merged(h, ada, 'steps')).toBe(100)
    expect((await list(h, ada)).source_orders).toEqual([])
  })

  it('comes after the overrides of a call, and before the team’s source priorities', async () => {
    const row = { data_type: 'timeseries', provider: 'garmin', source_type: null, priority: 5 }
    await h.call('source_priority.replace', { body: [row] })
    await set(h, 'steps', [PHONE])
    expect(await merged(h, ada, 'steps')).toBe(250)
    const batch = (overrides: string[]) => ({
      timeframe: { type: 'relative' as const, anchor: '2026-11-20', past: { unit: 'day' as const, value: 3 } },
      queries: [sum('steps', { merge: true })],
      config: { provider_priority_overrides: overrides },
    })
    const call = (overrides: string[]) =>
      h
        .call('aggregate.query', { params: { user_id: ada }, body: batch(overrides) })
        .then(({ results }) => JSON.stringify(results))
    expect(await call(['garmin'])).toContain('[100]')
    expect(await call(['oura'])).toContain('[250]')
    await set(h, 'steps', [])
    await h.call('source_priority.replace', { query: { data_type: 'timeseries' }, body: [] })
  })

  it('names apps and devices, and counts only for its group', async () => {
    expect(await merged(h, ada, 'heartrate')).toBe(60)
    await set(h, 'heartrate', [{ device_id: TWO.toUpperCase() }])
    expect(await merged(h, ada, 'heartrate')).toBe(80)
    expect(await merged(h, ada, 'steps')).toBe(100)
    await set(h, 'heartrate', [])
  })

  it('is the reason in an explanation', async () => {
    await set(h, 'steps', [PHONE])
    const timeframe = { type: 'relative' as const, anchor: '2026-11-20', past: { unit: 'day' as const, value: 3 } }
    const explained = await h.call('aggregate.explain', {
      params: { user_id: ada },
      body: {
        query: {
          timeframe,
          queries: [
            sum('steps', {
              merge: true,
              group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
            }),
          ],
        },
      },
    })
    expect(JSON.stringify(explained)).toContain(
      "the team's order of sources for steps puts apple_health_kit phone before garmin watch",
    )
    await set(h, 'steps', [])
  })

  it.each([
    ['an unknown provider', [{ provider: 'garmn' }], /sources.*provider.*garmin/s],
    ['an unknown source type', [{ source_type: 'wotch' }], /watch/],
    ['an entry that names nothing', [{ provider: null }], /must have a provider/],
    ['more entries than allowed', Array.from({ length: 101 }, () => PHONE), /100/],
  ])('is refused with %s', async (_what, sources, text) => {
    const refused = await h.refusal('source_order.replace', {
      params: { metric_group: 'sleep' },
      body: { sources: sources as never },
    })
    expect(refused.code).toBe('invalid_request')
    expect(JSON.stringify(refused.body)).toMatch(text)
  })

  it('is refused for an unknown group or user', async () => {
    const group = await h.refusal('source_order.replace', {
      params: { metric_group: 'slep' as never },
      body: { sources: [] },
    })
    expect(JSON.stringify(group.body)).toContain('sleep')
    const user_id = '00000000-0000-4000-8000-000000000000' as UserId
    expect((await h.refusal('source_order.list', { query: { user_id } })).code).toBe('user_not_found')
  })
})

describe('a team’s defaults', () => {
  it('merge queries that do not say it, except for tables that cannot be merged', async () => {
    const h = await openHarness()
    const ada = await twoSources(h, 'ada')
    const change = (body: object) => h.call('team.update', { params: { team_id: h.team.teamId }, body })
    expect(await change({ merge: true })).toMatchObject({ merge: true, mixed_kinds: 'warn' })
    expect(await ask(h, ada, sum('steps'))).toEqual({ value: 100, warnings: [] })
    expect(await ask(h, ada, sum('steps', { merge: null }))).toEqual({ value: 100, warnings: [] })
    expect(await ask(h, ada, sum('steps', { merge: false }))).toEqual({ value: 350, warnings: undefined })
    const activity = { select: [{ func: 'sum', arg: { activity: 'steps' } }] } as never
    expect(await ask(h, ada, activity)).toEqual({ value: null, warnings: undefined })
    await change({ merge: false })
    expect((await ask(h, ada, sum('steps'))).value).toBe(350)
  })

  it('refuse or split kinds in queries that do not say it', async () => {
    const h = await openHarness()
    const ada = await newUser(h, 'ada')
    const hrv = (value: number, type?: string) => ({ timestamp: '2026-11-19T08:00:00Z', value, type, ...WATCH })
    await push(h, ada, 'hrv', [hrv(40), hrv(60, 'sdnn')])
    const change = (mixed_kinds: string) =>
      h.call('team.update', { params: { team_id: h.team.teamId }, body: { mixed_kinds: mixed_kinds as never } })
    await change('refuse')
    const timeframe = { type: 'relative' as const, anchor: '2026-11-20', past: { unit: 'day' as const, value: 3 } }
    const body = { timeframe, queries: [sum('hrv')] }
    expect((await h.refusal('aggregate.query', { params: { user_id: ada }, body })).code).toBe('mixed_kinds')
    expect((await ask(h, ada, sum('hrv', { mixed_kinds: 'warn' }))).value).toBe(100)
    await change('split')
    const { results } = await h.call('aggregate.query', { params: { user_id: ada }, body })
    expect((results[0] as { table: object }).table).toEqual({ sum: [40, 60], 'hrv.kind': ['rmssd', 'sdnn'] })
  })

  it('do not apply to continuous queries', async () => {
    const h = await openHarness()
    await h.call('team.update', { params: { team_id: h.team.teamId }, body: { merge: true, mixed_kinds: 'refuse' } })
    const query = {
      select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { placeholder: true } }],
      timeframe: { placeholder: true },
    }
    await h.call('continuous_query.create', { body: { slug: 'steps', title: 'Steps', query } as never })
  })
})
