/** Values outside the limits of their resource: their field, warnings, merges, explanations and imports. See docs/interface/plausibility.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { kindsOf } from '../../../src/catalogue/kinds.ts'
import { LIMITS, limitsText } from '../../../src/catalogue/plausibility.ts'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { AGGREGATE_FUNCTIONS } from '../../../src/catalogue/query-functions.ts'
import { RESOURCE_NAMES } from '../../../src/catalogue/resources.ts'
import { type QueryBatchInput, queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import { explainReply } from '../../../src/contract/aggregates/aggregate-explain.ts'
import type { QueryWarning } from '../../../src/contract/aggregates/warnings.ts'
import type { SampleBatch } from '../../../src/core/sample.ts'
import { explainQueryBatch } from '../../../src/engine/aggregate/explain.ts'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { ask, memorySource, series, USER, utc } from '../aggregate/memory-source.ts'

const ASKED = { anchor: '2026-11-20', past: { unit: 'week' as const, value: 2 } }
const KEYS = { group_key: '*' as const }
const RING = { provider: 'oura', sourceType: 'ring' }
const WATCH = { provider: 'apple_health_kit', sourceType: 'watch' }
const byDay = [{ date_trunc: { unit: 'day' as const, value: 1 }, arg: { index: 'timeseries' } }]
const marked = { timeseries: 'heartrate', field: 'implausible' }

type Query = Parameters<typeof ask>[1]

const func = (name: string, resource = 'heartrate', field = 'value') => ({
  func: name,
  arg: { timeseries: resource, field },
})

/** Heart rates of a source, at hours of a day. */
function beats(values: readonly number[], source = RING, day = '2026-11-18'): SampleBatch {
  return series(
    { resource: 'heartrate', ...source },
    values.map((value, i) => [`${day}T${String(i).padStart(2, '0')}:00:00`, value] as const),
  )
}

async function asked(samples: readonly SampleBatch[], query: Query) {
  const warnings: QueryWarning[] = []
  const table = await ask({ samples }, query, { ...ASKED, warn: each => warnings.push(each) })
  return { table, warnings: warnings.filter(({ code }) => code.startsWith('implausible')) }
}

const used = (samples: number, resource = 'heartrate') => [{ code: 'implausible_values', query: 0, resource, samples }]
const leftOut = (samples: number) => [{ code: 'implausible_left_out', query: 0, resource: 'heartrate', samples }]

test('limits are those of existing resources and kinds, and most resources have some', () => {
  expect(RESOURCE_NAMES.filter(name => !(name in LIMITS))).toEqual(['electrocardiogram_voltage', 'ige', 'igg', 'note'])
  for (const [resource, { usual, kinds, strictest }] of Object.entries(LIMITS)) {
    expect(RESOURCE_NAMES).toContain(resource)
    const others = kindsOf(resource)?.others.map(({ name }) => name) ?? []
    expect(others).toEqual(expect.arrayContaining(Object.keys(kinds)))
    for (const { low, high } of [usual, strictest, ...Object.values(kinds)]) expect(low).toBeLessThan(high)
  }
  expect(limitsText({ low: 0, high: 1_000_000 }, 'count')).toBe('0 to 1,000,000')
  expect(limitsText({ low: 1, high: 200 }, 'rmssd')).toBe('1 to 200 ms')
})

test.each([
  ['heartrate', {}, 1, 300],
  ['hrv', {}, 1, 200],
  ['hrv', { type: 'sdnn' }, 1, 400],
  ['hrv', { type: 'night' }, 1, 200],
  ['body_temperature', {}, 10, 50],
  ['body_temperature', { type: 'skin' }, 0, 100],
  ['steps', {}, 0, 1_000_000],
  ['glucose', {}, 0, 50],
  ['vo2_max', {}, 0, 100],
  ['blood_oxygen', {}, 0, 100],
] as const)('limits of %s are inclusive, and differ by kind', async (resource, text, low, high) => {
  const values = [low - 0.5, low, high, high + 0.5]
  const data = series(
    { resource, ...RING },
    values.map((value, i) => [`2026-11-18T0${i}:00:00`, value, { text }] as const),
  )
  const select = [
    { timeseries: resource, field: 'value' },
    { timeseries: resource, field: 'implausible' },
  ]
  const { table } = await asked([data], { select })
  expect(table).toEqual({ [resource]: values, [`${resource}.implausible`]: [true, false, false, true] })
  expect((await asked([data], { select: [func('mean', resource)] })).warnings).toEqual(used(2, resource))
})

