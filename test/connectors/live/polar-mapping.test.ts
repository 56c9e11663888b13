/** What becomes of Polar's records. The expected numbers and instants are computed by hand: UTC = local time − offset. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { openPolar, type PolarStandIn } from '../../providers/polar/polar.ts'
import {
  emptyPolarPerson,
  type PolarDated,
  type PolarExercise,
  type PolarPerson,
} from '../../providers/polar/polar-data.ts'
import { iso, personSession, plainSamples, pulled, recordsOf, summaryOf, unmappedOf } from './pulled-data.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const WINDOW = { from: NOW - 10 * 86_400_000, to: NOW }

let standIn: PolarStandIn
let person: PolarPerson

beforeAll(async () => {
  standIn = await openPolar({ now: () => NOW, perQuarter: 100_000 })
  atEndOfFile(() => standIn.close())
})

beforeEach(() => {
  person = emptyPolarPerson(7)
  standIn.people.set('person-1', person)
})

const pull = (collection: string, asked = {}, settings: Record<string, string> = {}) => {
  const session = personSession(standIn, polarConnector, { app: { settings } })
  return pulled(session, polarConnector, { collection, window: WINDOW, ...asked })
}

const EXERCISE: PolarExercise = {
  id: 'hAsHeD1',
  upload_time: '2026-11-19T16:00:00.000Z',
  polar_user: 'https://www.polaraccesslink.com/v3/users/7',
  device: 'Polar Vantage V3',
  start_time: '2026-11-19T17:30:00',
  start_time_utc_offset: 120,
  duration: 'PT1M',
  calories: 12,
  distance: 210.5,
  heart_rate: { average: 120, maximum: 140 },
  training_load: 1.5,
  sport: 'OTHER',
  detailed_sport_info: 'TREADMILL_RUNNING',
  has_route: true,
  'running-index': 51,
  heart_rate_zones: [
    { index: 1, lower_limit: 100, upper_limit: 120, in_zone: 'PT20S' },
    { index: 5, lower_limit: 160, upper_limit: 190, in_zone: 'PT10S' },
  ],
  samples: [
    { 'recording-rate': 10, 'sample-type': '0', data: '0,100,,null,140' },
    { recording_rate: 20, sample_type: '1', data: '0,9.0,18.0' },
    { recording_rate: 20, sample_type: '8', data: '80,81,82' },
    { recording_rate: 5, sample_type: '5', data: '1,2,3' },
    { recording_rate: null, sample_type: '11', data: '600,610' },
  ],
  route: [
    { latitude: 60.1, longitude: 24.1, time: 'PT0S' },
    { latitude: 60.2, longitude: 24.2, time: 'PT40S' },
  ],
}

describe('an exercise of Polar', () => {
  it('starts at its local time minus the offset', async () => {
    person.exercises = [EXERCISE]
    const [record] = recordsOf(await pull('exercises'))
    const summary = summaryOf(record, 'workouts')
    expect(iso(summary.at)).toBe('2026-11-19T15:30:00Z')
    expect(summary).toMatchObject({ provider: 'polar', sourceType: 'watch', date: '2026-11-19', offset: 7200 })
    expect(summary.document).toMatchObject({
      provider_id: 'hAsHeD1',
      title: 'Treadmill Running',
      sport: { slug: 'treadmill_running' },
      time_start: '2026-11-19T15:30:00+00:00',
      time_end: '2026-11-19T15:31:00+00:00',
      average_hr: 120,
      max_hr: 140,
      distance: 210.5,
      calories: 12,
      hr_zones: [0, 20, 0, 0, 0, 10],
      moving_time: 60,
      max_speed: 5,
    })
    expect(summary.document['map']).not.toBeNull()
  })

  it('brings its samples, without gaps and zeros', async () => {
    person.exercises = [EXERCISE]
    const [record] = recordsOf(await pull('exercises'))
    const common = { sourceType: 'watch', offset: 7200 }
    const whole = { ...common, start: '2026-11-19T15:30:00Z', end: '2026-11-19T15:31:00Z' }
    expect(plainSamples(record?.batches ?? [])).toEqual([
      { resource: 'workout_duration', ...whole, value: 1 },
      { resource: 'workout_distance', ...whole, value: 210.5 },
      { resource: 'heartrate', ...common, start: '2026-11-19T15:30:10Z', value: 100 },
      { resource: 'heartrate', ...common, start: '2026-11-19T15:30:40Z', value: 140 },
    ])
  })

  it('brings a stream with the values of one time in one point', async () => {
    person.exercises = [EXERCISE]
    const [record] = recordsOf(await pull('exercises'))
    const [stream] = record?.streams ?? []
    const columns = Object.fromEntries([...(stream?.columns ?? [])].map(([name, values]) => [name, [...values]]))
    const none = Number.NaN
    expect([...(stream?.time ?? [])].map(at => (at - Date.parse('2026-11-19T15:30:00Z')) / 1000)).toEqual([
      0, 10, 20, 40,
    ])
    expect(columns).toEqual({
      heartrate: [none, 100, none, 140],
      // 9 and 18 km/h ÷ 3.6
      velocity_smooth: [0, none, 2.5, 5],
      // strides × 2
      cadence: [160, none, 162, 164],
      lat: [60.1, none, none, 60.2],
      lng: [24.1, none, none, 24.2],
    })
    expect(stream).toMatchObject({ workoutId: summaryOf(record, 'workouts').id, providerId: 'hAsHeD1', n: 4 })
  })

  it('counts lists and fields that have no place', async () => {
    person.exercises = [EXERCISE]
    expect(unmappedOf(await pull('exercises'))).toEqual({
      'exercise.samples.5': 3,
      'exercise.samples.11': 2,
      'exercise.training_load': 1,
      'exercise.running_index': 1,
    })
  })

  it('comes by its upload, in one window only, even if it is from long ago', async () => {
    person.exercises = [{ ...EXERCISE, start_time: '2026-10-01T10:00:00', upload_time: iso(NOW - 3_600_000 * 30) }]
    const ids = async (from: number, to: number) =>
      recordsOf(await pull('exercises', { window: { from, to }, now: NOW })).map(each => each.id)
    const uploaded = NOW - 3_600_000 * 30
    expect(await ids(uploaded - 1000, uploaded)).toEqual([])
    expect(await ids(uploaded, uploaded + 1000)).toEqual(['hAsHeD1'])
  })

  it('is deleted if Polar no longer has it', async () => {
    expect(recordsOf(await pull('exercises', { recordId: 'gone' }))).toMatchObject([{ id: 'gone', isDeleted: true }])
  })

  it('without a length or a known sport is counted, and others stay', async () => {
    person.exercises = [
      { ...EXERCISE, id: 'a', duration: 'an hour' },
      { ...EXERCISE, id: 'b', detailed_sport_info: 'QUIDDITCH', device: 'Polar H10', samples: [], route: [] },
    ]
    const pages = await pull('exercises')
    expect(recordsOf(pages).map(each => [each.id, each.summaries[0]?.sourceType, each.streams.length])).toEqual([
      ['b', 'chest_strap', 0],
    ])
    expect(unmappedOf(pages)).toMatchObject({ 'exercise without id or times': 1, 'exercise.detailed_sport_info': 1 })
  })
})

describe('a day of activity at Polar', () => {
  const DAY: PolarDated = {
    date: '2026-11-18',
    start_time: '2026-11-18T00:00',
    end_time: '2026-11-18T23:59',
    active_duration: 'PT2H',
    calories: 2400,
    active_calories: 700,
    steps: 900,
    distance_from_steps: 640.5,
    samples: {
      date: '2026-11-18',
      steps: {
        interval_ms: 60_000,
        total_steps: 900,
        samples: [
          { steps: 400, timestamp: '2026-11-18T00:30:00' },
          { steps: 500, timestamp: '2026-11-18T23:30:00' },
        ],
      },
    },
  }

  it('is in the zone of the user if nothing tells another', async () => {
    person.activities = [DAY]
    const pages = await pull('activities', { timeZone: 'America/New_York' })
    const [record] = recordsOf(pages)
    expect(record?.id).toBe('2026-11-18')
    expect(summaryOf(record, 'activity')).toMatchObject({
      date: '2026-11-18',
      offset: -18_000,
      document: { steps: 900, distance: 640.5, calories_active: 700, calories_total: 2400, timezone_offset: -18_000 },
    })
    const whole = { sourceType: 'watch', start: '2026-11-18T05:00:00Z', end: '2026-11-19T05:00:00Z', offset: -18_000 }
    const minute = { resource: 'steps', sourceType: 'watch', offset: -18_000 }
    expect(plainSamples(record?.batches ?? [])).toEqual([
      { resource: 'distance', ...whole, value: 640.5 },
      { resource: 'calories_active', ...whole, value: 700 },
      { resource: 'calories_basal', ...whole, value: 1700 },
      { ...minute, start: '2026-11-18T05:30:00Z', end: '2026-11-18T05:31:00Z', value: 400 },
      { ...minute, start: '2026-11-19T04:30:00Z', end: '2026-11-19T04:31:00Z', value: 500 },
    ])
    expect(unmappedOf(pages)).toEqual({ 'activity.active_duration': 1 })
  })

  it('borrows the offset of an exercise near by', async () => {
    person.activities = [DAY]
    person.exercises = [{ ...EXERCISE, start_time: '2026-11-18T17:30:00' }]
    const [record] = recordsOf(await pull('activities', { timeZone: 'America/New_York' }))
    expect(summaryOf(record, 'activity')).toMatchObject({ date: '2026-11-18', offset: 7200 })
  })

  it('has an unknown offset where nobody knows it', async () => {
    person.activities = [DAY]
    const [record] = recordsOf(await pull('activities'))
    expect(summaryOf(record, 'activity')).toMatchObject({ date: '2026-11-18', offset: null })
    expect(plainSamples(record?.batches ?? [])[0]).toMatchObject({ start: '2026-11-18T00:00:00Z', offset: null })
  })

  it('is read in UTC if the setting says so', async () => {
    person.activities = [{ ...DAY, start_time: '2026-11-17T23:00', samples: null }]
    const asked = { timeZone: 'Europe/Berlin' }
    const [utc] = recordsOf(await pull('activities', asked, { activity_times: 'utc' }))
    expect(summaryOf(utc, 'activity')).toMatchObject({ date: '2026-11-18', offset: 3600 })
    const [local] = recordsOf(await pull('activities', asked))
    expect(summaryOf(local, 'activity')).toMatchObject({ date: '2026-11-17', offset: 3600 })
  })

  it('without intervals has its steps as one, and never a negative energy', async () => {
    person.activities = [{ ...DAY, samples: null, calories: 100 }]
    const samples = plainSamples(recordsOf(await pull('activities'))[0]?.batches ?? [])
    expect(samples.filter(each => each.resource === 'steps')).toMatchObject([
      { value: 900, end: '2026-11-19T00:00:00Z' },
    ])
    expect(samples.find(each => each.resource === 'calories_basal')?.value).toBe(0)
  })
})

describe('a night of Polar', () => {
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
    hypnogram: { '06:20': 5, '00:10': 3, '23:10': 0, '00:40': 2, '01:00': 4, '04:00': 1, '05:00': 9 },
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
    const pages = await pull('sleep')
    const [record] = recordsOf(pages)
    const summary = summaryOf(record, 'sleep')
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
    expect(plainSamples(record?.batches ?? [])).toEqual([
      // 23:15 is before midnight, and 00:05 after it
      { resource: 'heartrate', sourceType: 'watch', start: '2026-11-18T21:15:00Z', value: 58, offset: 7200 },
      { resource: 'heartrate', sourceType: 'watch', start: '2026-11-18T22:05:00Z', value: 49, offset: 7200 },
      { resource: 'hrv', ...end, value: 46 },
      { resource: 'respiratory_rate', ...end, value: 14.2 },
      { resource: 'body_temperature', ...end, value: 34.9, type: 'skin' },
      { resource: 'body_temperature_delta', ...end, value: -0.3, type: 'skin' },
    ])
    expect(unmappedOf(pages)).toEqual({
      'sleep.continuity': 1,
      'nightly_recharge.ans_charge': 1,
      'sleep.hypnogram': 1,
      heart_rate_samples: 1,
    })
  })

  it('has stages in order across midnight, from the start to the end', async () => {
    const [record] = recordsOf(await pull('sleep'))
    const { document } = summaryOf(record, 'sleep_cycle')
    // from 23:10:20: 00:10 is after 3580 s, 01:00 after 6580 s, 04:00 after 17,380 s, 06:20 after 25,780 s
    expect(document).toMatchObject({
      sleep_id: summaryOf(record, 'sleep').id,
      stage_start_offset_second: [0, 3580, 6580, 17_380, 25_780],
      stage_end_offset_second: [3580, 6580, 17_380, 25_780, 27_000],
      stage_type: [4, 2, 1, 3, -1],
    })
  })

  it('brings samples instead of the means where there are some', async () => {
    person.recharges = [
      {
        date: '2026-11-19',
        heart_rate_variability_avg: 46,
        breathing_rate_avg: 14.2,
        // before the sleep as it is stated
        hrv_samples: { '23:09': 40, '00:04': 52 },
        breathing_samples: { '23:14': 13.9 },
      },
    ]
    const samples = plainSamples(recordsOf(await pull('sleep'))[0]?.batches ?? [])
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

  it('without a sleep has what its recharge measured', async () => {
    person.nights = []
    person.recharges = [
      { date: '2026-11-19', heart_rate_variability_avg: 46, hrv_samples: { '23:30': 40, '01:30': 44 } },
    ]
    const [record] = recordsOf(await pull('sleep', { timeZone: 'Europe/Berlin' }))
    expect(record?.summaries).toEqual([])
    expect(plainSamples(record?.batches ?? []).map(each => each.start)).toEqual([
      '2026-11-18T22:30:00Z',
      '2026-11-19T00:30:00Z',
    ])
  })

  it('is the same whether it is listed or read alone', async () => {
    person.recharges = [{ date: '2026-11-19', heart_rate_variability_avg: 46 }]
    person.skinTemperatures = [{ sleep_date: '2026-11-19', sleep_time_skin_temperature_celsius: 34.9 }]
    const listed = recordsOf(await pull('sleep'))
    expect(recordsOf(await pull('sleep', { recordId: '2026-11-19' }))).toEqual(listed)
    expect(recordsOf(await pull('sleep', { recordId: '2026-11-15' }))).toMatchObject([{ isDeleted: true }])
  })
})

describe('other data of Polar', () => {
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
    const pages = await pull('continuous_heart_rate', { timeZone: 'Europe/Berlin' })
    expect(plainSamples(recordsOf(pages)[0]?.batches ?? [])).toEqual([
      { resource: 'heartrate', sourceType: 'watch', start: '2026-11-17T18:32:08Z', value: 63, offset: 19_800 },
    ])
    expect(unmappedOf(pages)).toEqual({ 'continuous_heart_rate.heart_rate_samples': 2 })
    const [utc] = recordsOf(await pull('continuous_heart_rate', {}, { heart_rate_times: 'utc' }))
    expect(plainSamples(utc?.batches ?? [])).toMatchObject([{ start: '2026-11-18T00:02:08Z', offset: 19_800 }])
  })

  it('has blood oxygen of tests that passed', async () => {
    const test = { source_device_id: 'x', test_time: 1_763_400_000, time_zone_offset: 60, blood_oxygen_percent: 97 }
    person.spo2 = [
      { ...test, test_status: 'SPO2_TEST_PASSED', average_heart_rate_bpm: 60 },
      { ...test, test_time: 1_763_400_100, test_status: 'SPO2_TEST_FAILED' },
    ]
    const pages = await pull('spo2')
    expect(plainSamples(pages[0]?.batches ?? [])).toEqual([
      { resource: 'blood_oxygen', sourceType: 'watch', start: '2025-11-17T17:20:00Z', value: 97, offset: 3600 },
    ])
    expect(unmappedOf(pages)).toEqual({ 'spo2.test_status': 1, 'spo2.average_heart_rate_bpm': 1 })
  })

  it('has temperatures at a distance from the start', async () => {
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
    const pages = await pull('body_temperature', { timeZone: 'Europe/Berlin' })
    const common = { resource: 'body_temperature', sourceType: 'watch', offset: 3600, type: 'skin' }
    expect(plainSamples(pages[0]?.batches ?? [])).toEqual([
      { ...common, start: '2026-11-18T21:00:00Z', value: 34.5 },
      { ...common, start: '2026-11-18T21:01:00Z', value: 34.7 },
    ])
  })

  it('has the person, and a weight that is only new when it was modified', async () => {
    const info = {
      weight: 71.5,
      height: 172,
      birthday: '1990-05-17',
      gender: 'FEMALE',
      vo2_max: 47,
      resting_heart_rate: 50,
    }
    person.physicalInfo = { ...info, modified: '2026-11-10T10:00:00Z' }
    const pages = await pull('physical_info')
    const [profile, measured] = recordsOf(pages)
    expect(summaryOf(profile, 'profile').document).toEqual({
      height: 172,
      birth_date: '1990-05-17',
      wheelchair_use: null,
      gender: 'female',
      sex: 'female',
    })
    expect(summaryOf(measured, 'body').document).toMatchObject({ weight: 71.5, calendar_date: '2026-11-10' })
    const at = { sourceType: 'app', start: '2026-11-10T10:00:00Z', offset: null }
    expect(plainSamples(measured?.batches ?? [])).toEqual([
      { resource: 'body_weight', ...at, value: 71.5 },
      { resource: 'vo2_max', ...at, value: 47 },
    ])
    expect(unmappedOf(pages)).toEqual({ 'physical_info.resting_heart_rate': 1 })
    const later = recordsOf(await pull('physical_info', { now: NOW + 86_400_000 }))
    expect(later).toEqual([profile, measured])
  })
})
