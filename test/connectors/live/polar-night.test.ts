/** The mapping of Polar's nights, heart rates, measurements and profile. The expected numbers and instants are computed by hand. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type FakePolar, openPolar } from '../../providers/polar/polar.ts'
import { emptyPolarPerson, type PolarDated, type PolarPerson } from '../../providers/polar/polar-data.ts'
import { findSummary, personSession, pull, shownSamples } from './pulled.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const WINDOW = { from: NOW - 10 * 86_400_000, to: NOW }

let fake: FakePolar
let person: PolarPerson

beforeAll(async () => {
  fake = await openPolar({ now: () => NOW, perQuarter: 100_000 })
  atEndOfFile(() => fake.close())
})

beforeEach(() => {
  person = emptyPolarPerson(7)
  fake.people.set('person-1', person)
})

const pulled = (collection: string, asked = {}, settings: Record<string, string> = {}) => {
  const session = personSession(fake, polarConnector, { app: { settings } })
  return pull(polarConnector, session, { collection, window: WINDOW, ...asked })
}

describe('a Polar night', () => {
  const NIGHT: PolarDated = {
    date: '2026-11-19',
    sleep_start_time: '2026-11-18T23:10:20+02:00',
    sleep_end_time: '2026-11-19T06:40:20+02:00',
    light_sleep: 14_400,
    deep_sleep: 5400,
    rem_sleep: 3600,
    unrecognized_sleep_stage: 900,
    total_interruption_duration: 1800,
    sleep_score: 81,
    continuity: 3.1,
    hypnogram: {
      '05:10': 'constructor',
      '06:20': 5,
      '00:10': 3,
      '23:10': 0,
      '00:40': 2,
      '01:00': 4,
      '04:00': 1,
      '05:00': 9,
    },
    heart_rate_samples: { '23:15': 58, '00:05': 49, '06:30': 0 },
  }

  beforeEach(() => {
    person.nights = [NIGHT]
  })

  it('is a sleep with its recharge and skin temperature', async () => {
    person.recharges = [
      { date: '2026-11-19', heart_rate_variability_avg: 46, breathing_rate_avg: 14.2, ans_charge: -1.5 },
    ]
    person.skinTemperatures = [
      { sleep_date: '2026-11-19', sleep_time_skin_temperature_celsius: 34.9, deviation_from_baseline_celsius: -0.3 },
    ]
    const found = await pulled('sleep')
    const [record] = found.records
    const summary = findSummary(record, 'sleep')
    expect(summary).toMatchObject({ date: '2026-11-19', offset: 7200, at: Date.parse('2026-11-19T04:40:20Z') })
    expect(summary.document).toMatchObject({
      bedtime_start: '2026-11-18T21:10:20+00:00',
      bedtime_stop: '2026-11-19T04:40:20+00:00',
      type: 'long_sleep',
      duration: 27_000,
      light: 14_400,
      deep: 5400,
      rem: 3600,
      awake: 1800,
      total: 24_300,
      // 24,300 ÷ 27,000
      efficiency: 90,
      score: 81,
      average_hrv: 46,
      respiratory_rate: 14.2,
      skin_temperature: 34.9,
      temperature_delta: -0.3,
    })
    const end = { sourceType: 'watch', start: '2026-11-19T04:40:20Z', offset: 7200 }
    expect(shownSamples(record?.batches ?? [])).toEqual([
      // 23:15 is before midnight, and 00:05 after it
      { resource: 'heartrate', sourceType: 'watch', start: '2026-11-18T21:15:00Z', value: 58, offset: 7200 },
      { resource: 'heartrate', sourceType: 'watch', start: '2026-11-18T22:05:00Z', value: 49, offset: 7200 },
      { resource: 'hrv', ...end, value: 46, text: { type: 'night' } },
      { resource: 'respiratory_rate', ...end, value: 14.2 },
      { resource: 'body_temperature', ...end, value: 34.9, text: { type: 'skin' } },
      { resource: 'body_temperature_delta', ...end, value: -0.3, text: { type: 'skin' } },
    ])
    expect(found.unmapped).toEqual({
      'sleep.continuity': 1,
      'nightly_recharge.ans_charge': 1,
      'sleep.hypnogram': 2,
      heart_rate_samples: 1,
    })
  })

  it('has stages in order across midnight, from the start to the end', async () => {
    const [record] = (await pulled('sleep')).records
    const { document } = findSummary(record, 'sleep_cycle')
    // from 23:10:20: 00:10 is after 3580 s, 01:00 after 6580 s, 04:00 after 17,380 s, 06:20 after 25,780 s
    expect(document).toMatchObject({
      sleep_id: findSummary(record, 'sleep').id,
      stage_start_offset_second: [0, 3580, 6580, 17_380, 25_780],
      stage_end_offset_second: [3580, 6580, 17_380, 25_780, 27_000],
      stage_type: [4, 2, 1, 3, -1],
    })
  })

  it('provides samples instead of means if there are any', async () => {
    person.recharges = [
      {
        date: '2026-11-19',
        heart_rate_variability_avg: 46,
        breathing_rate_avg: 14.2,
        // before the stated sleep
        hrv_samples: { '23:09': 40, '00:04': 52 },
        breathing_samples: { '23:14': 13.9 },
      },
    ]
    const samples = shownSamples((await pulled('sleep')).records[0]?.batches ?? [])
    expect(
      samples
        .filter(each => each.resource !== 'heartrate')
        .map(({ resource, start, value }) => [resource, start, value]),
    ).toEqual([
      ['hrv', '2026-11-18T21:09:00Z', 40],
      ['hrv', '2026-11-18T22:04:00Z', 52],
      ['respiratory_rate', '2026-11-18T21:14:00Z', 13.9],
    ])
  })

  it('without a sleep has the values of its recharge', async () => {
    person.nights = []
    person.recharges = [
      { date: '2026-11-19', heart_rate_variability_avg: 46, hrv_samples: { '23:30': 40, '01:30': 44 } },
    ]
    const [record] = (await pulled('sleep', { timeZone: 'Europe/Berlin' })).records
    expect(record?.summaries).toEqual([])
    expect(shownSamples(record?.batches ?? []).map(each => each.start)).toEqual([
      '2026-11-18T22:30:00Z',
      '2026-11-19T00:30:00Z',
    ])
  })

  it('is the same whether it is listed or read alone', async () => {
    person.recharges = [{ date: '2026-11-19', heart_rate_variability_avg: 46 }]
    person.skinTemperatures = [{ sleep_date: '2026-11-19', sleep_time_skin_temperature_celsius: 34.9 }]
    const listed = (await pulled('sleep')).records
    expect((await pulled('sleep', { recordId: '2026-11-19' })).records).toEqual(listed)
    expect((await pulled('sleep', { recordId: '2026-11-15' })).records).toMatchObject([{ isDeleted: true }])
  })
})

describe('other Polar data', () => {
  it('has a heart rate with the offset of the nearest night', async () => {
    person.heartRates = [
      {
        date: '2026-11-18',
        heart_rate_samples: [
          { heart_rate: 63, sample_time: '00:02:08' },
          { heart_rate: 0, sample_time: '00:07:08' },
          { heart_rate: 61, sample_time: '25:00:00' },
        ],
      },
    ]
    person.nights = [
      {
        date: '2026-11-18',
        sleep_start_time: '2026-11-17T22:00:00+05:30',
        sleep_end_time: '2026-11-18T05:00:00+05:30',
      },
    ]
    const found = await pulled('continuous_heart_rate', { timeZone: 'Europe/Berlin' })
    expect(shownSamples(found.records[0]?.batches ?? [])).toEqual([
      { resource: 'heartrate', sourceType: 'watch', start: '2026-11-17T18:32:08Z', value: 63, offset: 19_800 },
    ])
    expect(found.unmapped).toEqual({ 'continuous_heart_rate.heart_rate_samples': 2 })
    const [utc] = (await pulled('continuous_heart_rate', {}, { heart_rate_times: 'utc' })).records
    expect(shownSamples(utc?.batches ?? [])).toMatchObject([{ start: '2026-11-18T00:02:08Z', offset: 19_800 }])
  })

  it('has blood oxygen from tests that passed', async () => {
    const test = { source_device_id: 'x', test_time: 1_763_400_000, time_zone_offset: 60, blood_oxygen_percent: 97 }
    person.spo2 = [
      { ...test, test_status: 'SPO2_TEST_PASSED', average_heart_rate_bpm: 60 },
      { ...test, test_time: 1_763_400_100, test_status: 'SPO2_TEST_FAILED' },
    ]
    const found = await pulled('spo2')
    expect(shownSamples(found.pages[0]?.batches ?? [])).toEqual([
      { resource: 'blood_oxygen', sourceType: 'watch', start: '2025-11-17T17:20:00Z', value: 97, offset: 3600 },
    ])
    expect(found.unmapped).toEqual({ 'spo2.test_status': 1, 'spo2.average_heart_rate_bpm': 1 })
  })

  it('has temperatures at offsets from the start', async () => {
    person.bodyTemperatures = [
      {
        measurement_type: 'TM_SKIN_TEMPERATURE',
        start_time: '2026-11-18T22:00:00',
        samples: [
          { temperature_celsius: 34.5, recording_time_delta_milliseconds: 0 },
          { temperature_celsius: 34.7, recording_time_delta_milliseconds: 60_000 },
          { temperature_celsius: null, recording_time_delta_milliseconds: 120_000 },
        ],
      },
    ]
    const found = await pulled('body_temperature', { timeZone: 'Europe/Berlin' })
    const common = { resource: 'body_temperature', sourceType: 'watch', offset: 3600, text: { type: 'skin' } }
    expect(shownSamples(found.pages[0]?.batches ?? [])).toEqual([
      { ...common, start: '2026-11-18T22:00:00Z', value: 34.5 },
      { ...common, start: '2026-11-18T22:01:00Z', value: 34.7 },
    ])
  })

  it('has the person, and a weight that is new only after it was modified', async () => {
    const info = {
      weight: 71.5,
      height: 172,
      birthday: '1990-05-17',
      gender: 'FEMALE',
      vo2_max: 47,
      resting_heart_rate: 50,
    }
    person.physicalInfo = { ...info, modified: '2026-11-10T10:00:00Z' }
    const found = await pulled('physical_info')
    const [profile, measured] = found.records
    expect(findSummary(profile, 'profile').document).toEqual({
      height: 172,
      birth_date: '1990-05-17',
      wheelchair_use: null,
      gender: 'female',
      sex: 'female',
    })
    expect(findSummary(measured, 'body').document).toMatchObject({ weight: 71.5, calendar_date: '2026-11-10' })
    const at = { sourceType: 'app', start: '2026-11-10T10:00:00Z', offset: null }
    expect(shownSamples(measured?.batches ?? [])).toEqual([
      { resource: 'body_weight', ...at, value: 71.5 },
      { resource: 'vo2_max', ...at, value: 47 },
    ])
    expect(found.unmapped).toEqual({})
    const later = (await pulled('physical_info', { now: NOW + 86_400_000 })).records
    expect(later).toEqual([profile, measured])
  })
})
