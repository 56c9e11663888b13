/** Merged queries: each time of an amount counts once, and each day has one source of a level. See docs/interface/merging.md. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QueryWarning } from '../../../src/contract/aggregates/warnings.ts'
import type { SampleBatch, SampleInput } from '../../../src/core/sample.ts'
import { type Asked, ask, refusal, series, utc } from './memory-source.ts'

const DAY = '2026-11-20'
const ASKED: Asked = { anchor: DAY, past: { unit: 'day', value: 2 } }
const SUM = { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }
const KEYS = { group_key: '*' as const }

/** Groups by buckets of this many units. */
function by(unit: 'minute' | 'hour' | 'day' | 'week', value = 1) {
  return [{ date_trunc: { unit, value }, arg: { index: 'timeseries' } }]
}

const WATCH = { provider: 'garmin', sourceType: 'watch' }
const PHONE = { provider: 'apple_health_kit', sourceType: 'phone' }
const RING = { provider: 'oura', sourceType: 'ring' }

type Interval = readonly [from: string, to: string, value: number, more?: Partial<SampleInput>]

/** Returns steps in intervals of one day, with times such as `08:00`. */
function steps(
  source: { provider: string; sourceType: string },
  intervals: readonly Interval[],
  day = DAY,
): SampleBatch {
  const at = (time: string) => utc(`${day}T${time.length === 5 ? `${time}:00` : time}`)
  return series(
    { resource: 'steps', ...source },
    intervals.map(([from, to, value, more]) => [
      `${day}T${from.length === 5 ? `${from}:00` : from}`,
      value,
      { end: at(to), ...more },
    ]),
  )
}

/** Returns steps for each hour of [from, to). */
function hourly(source: { provider: string; sourceType: string }, from: number, to: number, each: number, delayS = 0) {
  const key = { resource: 'steps', ...source }
  const rows = Array.from({ length: to - from }, (_, i): [string, number, Partial<SampleInput>] => {
    const start = utc(DAY) + (from + i) * 3_600_000 + delayS * 1_000
    return [new Date(start).toISOString().slice(0, -1), each, { end: start + 3_600_000 }]
  })
  return series(key, rows)
}

async function total(samples: readonly SampleBatch[], asked: Asked = ASKED): Promise<unknown> {
  return (await ask({ samples }, { select: [SUM], merge: true }, asked))['sum']
}

async function sums(
  samples: readonly SampleBatch[],
  unit: 'minute' | 'hour' | 'day',
  asked: Asked = ASKED,
): Promise<(number | null)[]> {
  const result = await ask({ samples }, { select: [KEYS, SUM], group_by: by(unit), merge: true }, asked)
  return result['sum'] as (number | null)[]
}

const added = (values: readonly (number | null)[]): number => values.reduce<number>((sum, each) => sum + (each ?? 0), 0)

