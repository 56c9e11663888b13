/**
 * The report of `aggregate.explain`: the chosen source of each group with the reason, the data read, and the changes with another order.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { QUERY_LIMITS } from '../../../src/catalogue/query-functions.ts'
import { type QueryBatchInput, queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import { explainReply } from '../../../src/contract/aggregates/aggregate-explain.ts'
import type { SampleBatch } from '../../../src/core/sample.ts'
import { type ExplainCall, explainQueryBatch } from '../../../src/engine/aggregate/explain.ts'
import type { SourcePriority } from '../../../src/store/priority.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'
import { ask, type Data, memorySource, series, sleep, USER, utc } from './memory-source.ts'

const steps = (provider: string, sourceType: string, values: readonly number[], day = '2024-12-10') =>
  series(
    { resource: 'steps', provider, sourceType },
    values.map((value, i) => [`${day}T${String(8 + i).padStart(2, '0')}:00:00`, value] as const),
  )

const BY_DAY: QueryBatchInput['queries'] = [
  {
    select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
    group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
  },
]

async function explain(data: Data, asked: Partial<QueryBatchInput> = {}, call: Partial<ExplainCall> = {}) {
  const batch = queryBatch().parse({
    timeframe: { type: 'relative', anchor: '2024-12-13', past: { unit: 'week', value: 1 } },
    queries: BY_DAY,
    ...asked,
  })
  let ticks = 0
  const results = await explainQueryBatch(memorySource(data), { userId: USER, fallbackTimeZone: null }, batch, {
    now: utc('2024-12-13'),
    providers: SHIPPED_REGISTRY,
    priorities: [],
    elapsed: () => ticks++,
    diff: null,
    ...call,
  })
  return explainReply().parse({ results }).results
}

const reasons = (result: Awaited<ReturnType<typeof explain>>[number] | undefined) =>
  result?.groups.map(group => group.sources.map(each => [each.provider, each.used, each.reason]))

describe('explain', () => {
  it('shows the only source of a group', async () => {
    const [result] = await explain({ samples: [steps('oura', 'ring', [1, 2])] })
    expect(result?.groups).toEqual([
      {
        key: { 'group_key.0': '2024-12-10T00:00:00' },
        sources: [
          {
            resource: 'steps',
            provider: 'oura',
            source_type: 'ring',
            rows: 2,
            used: true,
            reason: 'the only source in the group',
          },
        ],
        kinds: [],
        rows_used: 2,
        rows_dropped: 0,
      },
    ])
  })

  it('shows that a watch is preferred to a phone, and how many samples were dropped as a result', async () => {
    const [result] = await explain({
      samples: [steps('apple_health_kit', 'phone', [1, 2, 3]), steps('garmin', 'watch', [4])],
    })
    expect(reasons(result)).toEqual([
      [
        ['garmin', true, 'source type watch comes before phone'],
        ['apple_health_kit', false, 'source type watch comes before phone'],
      ],
    ])
    expect(result?.groups[0]).toMatchObject({ rows_used: 1, rows_dropped: 3 })
  })

  it('shows the deciding rule: the override, the team’s priority, and finally the name', async () => {
    const data = { samples: [steps('garmin', 'watch', [1]), steps('fitbit', 'watch', [2])] }
    const [byName] = await explain(data)
    expect(reasons(byName)?.[0]?.[0]).toEqual([
      'fitbit',
      true,
      'no rule ranks them, and fitbit comes before garmin alphabetically',
    ])
    const priorities: SourcePriority[] = [
      { dataType: 'timeseries', provider: 'garmin', sourceType: null, priority: 7 },
      { dataType: 'sleep', provider: 'fitbit', sourceType: null, priority: 9 },
    ]
    const [byTeam] = await explain(data, {}, { priorities })
    expect(reasons(byTeam)?.[0]?.[0]).toEqual([
      'garmin',
      true,
      'the team gives garmin priority 7 and fitbit no priority',
    ])
    const [byCall] = await explain(data, { config: { provider_priority_overrides: ['fitbit'] } }, { priorities })
    expect(reasons(byCall)?.[0]?.[0]).toEqual(['fitbit', true, 'provider_priority_overrides puts fitbit before garmin'])
  })

  it('lists the data read from each source, and the time of each stage in order', async () => {
    const [result] = await explain({ samples: [steps('oura', 'ring', [1, 2]), steps('garmin', 'watch', [3])] })
    expect(result?.reads.map(({ provider, rows, resource }) => [provider, rows, resource])).toEqual([
      ['oura', 2, 'steps'],
      ['garmin', 1, 'steps'],
    ])
    expect(result?.stages.map(({ stage }) => stage)).toEqual([
      'plan',
      'scan',
      'where',
      'group',
      'functions',
      'priority',
      'align',
      'table',
    ])
    expect(result?.stages.every(({ milliseconds }) => milliseconds > 0)).toBe(true)
    expect(result?.window).toEqual({ from: '2024-12-06T00:00:00', to: '2024-12-14T00:00:00' })
  })

  it('shows the rows that another order of providers would change, and only those', async () => {
    const samples = [
      steps('garmin', 'watch', [5]),
      steps('fitbit', 'watch', [2]),
      steps('fitbit', 'watch', [9], '2024-12-11'),
    ]
    const [result] = await explain({ samples }, {}, { diff: ['garmin'] })
    expect(result?.diff).toEqual({
      priority: ['garmin'],
      rows: [{ key: { 'group_key.0': '2024-12-10T00:00:00' }, before: { sum: 2 }, after: { sum: 5 } }],
    })
  })

  it('explains summaries, which have no resource and no chunks', async () => {
    const [result] = await explain(
      { summaries: [sleep('2024-12-10T07:00:00', { efficiency: 90 })] },
      {
        queries: [
          {
            select: [{ func: 'mean', arg: { sleep: 'efficiency' } }],
            group_by: [{ sleep: 'type' }],
          },
        ],
      },
    )
    expect(result?.reads).toEqual([
      { resource: null, type: null, provider: 'oura', source_type: 'ring', chunks: 0, rows: 1, bytes: 0 },
    ])
    expect(result?.groups).toMatchObject([{ key: { 'group_key.0': null }, rows_used: 1 }])
  })

  it('has no groups if the query has none', async () => {
    const [result] = await explain(
      { samples: [steps('oura', 'ring', [1, 2])] },
      { queries: [{ select: [{ func: 'sum', arg: { timeseries: 'steps', field: 'value' } }] }] },
    )
    expect(result?.groups).toEqual([])
    expect(result?.reads).toHaveLength(1)
  })

  it('refuses queries with too many groups to read', async () => {
    const minutes = series(
      { resource: 'steps' },
      Array.from({ length: 60 }, (_, i) => [`2024-12-10T08:${String(i).padStart(2, '0')}:00`, 1] as const),
    )
    const [query] = BY_DAY
    const group_by = [{ date_trunc: { unit: 'minute' as const }, arg: { index: 'timeseries' } }]
    const queries = [{ ...query, group_by }] as QueryBatchInput['queries']
    const { explainedGroups } = QUERY_LIMITS
    Object.assign(QUERY_LIMITS, { explainedGroups: 59 })
    try {
      await expect(explain({ samples: [minutes] }, { queries })).rejects.toMatchObject({
        code: 'query_limit',
        body: { detail: [{ loc: ['body', 'query', 'queries', 0] }] },
      })
    } finally {
      Object.assign(QUERY_LIMITS, { explainedGroups })
    }
    expect((await explain({ samples: [minutes] }, { queries }))[0]?.groups).toHaveLength(60)
  })

  it('reports the position of a refusal inside the query’s body', async () => {
    const wrong = explain(
      {},
      { queries: [{ select: [{ timeseries: 'stepz', field: 'value' }] }] as QueryBatchInput['queries'] },
    )
    await expect(wrong).rejects.toMatchObject({
      body: { detail: [{ loc: ['body', 'query', 'queries', 0, 'select', 0, 'timeseries'] }] },
    })
    await expect(explain({}, {}, { diff: ['garmen'] })).rejects.toMatchObject({
      body: { detail: [{ loc: ['body', 'diff', 0] }] },
    })
  })
})

describe('explain, for a merged query', () => {
  const queries = BY_DAY.map(query => ({ ...query, merge: true }))
  const whole = (provider: string, sourceType: string, hours: readonly number[]) =>
    series(
      { resource: 'steps', provider, sourceType },
      hours.map(hour => {
        const time = `2024-12-10T${String(hour).padStart(2, '0')}:00:00`
        return [time, 100, { end: utc(time) + 3_600_000 }]
      }),
    )
  const samples = [whole('apple_health_kit', 'phone', [8, 9, 10]), whole('garmin', 'watch', [8, 9])]

  it('shows what each source contributes, best first, with the rule for its rank', async () => {
    const [result] = await explain({ samples }, { queries })
    expect(
      result?.merged?.map(({ provider, rank, rows, parts, reason }) => [provider, rank, rows, parts, reason]),
    ).toEqual([
      ['garmin', 1, 2, 2, 'source type watch comes before phone'],
      ['apple_health_kit', 2, 3, 1, 'the last source'],
    ])
    const [plain] = await explain({ samples })
    expect(plain?.merged).toBeNull()
  })

  it('shows how much each source contributes to each group', async () => {
    const of = (provider: string, sourceType: string, from: string, to: string, value: number, more: object = {}) =>
      series({ resource: 'steps', provider, sourceType }, [[from, value, { end: utc(to), ...more }]])
    const day = '2024-12-10T'
    const phone = { text: { device_id: 'p1' } }
    const halves = [
      of('apple_health_kit', 'phone', `${day}08:30:00`, `${day}09:30:00`, 800, phone),
      of('garmin', 'watch', `${day}08:00:00`, `${day}09:00:00`, 600),
      of('apple_health_kit', 'app', `${day}08:10:00`, `${day}08:50:00`, 300),
      of('apple_health_kit', 'app', '2024-12-11T08:00:00', '2024-12-11T08:40:00', 300),
    ]
    const [result] = await explain({ samples: halves }, { queries })
    const figures = result?.groups.map(({ key, sources, rows_used, rows_dropped }) => [
      Object.values(key)[0],
      sources.map(({ source_type: type, device_id: device, rows, parts, value, minutes, share, used }) => ({
        ...{ type, device, rows, parts, value, minutes, share, used },
      })),
      [rows_used, rows_dropped],
    ])
    const own = { device: null, rows: 1, parts: 1, used: true }
    expect(figures).toEqual([
      [
        '2024-12-10T00:00:00',
        [
          { ...own, type: 'watch', value: 600, minutes: 60, share: 0.6 },
          { ...own, type: 'phone', device: 'p1', value: 400, minutes: 30, share: 0.4 },
          { ...own, type: 'app', parts: 0, value: null, minutes: null, share: 0, used: false },
        ],
        [2, 1],
      ],
      ['2024-12-11T00:00:00', [{ ...own, type: 'app', value: 300, minutes: 40, share: 1 }], [1, 0]],
    ])
    expect(reasons(result)?.[0]).toEqual([
      ['garmin', true, 'source type watch comes before phone'],
      ['apple_health_kit', true, 'source type phone comes before app'],
      ['apple_health_kit', false, 'other samples cover its time'],
    ])
    // a query without groups has one row
    const [all] = await explain(
      { samples: halves },
      { queries: queries.map(({ select, merge }) => ({ select: select.slice(1), merge })) },
    )
    expect(all?.groups.map(({ key, sources }) => [key, sources.map(({ value }) => value)])).toEqual([
      [{}, [600, 400, 300]],
    ])
  })

  it('says why a source does not count in a group', async () => {
    const day = '2024-12-10T'
    const total = series({ resource: 'steps', provider: 'oura', sourceType: 'ring' }, [
      [`${day}00:00:00`, 9_000, { end: utc('2024-12-11T00:00:00') }],
    ])
    const watch = series({ resource: 'steps', provider: 'garmin', sourceType: 'watch' }, [
      [`${day}10:00:00`, 100, { end: utc(`${day}10:30:00`) }],
    ])
    const hourly = queries.map(query => ({
      ...query,
      group_by: [{ date_trunc: { unit: 'hour' as const, value: 1 }, arg: { index: 'timeseries' } }],
    }))
    const [byHour] = await explain({ samples: [total, watch] }, { queries: hourly })
    expect(reasons(byHour)).toEqual([
      [['oura', false, 'it is the total of a day, which has no value in a shorter bucket']],
      [['garmin', false, 'the total of the day counts instead']],
    ])
    const [byDay] = await explain({ samples: [total, watch] }, { queries })
    expect(reasons(byDay)?.[0]).toContainEqual(['garmin', false, 'the total of the day counts instead'])
    const heart = (provider: string, sourceType: string, hours: readonly number[]) =>
      series(
        { resource: 'heartrate', provider, sourceType },
        hours.map(hour => [`${day}${hour}:00:00`, 60] as const),
      )
    const samples = [heart('garmin', 'watch', [20]), heart('oura', 'ring', [10, 11, 12])]
    const mean = queries.map(query => ({
      ...query,
      select: [{ func: 'mean' as const, arg: { timeseries: 'heartrate', field: 'value' } }],
    }))
    const [levels] = await explain({ samples }, { queries: mean })
    expect(reasons(levels)?.[0]).toEqual([
      ['garmin', false, 'another source counts on that day'],
      ['oura', true, 'the last source'],
    ])
  })

  it('lists contributions that add up to the result', async () => {
    const span = fc.tuple(
      fc.integer({ min: 0, max: 4_000 }),
      fc.integer({ min: 0, max: 1_500 }),
      fc.integer({ min: 0, max: 900 }),
    )
    const devices = fc.array(fc.array(span, { maxLength: 12 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(devices, async lists => {
        const samples = lists.map((spans, i) => {
          const starts = new Map(spans.map(each => [each[0], each]))
          const rows = [...starts.values()].sort((a, b) => a[0] - b[0])
          return series(
            { resource: 'steps', provider: 'garmin', sourceType: ['watch', 'phone', 'app', 'ring'][i] as string },
            rows.map(([minute, length, value]) => {
              const start = utc('2024-12-09T00:00:00') + minute * 60_000
              return [new Date(start).toISOString().slice(0, 19), value, { end: start + length * 60_000 }] as const
            }),
          )
        })
        const [result] = await explain({ samples }, { queries })
        const table = await ask({ samples }, queries[0] as NonNullable<(typeof queries)[0]>, {
          past: { unit: 'week', value: 1 },
        })
        const sums = result?.groups.map(({ sources }) => {
          const values = sources.flatMap(({ value }) => value ?? [])
          return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
        })
        const expected = table['sum'] as readonly (number | null)[]
        expect(sums).toHaveLength(expected.length)
        for (const [i, sum] of (sums ?? []).entries()) {
          expect(sum === null).toBe(expected[i] === null)
          expect(sum ?? 0).toBeCloseTo(expected[i] ?? 0, 6)
        }
      }),
      { seed, numRuns: times(100) },
    )
  })

  it('counts the samples of each kind that a group uses, merged or not', async () => {
    const heart = [
      series({ resource: 'heartrate', provider: 'whoop_v2', sourceType: 'watch' }, [
        ['2024-12-10T07:00:00', 50, { text: { type: 'resting' } }],
        ['2024-12-10T08:00:00', 80],
        ['2024-12-10T09:00:00', 90],
      ]),
    ]
    for (const merge of [true, false]) {
      const mean = queries.map(query => ({
        ...query,
        merge,
        select: [{ func: 'mean' as const, arg: { timeseries: 'heartrate', field: 'value' } }],
      }))
      const [result] = await explain({ samples: heart }, { queries: mean })
      expect(result?.groups[0]?.kinds).toEqual([
        { resource: 'heartrate', kind: 'resting', rows: 1 },
        { resource: 'heartrate', kind: 'point', rows: 2 },
      ])
      expect(result?.groups[0]?.sources[0]).toMatchObject(merge ? { parts: 3, value: null, share: 1 } : { rows: 3 })
    }
  })

  it('shows what another order changes: the difference of the two results', async () => {
    const [result] = await explain({ samples }, { queries }, { diff: ['apple_health_kit'] })
    // the phone covers all hours; its samples have the same values
    expect(result?.diff?.rows).toEqual([])
    const others = [samples[0] as SampleBatch, { ...(samples[1] as SampleBatch), value: Float64Array.of(60, 70) }]
    const [changed] = await explain({ samples: others }, { queries }, { diff: ['apple_health_kit'] })
    expect(changed?.diff?.rows.map(({ before, after }) => [before, after])).toEqual([[{ sum: 230 }, { sum: 300 }]])
    // with another order, a source can lose all its groups
    const bySource = queries.map(query => ({ ...query, group_by: [{ source: 'source_type' }] }))
    const [groups] = await explain({ samples: others }, { queries: bySource }, { diff: ['apple_health_kit'] })
    expect(groups?.diff?.rows).toEqual([
      { key: { 'group_key.0': 'phone' }, before: { sum: 100 }, after: { sum: 300 } },
      { key: { 'group_key.0': 'watch' }, before: { sum: 130 }, after: {} },
    ])
  })
})

describe('explain, for merged nights', () => {
  const night = (start: string, end: string, provider: string, more: object = {}) =>
    sleep(
      `2024-12-10T${end}:00`,
      {
        bedtime_start: `2024-12-${start >= '18' ? '09' : '10'}T${start}:00Z`,
        bedtime_stop: `2024-12-10T${end}:00Z`,
        ...more,
      },
      { provider, sourceType: provider === 'garmin' ? 'watch' : 'ring' },
    )
  const queries: QueryBatchInput['queries'] = [{ select: [{ func: 'count', arg: { index: 'sleep' } }], merge: true }]

  it('names the stored sessions of a row, with the numbers that joined them and what each gives', async () => {
    const summaries = [
      night('23:10', '07:00', 'oura', { score: 88 }),
      night('23:25', '04:25', 'garmin'),
      night('05:20', '06:50', 'garmin', { type: 'long_sleep' }),
      night('05:40', '06:40', 'garmin'),
      night('13:00', '13:40', 'oura'),
    ]
    const [result] = await explain({ summaries }, { queries })
    expect(result?.sessions).toHaveLength(1)
    const [session] = result?.sessions ?? []
    expect(session).toMatchObject({ index: '2024-12-10T06:50:00', role: 'main_sleep' })
    expect(session?.members.map(({ provider, use, fields, reason }) => [provider, use, fields.join(), reason])).toEqual(
      [
        ['garmin', 'values', '', 'part 1 of 2, the best source'],
        ['garmin', 'values', '', 'part 2 of 2, the best source'],
        ['garmin', 'none', '', 'another version from the same source: 100 % of it overlaps'],
        ['oura', 'fields', 'score', 'overlap 1.00, starts 15 min apart, ends 10 min apart'],
      ],
    )
    expect(result?.merged?.map(({ provider, rows, parts }) => [provider, rows, parts])).toEqual([
      ['garmin', 3, 1],
      ['oura', 2, 0],
    ])
    expect(result?.reads.map(({ provider, rows }) => [provider, rows])).toEqual([
      ['oura', 2],
      ['garmin', 3],
    ])
  })

  it('refuses to list more rows than it explains groups', async () => {
    const summaries = Array.from({ length: QUERY_LIMITS.explainedGroups + 1 }, (_, i) => {
      const at = utc('2024-12-13') - (i + 1) * 60_000
      const iso = (ms: number) => new Date(ms).toISOString()
      const times = { bedtime_start: iso(at - 30_000), bedtime_stop: iso(at), type: 'acknowledged_nap' }
      return [0, 1].map(copy => ({ ...sleep(iso(at).slice(0, 19), times), id: `${i}-${copy}` }))
    })
    const timeframe = { type: 'relative' as const, anchor: '2024-12-13', past: { unit: 'month' as const, value: 12 } }
    const byRole: typeof queries = queries.map(query => ({ ...query, group_by: [{ sleep: 'role' }] }))
    await expect(explain({ summaries: summaries.flat() }, { queries: byRole, timeframe })).rejects.toMatchObject({
      status: 422,
    })
  })
})
