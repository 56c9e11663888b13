/** derived_readiness: scores computed by hand, which rows exist, and properties that hold for all scores. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, formatDate } from '../../../src/core/time.ts'
import {
  computeBaseline,
  recoveryScore,
  recoveryZone,
  strainScore,
  strainZone,
} from '../../../src/engine/aggregate/scan/readiness.ts'
import type { StoredSummary } from '../../../src/store/sample.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'
import { activity, ask, sleep, utc } from './memory-source.ts'

const column = (name: string) => ({ derived_readiness: name })
const runQuery = (summaries: readonly StoredSummary[], ...names: string[]) =>
  ask({ summaries }, { select: names.map(column) }, { past: { unit: 'day', value: 1 } })

/** Returns a night that ends this many days before 2024-12-13. */
const night = (back: number, hrv: number | null, rhr: number | null, more: Partial<StoredSummary> = {}) => {
  const end = utc('2024-12-13T06:00:00') - back * DAY_MS
  const document = { duration: 28_800, average_hrv: hrv, hr_resting: rhr }
  return sleep(new Date(end).toISOString().slice(0, 19), document, more)
}
/** Returns the integers from `from` to `to`, both included. */
const days = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
/** The eight preceding nights: hrv alternates between 46 and 54 (mean 50, sd 4.28), rhr between 58 and 62 (mean 60, sd 2.14). */
const baseline = days(1, 8).map(back => night(back, back % 2 === 0 ? 46 : 54, back % 2 === 0 ? 58 : 62))

describe('recovery', () => {
  test.each([
    // at the baseline: 100 / (1 + e^-0.5) = 62.2
    [50, 60, 62, 'Amber', 38],
    // z = 4.276 / 4.276 = 1 and -1: 100 / (1 + e^-(0.5 + 0.9 + 0.6)) = 88.1
    [50 + Math.sqrt(128 / 7), 60 - Math.sqrt(32 / 7), 88, 'Green', 12],
    // z = -2 and 0: 100 / (1 + e^1.3) = 21.4
    [50 - 2 * Math.sqrt(128 / 7), 60, 21, 'Red', 79],
    // deviations are limited to three: 100 / (1 + e^-5) = 99.3 and 100 / (1 + e^4) = 1.8
    [500, 1, 99, 'Green', 1],
    [1, 200, 2, 'Red', 98],
  ])('from hrv %f and resting heart rate %f', async (hrv, rhr, recovery, zone, stress) => {
    const result = await runQuery([...baseline, night(0, hrv, rhr)], 'recovery_score', 'recovery_zone', 'stress_score')
    expect(Object.values(result).map(values => values.at(-1))).toEqual([recovery, zone, stress])
  })

  test('compares SDNN with earlier values of SDNN if there is no RMSSD', async () => {
    const sdnn = (back: number, ms: number, rhr: number) =>
      night(back, null, rhr, { document: { duration: 28_800, hrv_mean_sdnn: ms, hr_resting: rhr } })
    const score = async (...summaries: StoredSummary[]) =>
      (await runQuery(summaries, 'recovery_score'))['recovery_score']?.at(-1)
    const before = days(1, 7).map(back => sdnn(back, 90, 60))
    expect(await score(...before, sdnn(0, 90, 60))).toBe(62)
    // nights with the other statistic are no baseline
    expect(await score(...before, night(0, 50, 60))).toBeNull()
    expect(await score(...days(1, 7).map(back => night(back, 50, 60)), sdnn(0, 90, 60))).toBeNull()
  })

  test('needs both values, and seven of each in the preceding 21 days', async () => {
    const score = async (...summaries: StoredSummary[]) =>
      (await runQuery(summaries, 'recovery_score'))['recovery_score']?.at(-1)
    const flat = (from: number, to: number) => days(from, to).map(back => night(back, 50, 60))
    expect(await score(...flat(1, 7), night(0, 50, 60))).toBe(62)
    expect(await score(...flat(1, 6), night(0, 50, 60))).toBeNull()
    expect(await score(...flat(1, 6), night(21, 50, 60), night(0, 50, 60))).toBe(62)
    expect(await score(...flat(1, 6), night(22, 50, 60), night(0, 50, 60))).toBeNull()
    expect(await score(...flat(1, 7), night(0, null, 60))).toBeNull()
    expect(await score(...flat(1, 7), night(0, 50, null))).toBeNull()
    expect(await score(...flat(1, 6), night(7, null, 60), night(0, 50, 60))).toBeNull()
    expect(await score(...flat(1, 6), night(7, 50, 60, { provider: 'garmin' }), night(0, 50, 60))).toBeNull()
  })

  test('uses 5 % and 3 % of the mean as the minimum deviation for steady values', async () => {
    const flat = days(1, 10).map(back => night(back, 50, 100))
    // z = 1 / 2.5 = 0.4: 100 / (1 + e^-0.86) = 70.3; z = 2 / 3: 100 / (1 + e^-0.1) = 52.5 (52.498)
    expect((await runQuery([...flat, night(0, 51, 100)], 'recovery_score'))['recovery_score']?.at(-1)).toBe(70)
    expect((await runQuery([...flat, night(0, 50, 102)], 'recovery_score'))['recovery_score']?.at(-1)).toBe(52)
  })

  test('uses the activity’s resting heart rate if the night has none', async () => {
    const nights = days(0, 9).map(back => night(back, 50, null))
    const resting = days(0, 9).map(back =>
      activity(formatDate(utc('2024-12-13') - back * DAY_MS), { heart_rate: { resting_bpm: 60 } }),
    )
    expect((await runQuery([...nights, ...resting], 'recovery_score'))['recovery_score']?.at(-1)).toBe(62)
  })

  test('rises with hrv and falls with the heart rate, within 0 to 100', () => {
    const values = fc.array(fc.integer({ min: 20, max: 150 }), { minLength: 7, maxLength: 21 })
    const value = fc.integer({ min: 10, max: 200 })
    fc.assert(
      fc.property(values, values, value, value, fc.integer({ min: 0, max: 50 }), (hrvs, rhrs, hrv, rhr, more) => {
        const [hrvBaseline, rhrBaseline] = [computeBaseline(hrvs), computeBaseline(rhrs)]
        const score = recoveryScore(hrv, rhr, hrvBaseline, rhrBaseline)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(100)
        expect(recoveryZone(score)).not.toBeNull()
        expect(recoveryScore(hrv + more, rhr, hrvBaseline, rhrBaseline)).toBeGreaterThanOrEqual(score)
        expect(recoveryScore(hrv, rhr + more, hrvBaseline, rhrBaseline)).toBeLessThanOrEqual(score)
      }),
      { seed, numRuns: times(100) },
    )
  })
})