describe('amounts', () => {
  // a watch that is charged at 18:00, and a phone that counts all day
  const watch = hourly(WATCH, 8, 18, 400)
  const phone = [hourly(PHONE, 8, 18, 450), hourly(PHONE, 18, 22, 1500)]
  const phoneAll = series(
    { resource: 'steps', ...PHONE },
    phone.flatMap(batch =>
      Array.from(batch.start, (start, i): [string, number, Partial<SampleInput>] => [
        new Date(start).toISOString().slice(0, -1),
        batch.value[i] as number,
        { end: batch.end?.[i] as number },
      ]),
    ),
  )

  it('counts the phone while the watch is charged: by day, by hour, and in total', async () => {
    expect(await sums([watch, phoneAll], 'day')).toEqual([10_000])
    expect(added(await sums([watch, phoneAll], 'hour'))).toBeCloseTo(10_000, 9)
    expect(await total([watch, phoneAll])).toEqual([10_000])
  })

  it('counts nearly the same if the clock of the phone is 90 s late', async () => {
    const late = series(
      { resource: 'steps', ...PHONE },
      Array.from(phoneAll.start, (start, i): [string, number, Partial<SampleInput>] => [
        new Date(start + 90_000).toISOString().slice(0, -1),
        phoneAll.value[i] as number,
        { end: (phoneAll.end?.[i] as number) + 90_000 },
      ]),
    )
    const [sum] = (await total([watch, late])) as [number]
    // the interval that straddles the end of the watch's last one counts by its share after it
    expect(sum).toBeCloseTo(10_000 + (450 * 90) / 3_600, 6)
  })

  it('shares an interval by time, and the order decides which one is cut', async () => {
    const samples = [steps(WATCH, [['08:00', '09:00', 600]]), steps(PHONE, [['08:30', '09:30', 800]])]
    expect(await total(samples)).toEqual([1_000])
    expect(await total(samples, { ...ASKED, priority: ['apple_health_kit'] })).toEqual([1_100])
  })

  it('is not changed by a copy of a source', async () => {
    const copies = ['app', 'unknown'].map(sourceType => ({
      ...phoneAll,
      series: { ...phoneAll.series, provider: 'strava', sourceType },
    }))
    expect(await total([watch, phoneAll, ...copies])).toEqual([10_000])
    expect(await sums([copies[0] as SampleBatch, watch, phoneAll], 'hour')).toEqual(
      await sums([watch, phoneAll], 'hour'),
    )
  })

  it('fills gaps of more than 15 minutes, and not shorter ones', async () => {
    const other = steps(PHONE, [['08:00', '10:00', 1_200]])
    const withGap = (to: string) => [
      steps(WATCH, [
        ['08:00', '08:30', 100],
        [to, '10:00', 100],
      ]),
      other,
    ]
    expect(await total(withGap('08:45'))).toEqual([200])
    expect(await total(withGap('08:46'))).toEqual([200 + (1_200 * 16) / 120])
  })

  it('counts each time of one source once', async () => {
    expect(
      await total([
        steps(WATCH, [
          ['08:00', '09:00', 600],
          ['08:30', '09:30', 600],
        ]),
      ]),
    ).toEqual([900])
  })

  it('counts samples without a length unless a better source covers their time', async () => {
    const points = steps(PHONE, [
      ['08:10', '08:10', 7],
      ['09:30', '09:30', 5],
    ])
    expect(await total([steps(WATCH, [['08:00', '09:00', 600]]), points])).toEqual([605])
    const copy = steps({ provider: 'strava', sourceType: 'app' }, [
      ['09:30', '09:30', 5],
      ['09:31', '09:31', 2],
    ])
    expect(await total([points, copy])).toEqual([14])
  })

  it('uses the total of a day only where nothing finer is, unless it is preferred', async () => {
    const ring = steps(RING, [['00:00', '23:59:59', 9_500]])
    const samples = [ring, phoneAll]
    expect(await sums(samples, 'day')).toEqual([10_500])
    expect(await sums([ring], 'day')).toEqual([9_500])
    const first = { ...ASKED, priority: ['oura'] }
    expect(await sums(samples, 'day', first)).toEqual([9_500])
    const hours = await sums(samples, 'hour', first)
    expect(hours.length).toBe(15)
    expect(new Set(hours)).toEqual(new Set([null]))
    expect(await total(samples, first)).toEqual([9_500])
  })

  it('uses the total of a day that has hardly any finer samples', async () => {
    const ring = steps(RING, [['00:00', '23:59:59', 9_500]])
    const hours = (n: number) => hourly(PHONE, 8, 8 + n, 100)
    expect(await total([ring, hours(5)])).toEqual([9_500])
    expect(await total([ring, hours(6)])).toEqual([600])
    const count = { func: 'sum', arg: { timeseries: 'steps', field: 'duration' } }
    const query = { select: [count], merge: true }
    expect((await ask({ samples: [ring, hours(5)] }, query, ASKED))['sum']).toEqual([24 * 3_600 - 1])
  })

  it('prefers a total if the team ranks its source first', async () => {
    const samples = [steps(RING, [['00:00', '23:59:59', 9_500]]), phoneAll]
    const priorities = [{ dataType: 'timeseries' as const, provider: 'oura', sourceType: null, priority: 2 }]
    expect(await sums(samples, 'day', { ...ASKED, priorities })).toEqual([9_500])
  })

  it('counts one total of a day', async () => {
    const totals = [RING, { provider: 'polar', sourceType: 'watch' }].map((source, i) =>
      steps(source, [[`0${i}:00`, '23:59:59', 9_000 + i]]),
    )
    expect(await sums(totals, 'day')).toEqual([9_001])
  })

  it('leaves out a total of which better totals cover half', async () => {
    const dayFrom = (source: { provider: string; sourceType: string }, from: string, value: number) =>
      series({ resource: 'steps', ...source }, [[from, value, { end: utc(from) + 24 * 3_600_000 }]])
    const best = dayFrom(WATCH, '2026-11-20T00:00:00', 9_000)
    expect(await total([best, dayFrom(RING, '2026-11-19T12:00:00', 10)])).toEqual([9_000])
    expect(await total([best, dayFrom(RING, '2026-11-19T11:59:59', 10)])).toEqual([9_010])
  })

  it('divides a sample at midnight, and the days add up to it', async () => {
    const late = series({ resource: 'steps', ...PHONE }, [
      ['2026-11-19T23:30:00', 90, { end: utc('2026-11-20T00:15:00') }],
    ])
    expect(await sums([late], 'day')).toEqual([60, 30])
  })

  it('divides a sample at the beginning of the timeframe, and not at every hour', async () => {
    const samples = [steps(PHONE, [['08:00', '16:00', 800]])]
    const query = { select: [SUM, { func: 'count', arg: { timeseries: 'steps', field: 'value' } }], merge: true }
    const past = (value: number): Asked => ({ anchor: DAY, past: { unit: 'hour', value } })
    expect(await ask({ samples }, query, past(25))).toEqual({ sum: [800], count: [1] })
    expect(await ask({ samples }, query, past(12))).toEqual({ sum: [400], count: [1] })
  })

  it('does not divide alerts', async () => {
    const alert = series({ resource: 'heart_rate_alert', type: 'low_heart_rate', ...WATCH }, [
      [`${DAY}T11:50:00`, 1, { end: utc(`${DAY}T12:10:00`) }],
    ])
    const arg = { timeseries: 'heart_rate_alert', field: 'value' }
    const query = { select: [KEYS, { func: 'sum', arg }], group_by: by('hour'), merge: true }
    expect((await ask({ samples: [alert] }, query, ASKED))['sum']).toEqual([1])
  })

  it('adds up to the day when a clock change repeats an hour', async () => {
    const hours = Array.from({ length: 25 }, (_, i): [string, number, Partial<SampleInput>] => {
      const start = Date.parse('2026-10-24T22:00:00Z') + i * 3_600_000
      return [new Date(start).toISOString().slice(0, -1), 100 + i, { end: start + 3_600_000 }]
    })
    const data = { samples: [series({ resource: 'steps', ...PHONE }, hours)], timeZone: 'Europe/Berlin' }
    const asked: Asked = { anchor: '2026-10-25', past: { unit: 'day', value: 1 } }
    const query = { select: [KEYS, SUM], merge: true }
    const [day] = (await ask(data, { ...query, group_by: by('day') }, asked))['sum'] as [number]
    const perHour = (await ask(data, { ...query, group_by: by('hour') }, asked))['sum'] as number[]
    expect([day, perHour.length]).toEqual([25 * 112, 24])
    expect(added(perHour)).toBeCloseTo(day, 9)
  })

  it('tells apps and devices of one provider and source type apart', async () => {
    const own = (app_id: string, value: number): Interval => ['08:00', '09:00', value, { text: { app_id } }]
    const phones = [own('strava', 600), own('zepp', 500)].map(each => steps(PHONE, [each]))
    expect(await total(phones)).toEqual([600])
    const devices = ['left', 'right'].map(device_id => steps(WATCH, [['08:00', '09:00', 300, { text: { device_id } }]]))
    expect(await total(devices)).toEqual([300])
  })

  it('applies where first', async () => {
    const query = { select: [SUM], merge: true, where: "source_type = 'phone'" }
    expect((await ask({ samples: [watch, phoneAll] }, query, ASKED))['sum']).toEqual([10_500])
  })

  it('shows what each source contributes', async () => {
    const query = { select: [KEYS, SUM], group_by: [{ source: 'source_type' }], merge: true }
    expect(await ask({ samples: [watch, phoneAll] }, query, ASKED)).toEqual({
      'group_key.0': ['phone', 'watch'],
      sum: [6_000, 4_000],
    })
  })

  const interval = fc.record({
    source: fc.integer({ min: 0, max: 3 }),
    from: fc.integer({ min: 0, max: 47 * 60 }),
    length: fc.oneof(fc.integer({ min: 0, max: 180 }), fc.integer({ min: 1_190, max: 1_440 })),
    value: fc.integer({ min: 0, max: 1_000 }),
  })
  const SOURCES = [WATCH, RING, PHONE, { provider: 'strava', sourceType: 'app' }] as const

  /** Returns one series for each source; of samples with the same start, the last one counts, as in a store. */
  function batches(
    intervals: readonly { source: number; from: number; length: number; value: number }[],
    order = [0, 1, 2, 3],
  ) {
    return order.map(at => {
      const own = new Map(intervals.filter(({ source }) => source === at).map(each => [each.from, each]))
      const rows = [...own.values()].sort((a, b) => a.from - b.from)
      const start = (from: number) => utc('2026-11-19') + from * 60_000
      return series(
        { resource: 'steps', ...(SOURCES[at] as (typeof SOURCES)[number]) },
        rows.map(({ from, length, value }): [string, number, Partial<SampleInput>] => [
          new Date(start(from)).toISOString().slice(0, -1),
          value,
          { end: start(from + length) },
        ]),
      )
    })
  }

  it('holds for any data: order, copies, bounds, and hours that add up to their day', async () => {
    const property = fc.asyncProperty(fc.array(interval, { maxLength: 40 }), async intervals => {
      const samples = batches(intervals)
      const day = await sums(samples, 'day')
      expect(await sums(batches(intervals, [3, 1, 0, 2]), 'day')).toEqual(day)
      const copied = samples.map(each => ({
        ...each,
        series: { ...each.series, provider: 'withings', sourceType: 'unknown' },
      }))
      for (const copy of copied) expect(await sums([...samples, copy], 'day')).toEqual(day)
      const short = batches(intervals.filter(({ length }) => length < 1_190))
      const hours = await sums(short, 'hour')
      expect(added(hours)).toBeCloseTo(added(await sums(short, 'day')), 9)
      expect(added(await sums(short, 'day'))).toBeLessThanOrEqual(
        added(short.map(({ value }) => added([...value]))) + 1e-6,
      )
      const best = added((await sums([short[0] as SampleBatch], 'day')) as number[])
      expect(added(await sums(short, 'day'))).toBeGreaterThanOrEqual(best - 1e-6)
    })
    await fc.assert(property, { seed: 30, numRuns: 60 })
  })
})

