/** Floating time, calendar windows, buckets and date parts, with results computed by hand. */
import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/core/time.ts'
import { addMonths, buckets, datePart, relativeWindow } from '../../../src/engine/aggregate/plan/calendar.ts'
import { ask, series, sleep, utc } from './memory-source.ts'

const KEYS = { group_key: '*' as const }
const INDEX = { index: 'timeseries' }
const COUNT = { func: 'count', arg: { timeseries: 'steps', field: 'value' } }
const byTrunc = (unit: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year', value = 1) => ({
  date_trunc: { unit, value },
  arg: INDEX,
})

function hourly(from: string, to: string) {
  const samples: [string, number][] = []
  for (let at = utc(from), n = 1; at < utc(to); at += HOUR_MS, n++) {
    samples.push([new Date(at).toISOString().slice(0, 19), n])
  }
  return series({ resource: 'steps' }, samples)
}

describe('floating time', () => {
  const asked = { anchor: '2024-10-28', past: { unit: 'day' as const, value: 2 } }
  const data = { samples: [hourly('2024-10-25', '2024-10-30')], timeZone: 'Europe/Berlin' }

  test('has a day of 25 hours when summer time ends', async () => {
    const result = await ask(data, { select: [KEYS, COUNT], group_by: [byTrunc('day')] }, asked)
    expect(result).toEqual({
      'group_key.0': ['2024-10-26T00:00:00', '2024-10-27T00:00:00', '2024-10-28T00:00:00'],
      count: [24, 25, 24],
    })
  })

  test('has a day of 23 hours when summer time starts', async () => {
    const spring = { samples: [hourly('2024-03-29', '2024-04-02')], timeZone: 'Europe/Berlin' }
    const query = { select: [KEYS, COUNT], group_by: [byTrunc('day')] }
    const result = await ask(spring, query, { anchor: '2024-03-31', past: { unit: 'day', value: 1 } })
    expect(result['count']).toEqual([24, 23])
  })

  test('puts the repeated hour into one bucket, whose newest value is from the later instant', async () => {
    const select = [KEYS, COUNT, { func: 'oldest', arg: COUNT.arg }, { func: 'newest', arg: COUNT.arg }]
    const query = { select, group_by: [byTrunc('hour')], where: 'steps > 48 AND steps < 52' }
    // 2024-10-27T00:00Z is the 49th hour: 02:00 summer time; 01:00Z is 02:00 again, 02:00Z is 03:00.
    expect(await ask(data, query, asked)).toEqual({
      'group_key.0': ['2024-10-27T02:00:00', '2024-10-27T03:00:00'],
      count: [2, 1],
      oldest: [49, 51],
      newest: [50, 51],
    })
  })

  test('keeps a sample with its own offset on the day it was taken, whatever the user’s time zone', async () => {
    const samples = [
      series({ resource: 'steps' }, [
        ['2024-12-12T20:00:00', 1, { offset: 9 * 3600 }], // 05:00 on the 13th in Tokyo
        ['2024-12-13T02:00:00', 2, { offset: -8 * 3600 }], // 18:00 on the 12th in Los Angeles
        ['2024-12-13T03:00:00', 4], // 04:00 on the 13th in Berlin
      ]),
    ]
    const query = { select: [KEYS, { func: 'sum', arg: COUNT.arg }], group_by: [byTrunc('day')] }
    const result = await ask({ samples, timeZone: 'Europe/Berlin' }, query)
    expect(result).toEqual({ 'group_key.0': ['2024-12-12T00:00:00', '2024-12-13T00:00:00'], sum: [2, 5] })
  })

  test('puts a sleep on the local day it ended, with local times', async () => {
    const document = { bedtime_start: '2024-12-12T14:00:00+00:00', bedtime_stop: '2024-12-12T22:30:00+00:00' }
    const summaries = [sleep('2024-12-12T22:30:00', document, { offset: 9 * 3600, date: '2024-12-13' })]
    const select = [{ index: 'sleep' }, { sleep: 'session_start' }, { sleep: 'session_end' }]
    expect(await ask({ summaries }, { select })).toEqual({
      index: ['2024-12-13T07:30:00'],
      session_start: ['2024-12-12T23:00:00'],
      session_end: ['2024-12-13T07:30:00'],
    })
  })
})