describe('strain', () => {
  test.each([
    [0, 0, 0, 0, 'Low'],
    [30, 20, 0, 5, 'Low'], // load 90: 21 x (1 - e^-0.3) = 5.4
    [60, 30, 10, 11, 'Moderate'], // load 210: 10.6
    [60, 60, 30, 16, 'High'], // load 420: 15.8
    [0, 0, 120, 19, 'Very High'], // load 720: 19.1
    [0, 0, 2000, 21, 'Very High'],
  ])('of %d, %d and %d minutes', (low, medium, high, score, zone) => {
    const strain = strainScore(low, medium, high)
    expect(strain).toBe(score)
    expect(strainZone(strain)).toBe(zone)
  })

  test('is null without an activity or any duration, and ignores a missing intensity', async () => {
    const summaries = [
      activity('2024-12-13', { high: 120 }),
      activity('2024-12-13', { steps: 100 }, { provider: 'garmin', id: 'g' }),
      night(0, 50, 60, { provider: 'whoop' }),
    ]
    expect(await runQuery(summaries, 'source_provider', 'strain_score', 'strain_zone')).toEqual({
      source_provider: ['garmin', 'oura', 'whoop'],
      strain_score: [null, 19, null],
      strain_zone: [null, 'Very High', null],
    })
  })

  test('rises with each duration, within 0 to 21', () => {
    const minutes = fc.integer({ min: 0, max: 1440 })
    fc.assert(
      fc.property(fc.tuple(minutes, minutes, minutes), fc.nat(2), minutes, (given, which, more) => {
        const [low, medium, high] = given
        const raised = given.map((value, i) => (i === which ? value + more : value)) as typeof given
        const strain = strainScore(low, medium, high)
        expect(strain).toBeLessThanOrEqual(21)
        expect(strainZone(strain)).not.toBeNull()
        expect(strainScore(...raised)).toBeGreaterThanOrEqual(strain)
      }),
      { seed, numRuns: times(100) },
    )
  })
})

describe('rows', () => {
  test('exist for each date and source with a sleep or an activity', async () => {
    const summaries = [
      night(0, 50, 60),
      activity('2024-12-13', { low: 1 }),
      activity('2024-12-12', { low: 1 }, { sourceType: 'watch', id: 'w' }),
      night(1, 50, 60, { provider: 'garmin' }),
      night(2, 50, 60), // before the window
    ]
    expect(await runQuery(summaries, 'date', 'source_provider', 'source_type')).toEqual({
      date: ['2024-12-12', '2024-12-12', '2024-12-13'],
      source_provider: ['oura', 'garmin', 'oura'],
      source_type: ['watch', 'ring', 'ring'],
    })
  })

  test('use the longest sleep as the main one, and the latest of equally long ones', async () => {
    const bed = (stop: string, duration: number, total: number, deviceId: string) =>
      sleep(`2024-12-13T${stop}`, { duration, total }, { deviceId })
    const summaries = [
      bed('06:00:00', 20_000, 28_800, 'short'),
      bed('07:00:00', 25_000, 14_400, 'first'),
      bed('15:00:00', 25_000, 7_200, 'second'),
      bed('20:00:00', 1_000, 28_800, 'nap'),
    ]
    expect(await runQuery(summaries, 'sleep_score', 'source_device_id', 'chronotype')).toEqual({
      sleep_score: [25],
      source_device_id: ['second'],
      chronotype: [null],
    })
  })

  test('follow the source priorities when grouped, as in every table', async () => {
    const summaries = [
      activity('2024-12-13', { high: 120 }),
      activity('2024-12-13', { high: 10 }, { sourceType: 'watch', id: 'w' }),
    ]
    const query = {
      select: [{ func: 'max', arg: column('strain_score') }],
      group_by: [{ date_part: 'year', arg: { index: 'derived_readiness' } }],
    }
    // the watch wins: load 60, 21 x (1 - e^-0.2) = 3.8
    expect(await ask({ summaries }, query)).toEqual({ max: [4] })
  })
})

test('each zone has the documented bounds', () => {
  expect([0, 33, 34, 66, 67, 100].map(recoveryZone)).toEqual(['Red', 'Red', 'Amber', 'Amber', 'Green', 'Green'])
  expect([0, 6, 7, 13, 14, 17, 18, 21].map(strainZone)).toEqual([
    'Low',
    'Low',
    'Moderate',
    'Moderate',
    'High',
    'High',
    'Very High',
    'Very High',
  ])
  expect(recoveryZone(Number.NaN)).toBeNull()
})
