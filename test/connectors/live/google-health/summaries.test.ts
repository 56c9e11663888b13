/** The summaries of the live connector for Google Health. The expected numbers are computed by hand from the fact sheet. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SummaryKind, SummaryRecord } from '../../../../src/core/sample.ts'
import { type FakeGoogleHealth, openGoogleHealth } from '../../../providers/google-health/google-health.ts'
import { civilDate, type GoogleHealthPerson, interval, sampleTime } from '../../../providers/google-health/person.ts'
import { readDocument } from '../../read-document.ts'
import { DAY, HOUR, NOW, pullFrom, rows } from './session.ts'

let google: FakeGoogleHealth
let person: GoogleHealthPerson
beforeEach(async () => {
  google = await openGoogleHealth()
  const found = google.people.get('person-1')
  if (!found) throw new Error('no person')
  person = found
})
afterEach(() => google.close())

function put(type: string, id: string, body: Readonly<Record<string, unknown>>): void {
  person.points[type] ??= []
  person.points[type].push({ id, body })
}

/** Checks the document against the published schema. */
function checked(summary: SummaryRecord | undefined, kind: SummaryKind): Readonly<Record<string, unknown>> {
  if (!summary) throw new Error(`no summary of kind ${kind}`)
  expect(summary.kind).toBe(kind)
  return readDocument(summary)
}

const NIGHT = Date.parse('2026-11-19T22:30:00Z')
const stage = (from: number, to: number, type: string) => ({
  startTime: new Date(NIGHT + from * 60_000).toISOString(),
  endTime: new Date(NIGHT + to * 60_000).toISOString(),
  type,
})
const night = (more: Readonly<Record<string, unknown>> = {}) => ({
  interval: interval(NIGHT, NIGHT + 8 * HOUR, 3600),
  type: 'STAGES',
  stages: [
    stage(0, 12, 'AWAKE'),
    stage(12, 200, 'LIGHT'),
    stage(200, 300, 'DEEP'),
    stage(300, 400, 'REM'),
    stage(400, 480, 'LIGHT'),
  ],
  metadata: { processed: true, nap: false, mainSleep: true },
  summary: { minutesAsleep: '468', minutesAwake: '12', minutesToFallAsleep: '12' },
  ...more,
})