test('a blood pressure is implausible if either of its values is', async () => {
  const data = series({ resource: 'blood_pressure', ...RING }, [
    ['2026-11-18T08:00:00', 120, { second: 80 }],
    ['2026-11-18T09:00:00', 120, { second: 0 }],
    ['2026-11-18T10:00:00', 301, { second: 80 }],
  ])
  const select = [{ timeseries: 'blood_pressure', field: 'implausible' }]
  expect((await asked([data], { select })).table).toEqual({ 'blood_pressure.implausible': [false, true, true] })
  for (const field of ['systolic', 'diastolic'])
    for (const name of ['mean', 'median'])
      expect((await asked([data], { select: [func(name, 'blood_pressure', field)] })).warnings).toEqual(
        used(2, 'blood_pressure'),
      )
})

describe('implausible values', () => {
  const data = [beats([60, 0, 80, 301])]

  it('is a field that where, group_by and select can use', async () => {
    const mean = [func('mean'), func('count')]
    expect((await asked(data, { select: mean, where: 'heartrate.implausible = false' })).table).toEqual({
      mean: [70],
      count: [2],
    })
    expect((await asked(data, { select: mean, where: 'heartrate.implausible = true' })).table['mean']).toEqual([150.5])
    const groups = { select: [marked, func('count')], group_by: [marked] }
    expect((await asked(data, groups)).table).toEqual({ 'heartrate.implausible': [false, true], count: [2, 2] })
    const other = { select: [{ timeseries: 'steps', field: 'implausible' }, marked] }
    expect((await asked(data, other)).table['steps.implausible']).toEqual([null, null, null, null])
  })

  it('warns for every function of such values except count, and changes no result', async () => {
    for (const { name } of AGGREGATE_FUNCTIONS) {
      const isEdge = name === 'oldest' || name === 'newest'
      const expected = name === 'count' || name === 'oldest' ? [] : used(isEdge ? 1 : 2)
      for (const query of [{ select: [func(name)] }, { select: [KEYS, func(name)], group_by: byDay }])
        expect((await asked(data, query)).warnings, name).toEqual(expected)
    }
    expect((await asked(data, { select: [func('mean'), func('count')] })).table).toEqual({ mean: [110.25], count: [4] })
    expect((await asked(data, { select: [func('max')], mixed_kinds: 'refuse' })).warnings).toEqual(used(2))
  })

  it('counts only the samples of sources that are used', async () => {
    const both = [beats([60, 0]), beats([70, 0, 0], WATCH)]
    const query = { select: [KEYS, func('mean')], group_by: byDay }
    expect((await asked(both, query)).warnings).toEqual(used(2))
    expect((await asked(both, { select: [func('mean')] })).warnings).toEqual(used(3))
    expect((await asked(both, { ...query, where: 'heartrate > 0' })).warnings).toEqual([])
    const old = [...both, beats([0], WATCH, '2026-10-01')]
    expect((await asked(old, query)).warnings).toEqual(used(2))
  })

  it('counts the oldest and the newest sample only if they are used', async () => {
    const edges = [func('oldest'), func('newest')]
    expect((await asked([beats([60, 0, 70])], { select: edges })).warnings).toEqual([])
    expect((await asked([beats([0, 60, 0])], { select: edges })).warnings).toEqual(used(2))
    expect((await asked([beats([0])], { select: edges })).warnings).toEqual(used(1))
    const days = [beats([0, 60]), beats([0, 70], RING, '2026-11-19')]
    expect((await asked(days, { select: [KEYS, func('oldest')], group_by: byDay })).warnings).toEqual(used(2))
  })

  it('does not warn about plausible values, or if the query names the field', async () => {
    expect((await asked([beats([1, 300])], { select: [func('mean')] })).warnings).toEqual([])
    const groups = { select: [marked, func('mean')], group_by: [marked] }
    expect((await asked(data, groups)).warnings).toEqual([])
    expect((await asked(data, { select: [func('mean')], where: 'heartrate.implausible = true' })).warnings).toEqual([])
  })

  it('leaves such samples out of merges, so that another source counts', async () => {
    const mean = [func('mean'), func('count')]
    expect(await asked(data, { select: mean, merge: true })).toEqual({
      table: { mean: [70], count: [2] },
      warnings: leftOut(2),
    })
    // the watch has no plausible value, so the ring counts on that day
    const both = [beats([60, 62]), beats([0, 0, 0], WATCH)]
    expect(await asked(both, { select: [KEYS, ...mean], group_by: byDay, merge: true })).toEqual({
      table: { 'group_key.0': ['2026-11-18T00:00:00'], mean: [61], count: [2] },
      warnings: leftOut(3),
    })
    const steps = series({ resource: 'steps', ...RING }, [
      ['2026-11-18T08:00:00', -5, { end: utc('2026-11-18T09:00:00') }],
      ['2026-11-18T09:00:00', 100, { end: utc('2026-11-18T10:00:00') }],
    ])
    const sum = { select: [func('sum', 'steps')], merge: true }
    expect((await asked([steps], sum)).table).toEqual({ sum: [100] })
  })

  it('keeps such samples in merges that name the field or list rows', async () => {
    const groups = { select: [marked, func('count')], group_by: [marked], merge: true }
    expect((await asked(data, groups)).table).toEqual({ 'heartrate.implausible': [false, true], count: [2, 2] })
    const where = { select: [func('count')], where: 'heartrate.implausible = true', merge: true }
    expect(await asked(data, where)).toEqual({ table: { count: [2] }, warnings: [] })
    const rows = { select: [{ timeseries: 'heartrate', field: 'value' }], merge: true }
    expect((await asked(data, rows)).table).toEqual({ heartrate: [60, 0, 80, 301] })
  })

  it('explains how many such samples each group used or left out', async () => {
    const samples = [...data, beats([0], RING, '2026-11-19')]
    const list = (rows: number, isUsed: boolean) => [
      { resource: 'heartrate', rows, used: isUsed, reason: 'outside 1 to 300 bpm' },
    ]
    const explained = async (query: Partial<QueryBatchInput['queries'][number]>) => {
      const batch = queryBatch().parse({
        timeframe: { type: 'relative', ...ASKED },
        queries: [{ select: [KEYS, func('mean')], group_by: byDay, ...query }],
      })
      const call = { now: utc('2026-11-20'), providers: SHIPPED_REGISTRY, priorities: [], elapsed: () => 0, diff: null }
      const user = { userId: USER, fallbackTimeZone: null }
      const results = await explainQueryBatch(memorySource({ samples }), user, batch, call)
      const [result] = explainReply().parse({ results }).results
      return { whole: result?.implausible, groups: result?.groups.map(({ implausible }) => implausible) }
    }
    expect(await explained({})).toEqual({ whole: list(3, true), groups: [list(2, true), list(1, true)] })
    // the second day has no row, because its only sample is left out
    expect(await explained({ merge: true })).toEqual({ whole: list(3, false), groups: [list(2, false)] })
    const plausible = await explained({ where: 'heartrate.implausible = false' })
    expect(plausible).toEqual({ whole: undefined, groups: [undefined] })
  })
})