describe('windows', () => {
  const day = (text: string) => new Date(utc(text))
  const from = (anchor: string, unit: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year', value: number) =>
    new Date(relativeWindow(day(anchor).getTime(), { unit, value }).from).toISOString().slice(0, 16)

  test.each([
    ['2024-12-13', 'month', 3, '2024-09-13T00:00'],
    ['2024-03-31', 'month', 1, '2024-02-29T00:00'],
    ['2023-03-31', 'month', 1, '2023-02-28T00:00'],
    ['2024-02-29', 'year', 1, '2023-02-28T00:00'],
    ['2024-02-29', 'year', 4, '2020-02-29T00:00'],
    ['2024-01-31', 'month', 14, '2022-11-30T00:00'],
    ['2024-12-13', 'week', 1, '2024-12-06T00:00'],
    ['2024-12-13', 'day', 1, '2024-12-12T00:00'],
    ['2024-12-13', 'hour', 24, '2024-12-13T00:00'],
    ['2024-12-13', 'minute', 90, '2024-12-13T22:30'],
  ] as const)('anchored at %s, past %s × %i, start at %s…', (anchor, unit, value, expected) => {
    expect(from(anchor, unit, value)).toBe(expected)
  })

  test('end with the last instant of the anchor day', async () => {
    const samples = [
      series({ resource: 'steps' }, [
        ['2024-12-11T23:59:59.999', 1],
        ['2024-12-12T00:00:00', 2],
        ['2024-12-13T23:59:59.999', 4],
        ['2024-12-14T00:00:00', 8],
      ]),
    ]
    const query = { select: [{ func: 'sum', arg: COUNT.arg }] }
    expect(await ask({ samples }, query, { past: { unit: 'day', value: 1 } })).toEqual({ sum: [6] })
  })
})

describe('buckets of n units', () => {
  const window = { from: utc('1999-01-01'), to: utc('2025-01-01') }
  const start = (unit: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year', value: number, at: string) =>
    new Date(buckets({ unit, value }, window)(utc(at))).toISOString().slice(0, 16)

  test.each([
    ['minute', 15, '2024-12-13T10:44:59', '2024-12-13T10:30'],
    ['hour', 6, '2024-12-13T17:59:59', '2024-12-13T12:00'],
    ['day', 2, '2000-01-02T12:00:00', '2000-01-01T00:00'],
    ['day', 2, '1999-12-31T12:00:00', '1999-12-30T00:00'],
    ['week', 1, '2024-12-15T23:00:00', '2024-12-09T00:00'],
    ['week', 2, '2000-01-16T23:00:00', '2000-01-03T00:00'],
    ['month', 3, '2024-05-31T00:00:00', '2024-04-01T00:00'],
    ['month', 5, '2000-06-01T00:00:00', '2000-06-01T00:00'],
    ['year', 1, '2024-12-31T00:00:00', '2024-01-01T00:00'],
    ['year', 10, '1999-12-31T23:00:00', '1990-01-01T00:00'],
  ] as const)('of %s × %i around %s start at %s', (unit, value, at, expected) => {
    expect(start(unit, value, at)).toBe(expected)
  })

  test('include earlier ones after one for a late time was found', () => {
    const of = buckets({ unit: 'month', value: 1 }, window)
    const starts = ['2024-12-31', '1999-01-31', '2000-02-29'].map(at =>
      new Date(of(utc(at))).toISOString().slice(0, 10),
    )
    expect(starts).toEqual(['2024-12-01', '1999-01-01', '2000-02-01'])
  })
})

test.each([
  ['minute', '2024-12-13T10:44:59', 44],
  ['hour', '2024-12-13T23:59:59', 23],
  ['day', '2024-02-29T23:59:59', 29],
  ['month', '2024-12-13', 12],
  ['year', '2024-12-31T23:59:59', 2024],
  ['weekday', '2024-12-15', 7],
  ['weekday', '1969-12-29', 1],
  ['week', '2024-12-30', 1],
  ['week_of_year', '2021-01-03', 53],
  ['day_of_year', '2024-12-31', 366],
] as const)('the %s of %s is %i', (part, at, expected) => {
  expect(datePart(part)(utc(at))).toBe(expected)
})

test('months before the year 2000 are supported too', () => {
  expect(addMonths(utc('2000-01-31'), -2)).toBe(utc('1999-11-30'))
})