describe('a night', () => {
  it('is a sleep summary and a sleep cycle', async () => {
    put('sleep', 's-1', night())
    const { records, unmapped } = await pullFrom(google, 'sleep')
    expect(records.map(each => each.id)).toEqual(['s-1'])
    const [sleep, cycle] = records[0]?.summaries ?? []
    expect(sleep).toMatchObject({ at: NIGHT + 8 * HOUR, date: '2026-11-20', offset: 3600, sourceType: 'watch' })
    expect(checked(sleep, 'sleep')).toMatchObject({
      bedtime_start: '2026-11-19T22:30:00+00:00',
      bedtime_stop: '2026-11-20T06:30:00+00:00',
      type: 'long_sleep',
      timezone_offset: 3600,
      duration: 28_800,
      // 188 + 80 minutes light, 100 deep, 100 rem, 12 awake
      total: 28_080,
      awake: 720,
      light: 16_080,
      deep: 6000,
      rem: 6000,
      latency: 720,
      // 468 of 480 minutes
      efficiency: 97.5,
      score: null,
      state: 'confirmed',
    })
    expect(checked(cycle, 'sleep_cycle')).toMatchObject({
      sleep_id: sleep?.id,
      stage_start_offset_second: [0, 720, 12_000, 18_000, 24_000],
      stage_end_offset_second: [720, 12_000, 18_000, 24_000, 28_800],
      stage_type: [4, 2, 1, 3, 2],
    })
    expect(unmapped).toEqual({})
  })

  it('of a classic device is asleep or awake, and neither while restless', async () => {
    const stages = [
      stage(0, 10, 'AWAKE'),
      stage(10, 30, 'RESTLESS'),
      stage(30, 480, 'ASLEEP'),
      stage(0, 480, 'constructor'),
    ]
    put('sleep', 's-1', night({ type: 'CLASSIC', stages }))
    const [sleep, cycle] = (await pullFrom(google, 'sleep')).records[0]?.summaries ?? []
    // 450 minutes asleep, 10 awake, 20 restless
    expect(checked(sleep, 'sleep')).toMatchObject({ total: 27_000, awake: 600, light: 0, deep: 0, rem: 0 })
    expect(checked(cycle, 'sleep_cycle')).toMatchObject({
      stage_start_offset_second: [0, 600],
      stage_end_offset_second: [600, 28_800],
      stage_type: [4, -1],
    })
  })

  it('whose stages are not ready is tentative, has the totals of its summary, and is replaced later', async () => {
    put('sleep', 's-1', night({ stages: undefined, metadata: { processed: false, nap: true }, outOfBedSegments: [] }))
    const early = await pullFrom(google, 'sleep')
    const [sleep, ...others] = early.records[0]?.summaries ?? []
    expect(others).toEqual([])
    expect(checked(sleep, 'sleep')).toMatchObject({
      total: 28_080,
      awake: 720,
      state: 'tentative',
      type: 'acknowledged_nap',
    })
    expect(early.unmapped).toEqual({ 'sleep.outOfBedSegments': 1 })
    person.points['sleep'] = []
    put('sleep', 's-1', night())
    const [late] = (await pullFrom(google, 'sleep')).records
    expect(late?.version).not.toBe(early.records[0]?.version)
    expect(late?.summaries[0]?.id).toBe(sleep?.id)
  })

  it('can be read again by its ID, and is removed when the provider no longer has it', async () => {
    put('sleep', 's-1', night())
    const listed = await pullFrom(google, 'sleep')
    const again = await pullFrom(google, 'sleep', { recordId: 's-1' })
    expect(again.records).toEqual(listed.records)
    person.points['sleep'] = []
    expect((await pullFrom(google, 'sleep', { recordId: 's-1' })).records).toMatchObject([
      { id: 's-1', isDeleted: true },
    ])
  })

  it('provides summaries of the granted resources only', async () => {
    put('sleep', 's-1', night())
    const { records } = await pullFrom(google, 'sleep', { resources: ['sleep_cycle'] })
    expect(records[0]?.summaries.map(each => each.kind)).toEqual(['sleep_cycle'])
  })
})

