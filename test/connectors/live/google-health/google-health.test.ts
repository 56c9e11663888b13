/** The live connector's data for a person with a Google Health account. The expected numbers are computed by hand from the fact sheet. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PulledPage } from '../../../../src/connectors/connector.ts'
import { googleHealthConnector as connector } from '../../../../src/connectors/live/google-health/connector.ts'
import { NO_OFFSET } from '../../../../src/core/sample.ts'
import { type FakeGoogleHealth, openGoogleHealth } from '../../../providers/google-health/google-health.ts'
import { busyPerson, civilDate, interval, sampleTime } from '../../../providers/google-health/person.ts'
import { DAY, HOUR, NOW, openSession, pullFrom, rows } from './session.ts'

let google: FakeGoogleHealth
beforeEach(async () => {
  google = await openGoogleHealth()
})
afterEach(() => google.close())

const pull = (...asked: Parameters<typeof pullFrom> extends [unknown, ...infer Rest] ? Rest : never) =>
  pullFrom(google, ...asked)

function put(type: string, body: Readonly<Record<string, unknown>>, more: { id?: string; dataSource?: unknown } = {}) {
  const person = google.people.get('person-1')
  if (!person) throw new Error('no person')
  person.points[type] ??= []
  person.points[type].push({ body, ...more })
}

const all = (page: PulledPage) => [...rows(page.batches), ...page.records.flatMap(each => rows(each.batches))]
const AT = NOW - 2 * HOUR

describe('samples', () => {
  it.each([
    ['steps', 'steps', { count: '812' }, 812],
    ['distance', 'distance', { millimeters: '1234567' }, 1234.567],
    ['floors', 'floors_climbed', { count: '3' }, 3],
    ['active-energy-burned', 'calories_active', { kcal: 41.5 }, 41.5],
    ['basal-energy-burned', 'calories_basal', { kcal: 17.25 }, 17.25],
  ])('of %s are intervals with their offset', async (type, resource, values, value) => {
    put(type, { interval: interval(AT, AT + 60_000, -18_000), ...values })
    const page = await pull(type)
    expect(all(page)).toEqual([{ series: `${resource} watch`, at: AT, end: AT + 60_000, value, offset: -18_000 }])
    expect(page.unmapped).toEqual({})
  })

  it.each([
    ['heart-rate', 'heartrate watch', { beatsPerMinute: '61' }, 61],
    ['heart-rate-variability', 'hrv watch', { rootMeanSquareOfSuccessiveDifferencesMilliseconds: 42.5 }, 42.5],
    ['oxygen-saturation', 'blood_oxygen watch', { percentage: 97.1 }, 97.1],
    ['respiratory-rate-sleep-summary', 'respiratory_rate watch', { fullSleepStats: { breathsPerMinute: 14.2 } }, 14.2],
    ['core-body-temperature', 'body_temperature watch', { temperatureCelsius: 36.8 }, 36.8],
    // 180.156 mg/dL ÷ 18.0156 = 10 mmol/L
    ['blood-glucose', 'glucose app', { bloodGlucoseMilligramsPerDeciliter: 180.156 }, 10],
    ['vo2-max', 'vo2_max watch', { vo2Max: 44.5 }, 44.5],
    ['run-vo2-max', 'vo2_max watch', { runVo2Max: 46 }, 46],
  ])('of %s are at an instant', async (type, series, values, value) => {
    put(type, { sampleTime: sampleTime(AT, 7200), ...values })
    const [row, ...others] = all(await pull(type))
    expect(others).toEqual([])
    expect(row).toMatchObject({ series, at: AT, end: AT, offset: 7200 })
    expect(row?.value).toBeCloseTo(value, 10)
  })

  it('of the temperature are the night’s value minus its baseline, at the person’s midnight', async () => {
    put('daily-sleep-temperature-derivations', {
      date: civilDate('2026-11-20'),
      nightlyTemperatureCelsius: 34.8,
      baselineTemperatureCelsius: 34.5,
    })
    put('daily-sleep-temperature-derivations', { date: civilDate('2026-11-19'), nightlyTemperatureCelsius: 34.8 })
    const page = await pull('daily-sleep-temperature-derivations', {
      timeZone: 'Europe/Berlin',
      window: { from: NOW - 3 * DAY, to: NOW },
    })
    // midnight in Berlin is 23:00 UTC of the day before
    const at = Date.parse('2026-11-19T23:00:00Z')
    expect(all(page)).toEqual([{ series: 'body_temperature_delta watch', at, end: at, value: 0.3, offset: 3600 }])
    expect(page.unmapped).toEqual({ 'daily-sleep-temperature-derivations without a value': 1 })
  })

  it('of the heart rate variability are one daily value, on days without single measurements', async () => {
    const day = (date: string, value: number) =>
      put('daily-heart-rate-variability', {
        date: civilDate(date),
        averageHeartRateVariabilityMilliseconds: value,
        entropy: 2.5,
      })
    day('2026-11-19', 41)
    day('2026-11-20', 43.5)
    put('heart-rate-variability', {
      sampleTime: sampleTime(AT),
      rootMeanSquareOfSuccessiveDifferencesMilliseconds: 42.5,
    })
    const page = await pull('heart-rate-variability', { window: { from: NOW - 3 * DAY, to: NOW } })
    expect(all(page).map(({ series, at, value }) => [series, at, value])).toEqual([
      ['hrv watch', AT, 42.5],
      ['hrv watch', Date.parse('2026-11-19T00:00:00Z'), 41],
    ])
    expect(page.unmapped).toEqual({ 'daily-heart-rate-variability.entropy': 2 })
  })

  it('of days without a time zone are at midnight UTC, with an unknown offset', async () => {
    put('daily-respiratory-rate', { date: civilDate('2026-11-20'), breathsPerMinute: 15 })
    const at = Date.parse('2026-11-20T00:00:00Z')
    expect(all(await pull('respiratory-rate-sleep-summary'))).toMatchObject([{ at, value: 15, offset: NO_OFFSET }])
  })

  it('of a whole day are used only where nothing was measured', async () => {
    put('daily-oxygen-saturation', { date: civilDate('2026-11-19'), averagePercentage: 95 })
    put('daily-oxygen-saturation', { date: civilDate('2026-11-20'), averagePercentage: 96 })
    put('oxygen-saturation', { sampleTime: sampleTime(AT, 0), percentage: 97 })
    const { batches, records } = await pull('oxygen-saturation', { window: { from: NOW - 2 * DAY, to: NOW } })
    expect(rows(batches).map(row => row.value)).toEqual([97])
    expect(records.map(each => [each.id, each.isDeleted ?? false])).toEqual(
      expect.arrayContaining([
        ['daily-oxygen-saturation/2026-11-20', true],
        ['daily-oxygen-saturation/2026-11-19', false],
      ]),
    )
  })

  it('contain the source if the point does', async () => {
    const body = { sampleTime: sampleTime(AT), beatsPerMinute: '60' }
    put('heart-rate', body, { dataSource: { device: { formFactor: 'RING' } } })
    put('heart-rate', body, { dataSource: { device: { formFactor: 'WATCH' }, recordingMethod: 'MANUAL' } })
    expect(all(await pull('heart-rate')).map(row => row.series)).toEqual(['heartrate ring', 'heartrate app'])
  })

  it('are read despite nulls, and unmapped values are counted by name', async () => {
    put('heart-rate', { sampleTime: sampleTime(AT), beatsPerMinute: '60', metadata: { motionContext: 'ACTIVE' } })
    put('heart-rate', { sampleTime: sampleTime(AT), beatsPerMinute: null, novelty: [1], metadata: null })
    put('heart-rate', { sampleTime: null, beatsPerMinute: '60' })
    google.fail({
      path: /heart-rate/,
      body: {
        dataPoints: [
          null,
          3,
          { heartRate: null },
          ...(google.people.get('person-1')?.points['heart-rate'] ?? []).map(each => ({ heartRate: each.body })),
        ],
      },
    })
    const page = await pull('heart-rate')
    expect(all(page)).toHaveLength(1)
    expect(page.unmapped).toEqual({
      'heart-rate in an unknown form': 3,
      'heart-rate.metadata': 1,
      'heart-rate.novelty': 1,
      'heart-rate without a value': 1,
      'heart-rate without a time': 1,
    })
  })
})

describe('pages and windows', () => {
  it('continue after an empty page, and request the largest pages', async () => {
    google.people.set('person-1', busyPerson(NOW, 3))
    google.startsWithEmptyPage = true
    google.pageLimit = 7
    const page = await pull('heart-rate', { window: { from: NOW - 2 * DAY, to: NOW } })
    // 48 readings a day from 8:00 to 20:00: the afternoon, a whole day, and the morning
    expect(all(page)).toHaveLength(32 + 48 + 16)
    const asked = google.requests.filter(each => each.path.includes('heart-rate'))
    expect(asked.length).toBeGreaterThan(10)
    expect(asked[0]?.query.get('pageSize')).toBe('10000')
    expect(asked[0]?.query.get('dataSourceFamily')).toBe('users/me/dataSourceFamilies/all-sources')
    expect(asked[0]?.query.get('filter')).toBe(
      'heart_rate.sample_time.physical_time >= "2026-11-18T12:00:00.000Z" AND heart_rate.sample_time.physical_time < "2026-11-20T12:00:00.000Z"',
    )
  })

  it.each(['heart-rate', 'steps', 'sleep', 'exercise', 'body', 'respiratory-rate-sleep-summary'])(
    'of %s lose and repeat nothing at their boundaries',
    async collection => {
      const person = busyPerson(NOW, 12)
      google.people.set('person-1', person)
      // exactly at window boundaries, which already have heart rates
      for (let i = 1; i < 12; i++) {
        put(
          'exercise',
          { interval: interval(NOW - i * DAY, NOW - i * DAY + HOUR, 14 * 3600), exerciseType: 'RUNNING' },
          { id: `run-${i}` },
        )
        put('daily-respiratory-rate', {
          date: civilDate(new Date(NOW - i * DAY).toISOString().slice(0, 10)),
          breathsPerMinute: 15,
        })
      }
      const whole = await pull(collection, { window: { from: NOW - 13 * DAY, to: NOW } })
      const pages: PulledPage[] = []
      for (let i = 0; i < 13; i++) {
        pages.push(await pull(collection, { window: { from: NOW - (i + 1) * DAY, to: NOW - i * DAY } }))
      }
      const key = (row: { series: string; at: number }) => `${row.series} ${row.at}`
      const parts = pages.flatMap(page => rows(page.batches)).map(key)
      expect(new Set(parts).size).toBe(parts.length)
      expect(parts.sort()).toEqual(rows(whole.batches).map(key).sort())
      // a day of intervals may be read in two windows, completely each time; other records are read once
      const versions = new Map<string, string>()
      for (const record of pages.flatMap(page => page.records)) {
        const known = versions.get(record.id)
        expect(known).toBe(known && collection === 'steps' ? record.version : undefined)
        versions.set(record.id, record.version)
      }
      expect(Object.fromEntries(versions)).toEqual(
        Object.fromEntries(whole.records.map(each => [each.id, each.version])),
      )
      expect(whole.records.length + whole.batches.length).toBeGreaterThan(0)
    },
  )

  it('of intervals are whole days, which data from a late device replaces', async () => {
    put('steps', { interval: interval(AT, AT + 900_000), count: '300' })
    const [before] = (await pull('steps')).records.filter(each => !each.isDeleted)
    const person = google.people.get('person-1')
    if (person) person.points['steps'] = []
    put('steps', { interval: interval(AT + 60_000, AT + 120_000), count: '200' })
    const [after] = (await pull('steps')).records.filter(each => !each.isDeleted)
    expect(after?.id).toBe(before?.id)
    expect(after?.version).not.toBe(before?.version)
    expect(rows(after?.batches ?? []).map(row => row.value)).toEqual([200])
    if (person) person.points['steps'] = []
    expect((await pull('steps')).records.every(each => each.isDeleted)).toBe(true)
  })
})

describe('failures', () => {
  it('of an account that is not linked tell the person what to do', async () => {
    const person = google.people.get('person-1')
    if (person) person.isLinked = false
    await expect(connector.profile(openSession(google))).rejects.toThrow(/has no Google Health account/)
  })
})