describe('levels', () => {
  const rate = (source: { provider: string; sourceType: string }, hours: readonly number[], value: number, day = DAY) =>
    series(
      { resource: 'heartrate', ...source },
      hours.map((hour): [string, number] => [`${day}T${String(hour).padStart(2, '0')}:10:00`, value + hour]),
    )
  const MEAN = { func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } }
  const mean = async (samples: readonly SampleBatch[], asked: Asked = ASKED) =>
    (await ask({ samples }, { select: [KEYS, MEAN], group_by: by('day'), merge: true }, asked))['mean']

  it('uses one source a day: the best one with half of the hours of the best coverage', async () => {
    expect(await mean([rate(WATCH, [8], 60), rate(RING, [1, 2, 3], 50)])).toEqual([52])
    expect(await mean([rate(WATCH, [8, 9], 60), rate(RING, [1, 2, 3], 50)])).toEqual([68.5])
    expect(await mean([rate(WATCH, [8], 60), rate(RING, [1, 2], 50)])).toEqual([68])
    const week = { ...ASKED, past: { unit: 'week' as const, value: 1 } }
    const days = [rate(WATCH, [8], 60), rate(RING, [1, 2, 3], 50), rate(RING, [4], 40, '2026-11-18')]
    expect(await mean(days, week)).toEqual([44, 52])
  })

  it('uses the same source whatever the timeframe, far east of Greenwich too', async () => {
    const local = (hours: readonly number[], value: number, source: { provider: string; sourceType: string }) =>
      series(
        { resource: 'heartrate', ...source },
        hours.map((hour): [string, number] => [
          new Date(utc(DAY) + (hour - 14) * 3_600_000).toISOString().slice(0, -1),
          value,
        ]),
      )
    const data = {
      samples: [local([0, 1, 2, 3, 4, 5, 6, 7, 20], 60, WATCH), local([16, 17, 18, 19, 20, 21, 22, 23], 50, RING)],
      timeZone: 'Pacific/Kiritimati',
    }
    const query = { select: [KEYS, MEAN], group_by: by('hour'), merge: true }
    for (const value of [24, 6]) {
      const { mean: means } = await ask(data, query, { anchor: DAY, past: { unit: 'hour', value } })
      expect(means?.at(-1)).toBe(60)
    }
  })

  it('uses the source of the day for every hour', async () => {
    const query = { select: [KEYS, MEAN], group_by: by('hour'), merge: true }
    const samples = [rate(WATCH, [8, 9], 60), rate(RING, [1, 2, 3], 50)]
    expect((await ask({ samples }, query, ASKED))['mean']).toEqual([68, 69])
  })

  it('merges the types of a resource separately, and leaves texts as they are', async () => {
    const sample = (type: string, value: number, source: { provider: string; sourceType: string }) =>
      series({ resource: 'cholesterol', type, ...source }, [[`${DAY}T08:00:00`, value]])
    const samples = [sample('hdl', 1, WATCH), sample('ldl', 3, PHONE), sample('hdl', 9, PHONE)]
    const arg = { timeseries: 'cholesterol', field: 'value' }
    expect((await ask({ samples }, { select: [{ func: 'sum', arg }], merge: true }, ASKED))['sum']).toEqual([4])
    const notes = [WATCH, PHONE].map(source =>
      series({ resource: 'note', ...source }, [[`${DAY}T08:00:00`, 0, { text: { content: 'tired' } }]]),
    )
    const count = { func: 'count', arg: { timeseries: 'note', field: 'content' } }
    expect((await ask({ samples: notes }, { select: [count], merge: true }, ASKED))['count']).toEqual([2])
  })
})