describe('an exercise', () => {
  const start = NOW - 3 * HOUR
  const body = {
    interval: interval(start, start + HOUR, -18_000),
    exerciseType: 'BIKING',
    displayName: 'Morning Ride',
    activeDuration: '1830s',
    metricsSummary: {
      caloriesKcal: 512.5,
      distanceMillimeters: 12_345_000,
      steps: '12',
      averageHeartRateBeatsPerMinute: '131',
      averageSpeedMillimetersPerSecond: 6744,
      elevationGainMillimeters: 85_500,
      activeZoneMinutes: '20',
      heartRateZoneDurations: { lightTime: '300s', moderateTime: '900s', vigorousTime: '600s', peakTime: '30s' },
    },
    exerciseMetadata: { hasGps: true },
  }

  it('is a workout with its distance and duration', async () => {
    put('exercise', 'x-1', body)
    const { records, unmapped } = await pullFrom(google, 'exercise')
    const [workout] = records[0]?.summaries ?? []
    expect(workout).toMatchObject({ at: start, date: '2026-11-20', offset: -18_000 })
    expect(checked(workout, 'workouts')).toMatchObject({
      provider_id: 'x-1',
      title: 'Morning Ride',
      sport: { name: 'Cycling', slug: 'cycling' },
      calories: 512.5,
      distance: 12_345,
      steps: 12,
      average_hr: 131,
      max_hr: null,
      // below 50 %, from 50, 70 and 85 %
      hr_zones: [300, 900, 0, 600, 0, 30],
      average_speed: 6.744,
      total_elevation_gain: 85.5,
      moving_time: 1830,
    })
    expect(rows(records[0]?.batches ?? [])).toMatchObject([
      { series: 'workout_distance watch', at: start, end: start + HOUR, value: 12_345, offset: -18_000 },
      { series: 'workout_duration watch', value: 30.5 },
    ])
    expect(unmapped).toEqual({ 'exercise.metricsSummary.activeZoneMinutes': 1, 'exercise.exerciseMetadata': 1 })
  })

  it('has the heart rate of its interval as a stream, which a later reading updates', async () => {
    const beat = (at: number, bpm: string) => ({ body: { sampleTime: sampleTime(at), beatsPerMinute: bpm } })
    person.points['heart-rate'] = [beat(start + HOUR, '140'), beat(start, '101'), beat(start - 1_000, '70')]
    put('exercise', 'x-1', body)
    const [record] = (await pullFrom(google, 'exercise')).records
    const [stream] = record?.streams ?? []
    expect(stream).toMatchObject({ workoutId: record?.summaries[0]?.id, providerId: 'x-1', n: 2, offset: -18_000 })
    expect([...(stream?.time ?? [])]).toEqual([start, start + HOUR])
    expect([...(stream?.columns.get('heartrate') ?? [])]).toEqual([101, 140])
    // Google computes the mean
    expect(checked(record?.summaries[0], 'workouts')).toMatchObject({ average_hr: 131, max_hr: 140 })
    person.points['heart-rate'].push(beat(start + 60_000, '120'))
    expect((await pullFrom(google, 'exercise')).records[0]?.version).not.toBe(record?.version)
    const without = await pullFrom(google, 'exercise', { resources: ['workouts'] })
    expect(without.records[0]?.streams).toEqual([])
  })

  it.each([
    ['RUNNING', 'running'],
    ['STRENGTH_TRAINING', 'traditional_strength_training'],
    ['CROSS_COUNTRY_SKI', 'cross_country_skiing'],
    ['CARPENTRY', 'other'],
  ])('of type %s is %s, and without a name its title is the sport', async (exerciseType, slug) => {
    put('exercise', 'x-1', { interval: body.interval, exerciseType })
    const document = checked((await pullFrom(google, 'exercise')).records[0]?.summaries[0], 'workouts')
    expect(document['sport']).toMatchObject({ slug })
    expect(document['title']).toBe((document['sport'] as { name: string }).name)
    expect(document['moving_time']).toBe(3600)
  })
})

describe('the body', () => {
  const at = NOW - 5 * HOUR

  it('is one summary of the values that a scale measured at once', async () => {
    put('weight', 'w-1', { sampleTime: sampleTime(at), weightGrams: 70_250 })
    put('body-fat', 'f-1', { sampleTime: sampleTime(at), percentage: 21.5 })
    put('body-fat', 'f-2', { sampleTime: sampleTime(at + HOUR), percentage: 22 })
    const { records } = await pullFrom(google, 'body')
    expect(records.map(each => [each.id, each.summaries.length])).toEqual([
      ['weight/w-1', 1],
      ['body-fat/f-2', 1],
      ['body-fat/f-1', 0],
    ])
    expect(checked(records[0]?.summaries[0], 'body')).toMatchObject({ weight: 70.25, fat: 21.5 })
    expect(checked(records[1]?.summaries[0], 'body')).toMatchObject({ weight: null, fat: 22 })
    expect(records.flatMap(each => rows(each.batches)).map(row => [row.series, row.value])).toEqual([
      ['body_weight scale', 70.25],
      ['body_fat scale', 22],
      ['body_fat scale', 21.5],
    ])
    const again = await pullFrom(google, 'body', { recordId: 'weight/w-1' })
    expect(again.records[0]).toEqual(records[0])
    expect((await pullFrom(google, 'body', { recordId: 'weight/w-9' })).records).toMatchObject([{ isDeleted: true }])
  })

  it('has the newest height in the profile, in centimetres', async () => {
    put('height', 'h-1', { sampleTime: sampleTime(at - 400 * DAY), heightMillimeters: '1790' })
    put('height', 'h-2', { sampleTime: sampleTime(at), heightMillimeters: '1805' })
    google.startsWithEmptyPage = true
    const { records } = await pullFrom(google, 'profile')
    expect(records).toHaveLength(1)
    expect(checked(records[0]?.summaries[0], 'profile')).toMatchObject({ height: 180.5, birth_date: null })
  })
})