describe('in a store', () => {
  let service: Harness
  let user_id: string
  const files = temporaryFolder()

  beforeEach(async () => {
    service = await openHarness()
    user_id = (await service.call('user.create', { body: { client_user_id: 'ada' } })).user_id
  })
  afterEach(() => service.engine.close())

  /** Imports heart rates, one minute apart. */
  function load(values: readonly number[], dry_run = false) {
    const records = values.map((value, i) => {
      const at = new Date(Date.UTC(2026, 10, 18) + i * 60_000).toISOString()
      const time = `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`
      return record('HKQuantityTypeIdentifierHeartRate', `${value}`, 'count/min', { startDate: time, endDate: time })
    })
    const path = join(files, `${values.length}-${dry_run}.xml`)
    writeFileSync(path, exportXml(records.join('\n')))
    return service.call('import.create', { params: { user_id }, query: { dry_run }, body: { kind: 'file', path } })
  }

  async function query(one: Query): Promise<unknown> {
    const body: QueryBatchInput = { timeframe: { type: 'relative', ...ASKED }, queries: [one] }
    const reply = await service.call('aggregate.query', { params: { user_id }, body })
    return (reply.results[0] as { table: unknown }).table
  }

  it('imports values outside the limits, and counts them in the report', async () => {
    const dry = await load([70, 0, 400], true)
    expect(dry).toMatchObject({ implausible: { heartrate: 2 }, dry_run: true })
    const report = await load([70, 0, 400])
    expect(report).toMatchObject({ implausible: { heartrate: 2 }, stored: { heartrate: { samples: 3 } } })
    const page = await service.call('timeseries.grouped', {
      params: { user_id, resource: 'heartrate' },
      query: { start_date: '2026-11-01' },
    })
    const stored = Object.values(page.groups)
      .flat()
      .flatMap(({ data }) => data)
    expect(stored.map(each => (each as { value?: unknown }).value)).toEqual([70, 0, 400])
    expect(await load([70, 80])).toMatchObject({ implausible: {} })
  })

  it('counts pushed values outside the limits', async () => {
    const item = (value: number, hour: number) => ({
      resource: 'heartrate',
      provider: 'oura',
      source_type: 'ring',
      start: `2026-11-18T0${hour}:00:00Z`,
      value,
    })
    const path = join(files, 'pushed.json')
    writeFileSync(path, JSON.stringify([item(60, 1), item(0, 2)]))
    const report = await service.call('samples.push', { params: { user_id }, body: { kind: 'file', path } })
    expect(report).toMatchObject({ samples: 2, implausible: { heartrate: 1 } })
  })

  it('lists how many samples of each source are outside the limits, and when', async () => {
    const list = () => service.call('timeseries.implausible', { params: { user_id } })
    await load([70, 80])
    expect(await list()).toEqual({ data: [] })
    await load([70, 0, 80, 400])
    expect((await list()).data).toEqual([
      {
        resource: 'heartrate',
        provider: 'apple_health_kit',
        source_type: expect.any(String),
        limits: '1 to 300 bpm',
        samples: 2,
        of: 4,
        oldest: '2026-11-18T00:01:00+00:00',
        newest: '2026-11-18T00:03:00+00:00',
      },
    ])
  })

  it('knows the field in packed chunks as in others', async () => {
    const values = Array.from({ length: 600 }, (_, i) => (i % 200 === 7 ? 0 : 60 + (i % 90)))
    await load(values)
    const inside = values.filter(value => value > 0)
    const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length
    const means = [
      { select: [func('mean')], where: 'heartrate.implausible = false' },
      { select: [func('mean')], merge: true },
    ]
    for (const one of means) expect(await query(one)).toEqual({ mean: [expect.closeTo(mean, 9)] })
    expect(await query({ select: [func('count')], where: 'heartrate > 0 AND heartrate.implausible = true' })).toEqual({
      count: [0],
    })
    // a chunk whose codes can only stand for plausible values
    await load(values.map(value => 30 + (value % 10)))
    expect(await query({ select: [func('count')], where: 'heartrate.implausible = false' })).toEqual({ count: [600] })
  })
})
