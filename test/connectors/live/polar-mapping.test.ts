/** The mapping of Polar's exercises and days. The expected numbers and instants are computed by hand: UTC = local time − offset. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type FakePolar, openPolar } from '../../providers/polar/polar.ts'
import {
  emptyPolarPerson,
  type PolarDated,
  type PolarExercise,
  type PolarPerson,
} from '../../providers/polar/polar-data.ts'
import { findSummary, iso, personSession, pull, shownSamples } from './pulled.ts'

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

describe('a Polar exercise', () => {
  it('starts at its local time minus the offset', async () => {
    person.exercises = [EXERCISE]
    const [record] = (await pulled('exercises')).records
    const summary = findSummary(record, 'workouts')
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

  it('provides its samples, without gaps and zeros', async () => {
    person.exercises = [EXERCISE]
    const [record] = (await pulled('exercises')).records
    const text = { workout_id: findSummary(record, 'workouts').id, sport: 'treadmill_running' }
    const common = { sourceType: 'watch', offset: 7200, text }
    const whole = { ...common, start: '2026-11-19T15:30:00Z', end: '2026-11-19T15:31:00Z' }
    expect(shownSamples(record?.batches ?? [])).toEqual([
      { resource: 'workout_duration', ...whole, value: 1 },
      { resource: 'workout_distance', ...whole, value: 210.5 },
      { resource: 'heartrate', ...common, start: '2026-11-19T15:30:10Z', value: 100 },
      { resource: 'heartrate', ...common, start: '2026-11-19T15:30:40Z', value: 140 },
    ])
  })

  it('provides a stream with the values of each time in one point', async () => {
    person.exercises = [EXERCISE]
    const [record] = (await pulled('exercises')).records
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
    expect(stream).toMatchObject({ workoutId: findSummary(record, 'workouts').id, providerId: 'hAsHeD1', n: 4 })
  })

  it('counts unmapped lists and fields', async () => {
    person.exercises = [EXERCISE]
    expect((await pulled('exercises')).unmapped).toEqual({
      'exercise.samples.5': 3,
      'exercise.samples.11': 2,
      'exercise.training_load': 1,
      'exercise.running_index': 1,
    })
  })

  it('is found by its upload time, in one window only, even if it is old', async () => {
    person.exercises = [{ ...EXERCISE, start_time: '2026-10-01T10:00:00', upload_time: iso(NOW - 3_600_000 * 30) }]
    const ids = async (from: number, to: number) =>
      (await pulled('exercises', { window: { from, to }, now: NOW })).records.map(each => each.id)
    const uploaded = NOW - 3_600_000 * 30
    expect(await ids(uploaded - 1000, uploaded)).toEqual([])
    expect(await ids(uploaded, uploaded + 1000)).toEqual(['hAsHeD1'])
  })

  it('is deleted if Polar no longer has it', async () => {
    expect((await pulled('exercises', { recordId: 'gone' })).records).toMatchObject([{ id: 'gone', isDeleted: true }])
  })

  it('without a duration or a known sport is counted, and the others are kept', async () => {
    person.exercises = [
      { ...EXERCISE, id: 'a', duration: 'an hour' },
      { ...EXERCISE, id: 'b', detailed_sport_info: 'QUIDDITCH', device: 'Polar H10', samples: [], route: [] },
    ]
    const found = await pulled('exercises')
    expect(found.records.map(each => [each.id, each.summaries[0]?.sourceType, each.streams.length])).toEqual([
      ['b', 'chest_strap', 0],
    ])
    expect(found.unmapped).toMatchObject({ 'exercise without id or times': 1, 'exercise.detailed_sport_info': 1 })
  })
})

describe('a Polar activity day', () => {
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

  it('is in the user’s time zone if no other is known', async () => {
    person.activities = [DAY]
    const found = await pulled('activities', { timeZone: 'America/New_York' })
    const [record] = found.records
    expect(record?.id).toBe('2026-11-18')
    expect(findSummary(record, 'activity')).toMatchObject({
      date: '2026-11-18',
      offset: -18_000,
      document: { steps: 900, distance: 640.5, calories_active: 700, calories_total: 2400, timezone_offset: -18_000 },
    })
    const whole = { sourceType: 'watch', start: '2026-11-18T05:00:00Z', end: '2026-11-19T05:00:00Z', offset: -18_000 }
    const minute = { resource: 'steps', sourceType: 'watch', offset: -18_000 }
    expect(shownSamples(record?.batches ?? [])).toEqual([
      { resource: 'distance', ...whole, value: 640.5 },
      { resource: 'calories_active', ...whole, value: 700 },
      { resource: 'calories_basal', ...whole, value: 1700 },
      { ...minute, start: '2026-11-18T05:30:00Z', end: '2026-11-18T05:31:00Z', value: 400 },
      { ...minute, start: '2026-11-19T04:30:00Z', end: '2026-11-19T04:31:00Z', value: 500 },
    ])
    expect(found.unmapped).toEqual({ 'activity.active_duration': 1 })
  })

  it('uses the offset of a nearby exercise', async () => {
    person.activities = [DAY]
    person.exercises = [{ ...EXERCISE, start_time: '2026-11-18T17:30:00' }]
    const [record] = (await pulled('activities', { timeZone: 'America/New_York' })).records
    expect(findSummary(record, 'activity')).toMatchObject({ date: '2026-11-18', offset: 7200 })
  })

  it('has an unknown offset if none can be determined', async () => {
    person.activities = [DAY]
    const [record] = (await pulled('activities')).records
    expect(findSummary(record, 'activity')).toMatchObject({ date: '2026-11-18', offset: null })
    expect(shownSamples(record?.batches ?? [])[0]).toMatchObject({ start: '2026-11-18T00:00:00Z', offset: null })
  })

  it('is read in UTC if the setting says so', async () => {
    person.activities = [{ ...DAY, start_time: '2026-11-17T23:00', samples: null }]
    const asked = { timeZone: 'Europe/Berlin' }
    const [utc] = (await pulled('activities', asked, { activity_times: 'utc' })).records
    expect(findSummary(utc, 'activity')).toMatchObject({ date: '2026-11-18', offset: 3600 })
    const [local] = (await pulled('activities', asked)).records
    expect(findSummary(local, 'activity')).toMatchObject({ date: '2026-11-17', offset: 3600 })
  })

  it('without intervals has its steps as one sample, and never negative energy', async () => {
    person.activities = [{ ...DAY, samples: null, calories: 100 }]
    const samples = shownSamples((await pulled('activities')).records[0]?.batches ?? [])
    expect(samples.filter(each => each.resource === 'steps')).toMatchObject([
      { value: 900, end: '2026-11-19T00:00:00Z' },
    ])
    expect(samples.find(each => each.resource === 'calories_basal')?.value).toBe(0)
  })
})