describe('a day', () => {
  it('has the provider’s sums', async () => {
    const date = '2026-11-19'
    person.days['steps'] = { [date]: { countSum: '8123' }, '2026-11-20': { countSum: '0' } }
    person.days['distance'] = { [date]: { millimetersSum: '6543210' } }
    person.days['floors'] = { [date]: { countSum: '7' } }
    person.days['active-energy-burned'] = { [date]: { kcalSum: 612.5 } }
    person.days['total-calories'] = { [date]: { kcalSum: 2412.5 } }
    person.days['heart-rate'] = { [date]: { beatsPerMinuteAvg: 71.5, beatsPerMinuteMin: 48, beatsPerMinuteMax: 144 } }
    person.days['active-minutes'] = {
      [date]: {
        activeMinutesRollupByActivityLevel: [
          { activityLevel: 'LIGHT', activeMinutesSum: '180' },
          { activityLevel: 'VIGOROUS', activeMinutesSum: '12' },
        ],
      },
    }
    put('daily-resting-heart-rate', 'r', { date: civilDate(date), beatsPerMinute: '52' })
    const asked = { timeZone: 'Europe/Berlin', window: { from: NOW - 3 * DAY, to: NOW } }
    const { records } = await pullFrom(google, 'activity', asked)
    expect(records.map(each => [each.id, each.isDeleted ?? false])).toEqual([
      ['2026-11-19', false],
      ['2026-11-20', false],
      ['2026-11-18', true],
    ])
    expect(records[0]?.summaries[0]).toMatchObject({ at: Date.parse(date), date, offset: 3600 })
    expect(checked(records[0]?.summaries[0], 'activity')).toMatchObject({
      steps: 8123,
      distance: 6543.21,
      daily_movement: 6543.21,
      floors_climbed: 7,
      calories_active: 612.5,
      calories_total: 2412.5,
      low: 180,
      medium: null,
      high: 12,
      time_zone: 'Europe/Berlin',
      heart_rate: { avg_bpm: 71.5, min_bpm: 48, max_bpm: 144, resting_bpm: 52, avg_walking_bpm: null },
    })
    // worn, without a step
    expect(checked(records[1]?.summaries[0], 'activity')).toMatchObject({ steps: 0, distance: null, heart_rate: null })
  })

  it('requests no heart data that was not granted', async () => {
    await pullFrom(google, 'activity', { resources: ['activity', 'steps'] })
    expect(google.requests.filter(each => each.path.includes('heart-rate'))).toEqual([])
  })

  it('fits into the provider’s longest range', async () => {
    for (const timeZone of [null, 'Pacific/Kiritimati', 'America/Los_Angeles']) {
      const window = { from: NOW - 13 * DAY, to: NOW }
      expect((await pullFrom(google, 'activity', { timeZone, window })).records).toHaveLength(13)
    }
  })
})

describe('a menstrual cycle', () => {
  it('ends where the next period starts, and includes the tests in between', async () => {
    const first = NOW - 40 * DAY
    put('menstrual-period', 'p-1', { interval: interval(first, first + 4 * DAY) })
    put('menstrual-period', 'p-2', { interval: interval(first + 28 * DAY, first + 32 * DAY) })
    put('ovulation-test', 't-1', { sampleTime: sampleTime(first + 13 * DAY), result: 'LUTEINIZING_HORMONE_SURGE' })
    put('ovulation-test', 't-2', { sampleTime: sampleTime(first + 41 * DAY), result: 'NEGATIVE' })
    const { records } = await pullFrom(google, 'menstrual-cycle', { window: { from: NOW - 60 * DAY, to: NOW } })
    expect(records.map(each => each.id)).toEqual(['p-1', 'p-2'])
    expect(checked(records[0]?.summaries[0], 'menstrual_cycle')).toMatchObject({
      period_start: '2026-10-11',
      period_end: '2026-10-15',
      cycle_end: '2026-11-07',
      ovulation_test: [{ date: '2026-10-24', test_result: 'luteinizing_hormone_surge' }],
    })
    expect(checked(records[1]?.summaries[0], 'menstrual_cycle')).toMatchObject({
      period_start: '2026-11-08',
      cycle_end: null,
      ovulation_test: [{ date: '2026-11-21', test_result: 'negative' }],
    })
  })
})
