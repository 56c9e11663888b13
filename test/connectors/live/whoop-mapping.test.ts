/** The mapping of WHOOP's records. The expected numbers are computed by hand: kJ ÷ 4.184, ms ÷ 1000, m × 100. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { whoopConnector } from '../../../src/connectors/live/whoop/connector.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type FakeWhoop, openWhoop } from '../../providers/whoop/whoop.ts'
import { emptyWhoopPerson, type WhoopPerson } from '../../providers/whoop/whoop-data.ts'
import { findSummary, personSession, pull, shownSamples } from './pulled.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const WINDOW = { from: NOW - 10 * 86_400_000, to: NOW }
const SLEEP_ID = 'aaaaaaaa-0000-4000-8000-000000000001'
const WORKOUT_ID = 'bbbbbbbb-0000-4000-8000-000000000001'

let fake: FakeWhoop
let person: WhoopPerson

beforeAll(async () => {
  fake = await openWhoop({ now: () => NOW, perMinute: 10_000 })
  atEndOfFile(() => fake.close())
})

beforeEach(() => {
  person = emptyWhoopPerson(7)
  fake.people.set('person-1', person)
})

const pulled = (collection: string, options: Parameters<typeof personSession>[2] = {}, asked = {}) =>
  pull(whoopConnector, personSession(fake, whoopConnector, options), { collection, window: WINDOW, ...asked })

function addNight(): void {
  person.cycles = [
    {
      id: 501,
      user_id: 7,
      created_at: '2026-11-19T06:00:00.000Z',
      updated_at: '2026-11-19T06:00:00.000Z',
      start: '2026-11-18T22:10:00.000Z',
      timezone_offset: '+01:00',
      score_state: 'SCORED',
      score: { strain: 12.4, kilojoule: 8368, average_heart_rate: 71, max_heart_rate: 160 },
    },
  ]
  person.sleeps = [
    {
      id: SLEEP_ID,
      v1_id: 93845,
      user_id: 7,
      cycle_id: 501,
      created_at: '2026-11-19T06:00:00.000Z',
      updated_at: '2026-11-19T06:00:00.000Z',
      start: '2026-11-18T22:10:00.500Z',
      end: '2026-11-19T05:40:00.500Z',
      timezone_offset: '+01:00',
      nap: false,
      score_state: 'SCORED',
      score: {
        stage_summary: {
          total_in_bed_time_milli: 27_000_000,
          total_awake_time_milli: 1_403_507,
          total_no_data_time_milli: 0,
          total_light_sleep_time_milli: 14_905_851,
          total_slow_wave_sleep_time_milli: 6_630_370,
          total_rem_sleep_time_milli: 5_879_573,
          sleep_cycle_count: 3,
          disturbance_count: 12,
        },
        sleep_needed: { baseline_milli: 27_395_716, need_from_sleep_debt_milli: 352_230 },
        respiratory_rate: 16.113,
        sleep_performance_percentage: 98,
        sleep_consistency_percentage: 90,
        sleep_efficiency_percentage: 91.69,
      },
    },
  ]
  person.recoveries = [
    {
      cycle_id: 501,
      sleep_id: SLEEP_ID,
      user_id: 7,
      created_at: '2026-11-19T06:00:00.000Z',
      updated_at: '2026-11-19T06:00:00.000Z',
      score_state: 'SCORED',
      score: {
        user_calibrating: false,
        recovery_score: 44,
        resting_heart_rate: 64,
        hrv_rmssd_milli: 31.813,
        spo2_percentage: 95.6875,
        skin_temp_celsius: 33.7,
      },
    },
  ]
}

describe('a WHOOP night', () => {
  beforeEach(addNight)

  it('is one sleep summary with the values of its recovery', async () => {
    const [record] = (await pulled('sleep')).records
    const summary = findSummary(record, 'sleep')
    expect(record?.id).toBe(SLEEP_ID)
    expect(summary).toMatchObject({ provider: 'whoop_v2', sourceType: 'watch', date: '2026-11-19', offset: 3600 })
    expect(summary.at).toBe(Date.parse('2026-11-19T05:40:00.500Z'))
    expect(summary.document).toMatchObject({
      bedtime_start: '2026-11-18T22:10:00.500+00:00',
      bedtime_stop: '2026-11-19T05:40:00.500+00:00',
      type: 'long_sleep',
      timezone_offset: 3600,
      duration: 27_000,
      awake: 1403.507,
      light: 14_905.851,
      deep: 6630.37,
      rem: 5879.573,
      score: 98,
      efficiency: 91.69,
      respiratory_rate: 16.113,
      average_hrv: 31.813,
      hr_resting: 64,
      skin_temperature: 33.7,
      recovery_readiness_score: 44,
      state: 'confirmed',
    })
    expect(summary.document['total']).toBeCloseTo(27_415.794, 6)
    expect(record?.summaries.map(each => each.kind)).toEqual(['sleep'])
  })

  it('provides samples at the end of the sleep, with their type', async () => {
    const [record] = (await pulled('sleep')).records
    const at = { sourceType: 'watch', start: '2026-11-19T05:40:00.500Z', offset: 3600 }
    expect(shownSamples(record?.batches ?? [])).toEqual([
      { resource: 'respiratory_rate', ...at, value: 16.113 },
      { resource: 'hrv', ...at, value: 31.813 },
      { resource: 'heartrate', ...at, value: 64, text: { type: 'resting' } },
      { resource: 'blood_oxygen', ...at, value: 95.6875 },
      { resource: 'body_temperature', ...at, value: 33.7, text: { type: 'skin' } },
    ])
  })

  it('counts unmapped values by WHOOP’s name for them', async () => {
    Object.assign(person.sleeps[0] ?? {}, {
      brand_new: { deep: { er: 1 } },
      'with spaces and a lot of text': 5,
      none: null,
    })
    expect((await pulled('sleep')).unmapped).toEqual({
      'sleep.score.stage_summary.total_no_data_time_milli': 1,
      'sleep.score.stage_summary.sleep_cycle_count': 1,
      'sleep.score.stage_summary.disturbance_count': 1,
      'sleep.score.sleep_needed.baseline_milli': 1,
      'sleep.score.sleep_needed.need_from_sleep_debt_milli': 1,
      'sleep.score.sleep_consistency_percentage': 1,
      'sleep.brand_new.deep.er': 1,
      'sleep (others)': 1,
      'recovery.score.user_calibrating': 1,
    })
  })

  it('is stored without a score while the score is pending, and again when it is available', async () => {
    const [complete] = person.sleeps
    const pending = { ...complete, score_state: 'PENDING_SCORE', score: undefined } as unknown as NonNullable<
      typeof complete
    >
    person.sleeps = [pending]
    person.recoveries = []
    const [shell] = (await pulled('sleep')).records
    expect(findSummary(shell, 'sleep').document).toMatchObject({
      state: 'tentative',
      total: 0,
      score: null,
      duration: 27_000,
    })
    expect(shell?.batches).toEqual([])
    person.sleeps = complete ? [complete] : []
    const [scored] = (await pulled('sleep')).records
    expect(scored?.id).toBe(shell?.id)
    expect(scored?.version).not.toBe(shell?.version)
    expect(findSummary(scored, 'sleep').id).toBe(findSummary(shell, 'sleep').id)
  })

  it('changes its version if only the recovery changes, and not without a change', async () => {
    const version = async () => (await pulled('sleep')).records[0]?.version
    const before = await version()
    expect(await version()).toBe(before)
    person.recoveries = person.recoveries.map(each => ({ ...each, updated_at: '2026-11-20T00:00:00Z' }))
    expect(await version()).not.toBe(before)
  })

  it('has the same version when it is read separately', async () => {
    const [listed] = (await pulled('sleep')).records
    const [alone] = (await pulled('sleep', {}, { recordId: SLEEP_ID })).records
    expect(alone).toEqual(listed)
  })

  it('leaves out the recovery if its scope was not granted', async () => {
    const [record] = (await pulled('sleep', { scopes: ['read:sleep'] })).records
    expect(findSummary(record, 'sleep').document['average_hrv']).toBeNull()
    expect(fake.requests.some(each => each.tokenSet?.scopes.length === 1 && each.path === '/v2/recovery')).toBe(false)
  })

  it('leaves out resources that were not requested', async () => {
    const [record] = (await pulled('sleep', {}, { resources: ['hrv'] })).records
    expect(record?.summaries).toEqual([])
    expect(shownSamples(record?.batches ?? []).map(each => each.resource)).toEqual(['hrv'])
  })

  it('recognizes a nap, and treats null as no value', async () => {
    const [sleep] = person.sleeps
    person.sleeps = [{ ...sleep, nap: true, score: { respiratory_rate: null } } as unknown as NonNullable<typeof sleep>]
    person.recoveries = []
    const [record] = (await pulled('sleep')).records
    expect(findSummary(record, 'sleep').document).toMatchObject({
      type: 'acknowledged_nap',
      respiratory_rate: null,
      total: 0,
    })
  })
})

describe('a WHOOP cycle', () => {
  beforeEach(addNight)

  it('is the activity of the day of waking up, with its energy but no samples', async () => {
    const [record] = (await pulled('cycle')).records
    const { document, date, at, offset } = findSummary(record, 'activity')
    expect({ date, at, offset }).toEqual({ date: '2026-11-19', at: Date.parse('2026-11-19T00:00:00Z'), offset: 3600 })
    // 8368 kJ ÷ 4.184
    expect(document).toMatchObject({ calories_total: 2000, calories_active: null, steps: null })
    expect(document['heart_rate']).toEqual({
      avg_bpm: 71,
      max_bpm: 160,
      min_bpm: null,
      resting_bpm: null,
      avg_walking_bpm: null,
    })
    expect(record?.batches).toEqual([])
  })

  it('has the date half a day after its start if there is no sleep', async () => {
    person.sleeps = []
    const dates = (await pulled('cycle')).records.map(each => each.summaries[0]?.date)
    expect(dates).toEqual(['2026-11-19'])
  })

  it('has the same date in every window that it overlaps', async () => {
    const [cycle] = person.cycles
    person.cycles = [{ ...cycle, end: '2026-11-23T00:00:00Z' } as NonNullable<typeof cycle>]
    // four days after the sleep at its start
    const later = { from: Date.parse('2026-11-22T12:00:00Z'), to: Date.parse('2026-11-24T00:00:00Z') }
    const [early] = (await pulled('cycle')).records
    const [late] = (await pulled('cycle', {}, { window: later })).records
    expect(late).toEqual(early)
  })
})

describe('a WHOOP workout', () => {
  it('is a summary with samples of its duration and distance', async () => {
    person.workouts = [
      {
        id: WORKOUT_ID,
        v1_id: 1043,
        user_id: 7,
        start: '2026-11-19T16:00:00.000Z',
        end: '2026-11-19T17:30:00.000Z',
        timezone_offset: '-05:00',
        sport_name: 'functional-fitness',
        sport_id: 48,
        score_state: 'SCORED',
        score: {
          strain: 8.2463,
          average_heart_rate: 123,
          max_heart_rate: 146,
          kilojoule: 1569.34033203125,
          percent_recorded: 100,
          distance_meter: 1772.77035916,
          altitude_gain_meter: 46.64384460449,
          altitude_change_meter: -0.781372010707855,
          zone_durations: {
            zone_zero_milli: 300_000,
            zone_one_milli: 600_000,
            zone_two_milli: 900_000,
            zone_three_milli: 900_000,
            zone_four_milli: 600_000,
            zone_five_milli: 300_000,
          },
        },
      },
    ]
    const found = await pulled('workout')
    const [record] = found.records
    const summary = findSummary(record, 'workouts')
    expect(summary).toMatchObject({ date: '2026-11-19', offset: -18_000, at: Date.parse('2026-11-19T16:00:00Z') })
    expect(summary.document).toMatchObject({
      provider_id: WORKOUT_ID,
      sport: { slug: 'functional_strength_training' },
      time_start: '2026-11-19T16:00:00+00:00',
      time_end: '2026-11-19T17:30:00+00:00',
      average_hr: 123,
      max_hr: 146,
      // 1569.34 kJ ÷ 4.184 = 375.08
      calories: 375.1,
      distance: 1772.77,
      moving_time: 5400,
      total_elevation_gain: 46.6,
      hr_zones: [300, 600, 900, 900, 600, 300],
    })
    const text = { workout_id: summary.id, sport: 'functional_strength_training' }
    const when = { start: '2026-11-19T16:00:00Z', end: '2026-11-19T17:30:00Z', offset: -18_000 }
    const span = { sourceType: 'watch', ...when, text }
    expect(shownSamples(record?.batches ?? [])).toEqual([
      { resource: 'workout_duration', ...span, value: 90 },
      { resource: 'workout_distance', ...span, value: 1772.77 },
    ])
    expect(record?.streams).toEqual([])
    expect(found.unmapped).toEqual({
      'workout.score.strain': 1,
      'workout.score.percent_recorded': 1,
      'workout.score.altitude_change_meter': 1,
    })
  })

  it('without a score or a known sport keeps its times', async () => {
    person.workouts = [
      {
        id: WORKOUT_ID,
        start: '2026-11-19T16:00:00Z',
        end: '2026-11-19T16:30:00Z',
        sport_name: 'chess-boxing',
        score_state: 'UNSCORABLE',
      },
    ]
    const found = await pulled('workout')
    const [record] = found.records
    expect(findSummary(record, 'workouts')).toMatchObject({
      offset: null,
      document: { sport: { slug: 'other' }, calories: null },
    })
    expect(found.unmapped).toEqual({ 'workout.sport_name': 1 })
  })
})

describe('a person’s body data at WHOOP', () => {
  const later = { from: NOW, to: NOW + 86_400_000 }

  it('has the time at which it is read, with the offset of the user’s time zone', async () => {
    person.body = { height_meter: 1.8288, weight_kilogram: 90.7185, max_heart_rate: 200 }
    const found = await pulled('body_measurement', {}, { timeZone: 'Europe/Berlin' })
    const [profile, weight] = found.records
    expect(findSummary(profile, 'profile').document['height']).toBe(182.88)
    expect(findSummary(weight, 'body')).toMatchObject({ date: '2026-11-20', document: { weight: 90.7185, fat: null } })
    expect(shownSamples(weight?.batches ?? [])).toEqual([
      { resource: 'body_weight', sourceType: 'app', start: '2026-11-20T12:00:00Z', value: 90.7185, offset: 3600 },
    ])
    expect(found.unmapped).toEqual({ 'body_measurement.max_heart_rate': 1 })
  })

  it('is the same record until the weight changes, and then a new one', async () => {
    const weights = async (window: typeof WINDOW) =>
      (await pulled('body_measurement', {}, { window })).records.map(({ id, version }) => ({ id, version }))
    person.body = { weight_kilogram: 80 }
    const first = await weights(WINDOW)
    expect(await weights(later)).toEqual(first)
    person.body = { weight_kilogram: 79.5 }
    const [changed] = await weights(later)
    expect(changed?.id).not.toBe(first[0]?.id)
  })
})