describe('the warnings', () => {
  async function warnings(
    samples: readonly SampleBatch[],
    query: Partial<Parameters<typeof ask>[1]>,
    asked: Asked = ASKED,
  ) {
    const all: QueryWarning[] = []
    await ask(
      { samples },
      { select: [KEYS, SUM], group_by: by('day'), ...query },
      { ...asked, warn: each => all.push(each) },
    )
    return all
  }
  const samples = [hourly(WATCH, 8, 18, 400), hourly(PHONE, 8, 30, 500), hourly(RING, 8, 9, 5)]

  it('count the sources that a grouped query leaves out', async () => {
    const about = { query: 0, resource: 'steps' }
    expect(await warnings(samples, {})).toEqual([{ code: 'sources_left_out', ...about, sources: 2, groups: 1, of: 1 }])
    const longer = { ...ASKED, anchor: '2026-11-21' }
    expect(await warnings(samples, {}, longer)).toMatchObject([{ sources: 2, groups: 1, of: 2 }])
    expect(await warnings(samples, { group_by: by('hour') })).toMatchObject([{ sources: 2, groups: 10, of: 16 }])
  })

  it('are none if nothing is left out', async () => {
    expect(await warnings(samples.slice(0, 1), {})).toEqual([])
    expect(await warnings(samples, { group_by: [{ source: 'source_type' }, { source: 'source_provider' }] })).toEqual(
      [],
    )
    expect(await warnings(samples, { select: [SUM], group_by: null })).toEqual([])
    expect(await warnings(samples, { merge: true })).toEqual([])
  })

  it('count the totals that have no value', async () => {
    const totals = [steps(RING, [['00:00', '23:59:59', 9_500]])]
    const expected = { code: 'totals_without_value', query: 0, resource: 'steps', totals: 1 }
    expect(await warnings(totals, { group_by: by('hour'), merge: true })).toEqual([expected])
    expect(await warnings(totals, { merge: true })).toEqual([])
    const days = ['2026-11-18', DAY, '2026-11-21'].map(day => steps(RING, [['00:00', '23:59:59', 9_500]], day))
    const oneDay = { ...ASKED, past: { unit: 'hour' as const, value: 24 } }
    expect(await warnings(days, { group_by: by('hour'), merge: true }, oneDay)).toEqual([expected])
  })
})

describe('the request', () => {
  it('merges timeseries, nights and workouts only', async () => {
    const query = { select: [{ func: 'mean', arg: { body: 'weight_kilogram' } }], merge: true }
    expect(await refusal(query)).toMatchObject({ status: 422, loc: 'body.queries.0.merge' })
    expect((await refusal({ ...query, merge: 'yes' }).catch(error => error)).message).toContain('true or false')
  })

  it('merges the stored data of an inner query', async () => {
    const samples = [hourly(WATCH, 8, 18, 400), hourly(PHONE, 8, 22, 500)]
    const inner = { select: [KEYS, SUM], group_by: by('day') }
    const query = { select: [{ func: 'mean', arg: { query: 'sum' } }], from: { query: inner }, merge: true }
    expect((await ask({ samples }, query, ASKED))['mean']).toEqual([6_000])
  })
})
