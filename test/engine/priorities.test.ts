/** The team's source priorities: replaced by data type, returned in a fixed order, and followed by aggregate queries. */
import { describe, expect, it } from 'vitest'
import type { ServiceError } from '../../src/core/errors.ts'
import { type Harness, openHarness } from '../kit/harness.ts'
import { newUser, push } from './continuous/continuous.ts'

const row = (data_type: string, provider: string, priority: number, source_type: string | null = null) => ({
  data_type,
  provider,
  source_type,
  priority,
})
const list = (h: Harness, data_type?: string) =>
  h.call('source_priority.list', { query: data_type === undefined ? {} : { data_type } })
const replace = (h: Harness, body: readonly object[], data_type = '') =>
  h.call('source_priority.replace', { query: { data_type }, body: body as never })
const refusal = (h: Harness, body: unknown, data_type = '') =>
  h.refusal('source_priority.replace', { query: { data_type }, body: body as never })
const issues = (error: ServiceError) =>
  (error.body as { detail: { loc: unknown[]; msg: string }[] }).detail.map(({ loc, msg }) => [loc.join('.'), msg])

describe('the team’s source priorities', () => {
  it('are replaced for the data types in the body, and for the one in the query', async () => {
    const h = await openHarness()
    expect(await list(h)).toEqual([])
    const sleep = [row('sleep', 'oura', 2), row('sleep', 'garmin', 1, 'watch')]
    const steps = [row('timeseries', 'quest', -5), row('timeseries', 'apple_health_kit', 7)]
    // the catalogue's order of data types, larger numbers first
    const all = [...sleep, steps[1], steps[0]]
    expect(await replace(h, [...steps, ...sleep.toReversed()])).toEqual(all)
    expect(await list(h)).toEqual(all)
    expect(await list(h, 'sleep')).toEqual(sleep)
    const now = [row('sleep', 'oura', 1, 'ring'), row('sleep', 'oura', 9)]
    expect(await replace(h, now)).toEqual([now[1], now[0], steps[1], steps[0]])
    expect(await replace(h, [], 'timeseries')).toEqual([now[1], now[0]])
    expect(await replace(h, [])).toEqual([now[1], now[0]])
  })

  it('may omit the source type', async () => {
    const h = await openHarness()
    const { source_type: _, ...short } = row('body', 'withings', 1)
    expect(await replace(h, [short])).toEqual([row('body', 'withings', 1)])
  })

  it.each<[string, unknown, readonly [string, RegExp][]]>([
    ['an unknown data type', [row('workout', 'oura', 1)], [['body.0.data_type', /"workouts".*Allowed/]]],
    ['an unknown provider', [row('sleep', 'oura', 1), row('sleep', 'garmn', 1)], [['body.1.provider', /"garmin"/]]],
    ['an unknown source type', [row('sleep', 'oura', 1, 'rng')], [['body.0.source_type', /"ring"/]]],
    ['half a number', [row('sleep', 'oura', 1.5)], [['body.0.priority', /whole number/]]],
    ['a text for a number', [{ ...row('sleep', 'oura', 1), priority: '1' }], [['body.0.priority', /number/]]],
    ['a double', [row('sleep', 'oura', 1), row('sleep', 'oura', 2)], [['body.1.provider', /row 0/]]],
    ['no data type', [{ provider: 'oura', priority: 1 }], [['body.0.data_type', /required/]]],
    ['another key', [{ ...row('sleep', 'oura', 1), order: 1 }], [['body.0', /order/]]],
    ['no list', row('sleep', 'oura', 1), [['body', /array/]]],
    [
      'several things',
      [row('slep', 'ora', 1, 'rng')],
      [
        ['body.0.data_type', /"sleep"/],
        ['body.0.provider', /"oura"/],
        ['body.0.source_type', /"ring"/],
      ],
    ],
  ])('are refused with %s, and stay unchanged', async (_what, body, expected) => {
    const h = await openHarness()
    const before = await replace(h, [row('sleep', 'whoop', 3)])
    const error = await refusal(h, body)
    expect(error.status).toBe(422)
    expect(issues(error)).toEqual(expected.map(([loc, says]) => [loc, expect.stringMatching(says)]))
    expect(await list(h)).toEqual(before)
  })

  it('are refused for a data type that differs from the query’s, and for an unknown one', async () => {
    const h = await openHarness()
    expect(issues(await refusal(h, [row('sleep', 'oura', 1)], 'body'))).toEqual([
      ['body.0.data_type', expect.stringMatching(/body/)],
    ])
    expect(issues(await refusal(h, [], 'bdy'))).toEqual([['query.data_type', expect.stringMatching(/"body"/)]])
    const listed = await h.refusal('source_priority.list', { query: { data_type: 'sleeep' } })
    expect(issues(listed)).toEqual([['query.data_type', expect.stringMatching(/"sleep"/)]])
  })

  it('decide between providers of one source type, after the source type and before the slug', async () => {
    const h = await openHarness()
    const user_id = await newUser(h)
    await push(h, user_id, 'steps', [
      { at: '2026-11-01T10:00:00Z', value: 1, provider: 'garmin', type: 'watch' },
      { at: '2026-11-01T11:00:00Z', value: 2, provider: 'polar', type: 'watch' },
      { at: '2026-11-01T12:00:00Z', value: 4, provider: 'oura', type: 'ring' },
    ])
    const sum = async (overrides: string[] | null = null) => {
      const timeframe = { type: 'relative' as const, anchor: '2026-11-02', past: { unit: 'day' as const, value: 7 } }
      const group_by = [{ date_trunc: { unit: 'day' as const, value: 1 }, arg: { index: 'timeseries' } }]
      const select = [{ func: 'sum', arg: { timeseries: 'steps', field: 'value' } }]
      const body = { timeframe, queries: [{ select, group_by }], config: { provider_priority_overrides: overrides } }
      return (await h.call('aggregate.query', { params: { user_id }, body })).results[0]?.table['sum']
    }
    expect(await sum()).toEqual([1])
    await replace(h, [row('timeseries', 'polar', 1), row('timeseries', 'oura', 9)])
    expect(await sum()).toEqual([2])
    expect(await sum(['garmin'])).toEqual([1])
    await replace(h, [
      row('timeseries', 'polar', 5),
      row('timeseries', 'polar', 1, 'watch'),
      row('timeseries', 'garmin', 3),
    ])
    expect(await sum()).toEqual([1])
  })
})
