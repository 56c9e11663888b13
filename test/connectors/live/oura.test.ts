import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ouraConnector } from '../../../src/connectors/live/oura/connector.ts'
import { ownedId } from '../../../src/core/ids.ts'
import { type FakeOura, openOura } from '../../providers/oura/oura.ts'
import { testSession } from '../../providers/test-session.ts'
import { between, pull, USER } from './pulled.ts'

let oura: FakeOura
beforeAll(async () => {
  oura = await openOura()
})
afterAll(() => oura.close())
let account = ''
let people = 0
beforeEach(() => {
  account = `person-${++people}`
  oura.pageSize = 50
  oura.forget()
})

const NOVEMBER = between('2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z')

function session(scopes: readonly string[] = []) {
  const tokenSet = oura.issue(account, scopes)
  const granted = scopes.length === 0 ? null : scopes
  return testSession(oura, ouraConnector, {
    grant: { accessToken: tokenSet.accessToken, refreshToken: null, expiresAt: null, scopes: granted, extra: {} },
  })
}

const NIGHT = {
  id: 'night-1',
  day: '2026-11-20',
  type: 'long_sleep',
  bedtime_start: '2026-11-19T23:00:00+01:00',
  bedtime_end: '2026-11-19T23:05:00+01:00',
  time_in_bed: 300,
  total_sleep_duration: 210,
  awake_time: 90,
  light_sleep_duration: 90,
  rem_sleep_duration: 60,
  deep_sleep_duration: 60,
  latency: 30,
  efficiency: 70,
  average_breath: 13.5,
  average_heart_rate: 52.25,
  lowest_heart_rate: 47,
  average_hrv: 61,
  sleep_phase_30_sec: '4422113342',
  sleep_phase_5_min: '2',
  hrv: { interval: 300, items: [60, null, 64.5], timestamp: '2026-11-19T23:00:00.000+01:00' },
  heart_rate: { interval: 300, items: [52], timestamp: '2026-11-19T23:00:00.000+01:00' },
  readiness: { score: 81, temperature_deviation: -0.15, contributors: { hrv_balance: 80 } },
  movement_30_sec: '1111111111',
  ring_id: 'ring-9',
  invented_field: 5,
}

describe('days', () => {
  it('become a summary, and samples that last from four o’clock for a day', async () => {
    oura.person(account).documents['daily_activity'] = [
      {
        id: 'a1',
        day: '2026-11-20',
        timestamp: '2026-11-20T04:00:00+01:00',
        steps: 8000,
        equivalent_walking_distance: 6100,
        active_calories: 420,
        total_calories: 2300,
        low_activity_time: 3600,
        medium_activity_time: 1830,
        high_activity_time: 0,
        sedentary_time: 30000,
        met: { interval: 60, items: [1], timestamp: '2026-11-20T04:00:00+01:00' },
        score: null,
      },
    ]
    const { samples, summaries, unmapped } = await pull(ouraConnector, session(), {
      collection: 'daily_activity',
      window: NOVEMBER,
    })
    const common = {
      sourceType: 'ring',
      start: '2026-11-20T03:00:00Z',
      end: '2026-11-21T03:00:00Z',
      offset: 3600,
    }
    expect(samples).toEqual([
      { ...common, resource: 'calories_active', value: 420 },
      { ...common, resource: 'calories_basal', value: 1880 },
      { ...common, resource: 'distance', value: 6100 },
      { ...common, resource: 'steps', value: 8000 },
    ])
    expect(summaries).toEqual([
      {
        kind: 'activity',
        id: ownedId(USER, 'activity', 'oura', 'a1'),
        provider: 'oura',
        sourceType: 'ring',
        appId: null,
        deviceId: null,
        at: Date.UTC(2026, 10, 20),
        date: '2026-11-20',
        offset: 3600,
        document: {
          date: '2026-11-20T00:00:00+00:00',
          calendar_date: '2026-11-20',
          calories_total: 2300,
          calories_active: 420,
          steps: 8000,
          daily_movement: 6100,
          distance: 6100,
          low: 60,
          medium: 30.5,
          high: 0,
          floors_climbed: null,
          time_zone: null,
          timezone_offset: 3600,
          heart_rate: null,
          wheelchair_use: null,
          wheelchair_push: null,
        },
      },
    ])
    expect(unmapped).toEqual({ 'daily_activity.sedentary_time': 1, 'daily_activity.met': 1 })
  })

  it('have no negative resting energy', async () => {
    oura.person(account).documents['daily_activity'] = [
      { id: 'a', day: '2026-11-20', timestamp: '2026-11-20T04:00:00Z', active_calories: 500, total_calories: 499 },
    ]
    const { samples } = await pull(ouraConnector, session(), { collection: 'daily_activity', window: NOVEMBER })
    expect(samples.find(each => each.resource === 'calories_basal')?.value).toBe(0)
    expect(samples[0]?.offset).toBeNull()
  })

  it('have blood oxygen and cardio capacity, each at its own time', async () => {
    oura.person(account).documents['daily_spo2'] = [
      { id: 's', day: '2026-11-20', spo2_percentage: { average: 96.4 }, breathing_disturbance_index: 3 },
      { id: 't', day: '2026-11-19', spo2_percentage: null },
    ]
    oura.person(account).documents['vO2_max'] = [
      { id: 'v', day: '2026-11-20', timestamp: '2026-11-20T09:00:00+02:00', vo2_max: 44 },
    ]
    const spo2 = await pull(ouraConnector, session(), {
      collection: 'daily_spo2',
      window: NOVEMBER,
      timeZone: 'Europe/Berlin',
    })
    expect(spo2.samples).toEqual([
      { resource: 'blood_oxygen', sourceType: 'ring', start: '2026-11-19T23:00:00Z', value: 96.4, offset: 3600 },
    ])
    expect(spo2.unmapped).toEqual({ 'daily_spo2.breathing_disturbance_index': 1 })
    const uptake = await pull(ouraConnector, session(), { collection: 'vO2_max', window: NOVEMBER })
    expect(uptake.samples).toEqual([
      { resource: 'vo2_max', sourceType: 'ring', start: '2026-11-20T07:00:00Z', value: 44, offset: 7200 },
    ])
  })
})

describe('nights', () => {
  it('become a sleep and its cycle, with the day’s score, and samples from the night', async () => {
    const has = oura.person(account)
    has.documents['sleep'] = [NIGHT]
    has.documents['daily_sleep'] = [{ id: 'd', day: '2026-11-20', score: 77, contributors: {} }]
    const { samples, summaries, unmapped } = await pull(ouraConnector, session(), {
      collection: 'sleep',
      window: NOVEMBER,
    })
    expect(samples).toEqual([
      { resource: 'hrv', sourceType: 'ring', start: '2026-11-19T22:00:00Z', value: 60, offset: 3600 },
      {
        resource: 'body_temperature_delta',
        sourceType: 'ring',
        start: '2026-11-19T22:05:00Z',
        value: -0.15,
        offset: 3600,
        text: { sensor_location: 'finger' },
      },
      {
        resource: 'respiratory_rate',
        sourceType: 'ring',
        start: '2026-11-19T22:05:00Z',
        value: 13.5,
        offset: 3600,
      },
      { resource: 'hrv', sourceType: 'ring', start: '2026-11-19T22:10:00Z', value: 64.5, offset: 3600 },
    ])
    const [sleep, cycle] = summaries
    expect(sleep).toMatchObject({ id: ownedId(USER, 'sleep', 'oura', 'night-1'), date: '2026-11-20', offset: 3600 })
    expect(sleep?.document).toEqual({
      date: '2026-11-20T00:00:00+00:00',
      calendar_date: '2026-11-20',
      bedtime_start: '2026-11-19T22:00:00+00:00',
      bedtime_stop: '2026-11-19T22:05:00+00:00',
      type: 'long_sleep',
      timezone_offset: 3600,
      duration: 300,
      total: 210,
      awake: 90,
      light: 90,
      rem: 60,
      deep: 60,
      score: 77,
      recovery_readiness_score: 81,
      hr_lowest: 47,
      hr_average: 52.25,
      hr_resting: 47,
      efficiency: 70,
      latency: 30,
      temperature_delta: -0.15,
      skin_temperature: null,
      hr_dip: null,
      state: 'confirmed',
      average_hrv: 61,
      respiratory_rate: 13.5,
      sleep_stream: null,
    })
    expect(cycle?.document).toMatchObject({
      sleep_id: sleep?.id,
      session_start: '2026-11-19T22:00:00+00:00',
      session_end: '2026-11-19T22:05:00+00:00',
      stage_start_offset_second: [0, 60, 120, 180, 240, 270],
      stage_end_offset_second: [60, 120, 180, 240, 270, 300],
      stage_type: [4, 2, 1, 3, 4, 2],
    })
    expect(unmapped).toEqual({
      'sleep.movement_30_sec': 1,
      'sleep.invented_field': 1,
      'daily_sleep.contributors': 1,
      'readiness.contributors': 1,
    })
  })

  it('use the coarser hypnogram and the day’s readiness where the finer ones are missing', async () => {
    const has = oura.person(account)
    has.documents['sleep'] = [
      {
        ...NIGHT,
        bedtime_end: '2026-11-19T23:09:00+01:00',
        sleep_phase_30_sec: null,
        app_sleep_phase_5_min: '12',
        readiness: null,
        hrv: null,
      },
    ]
    has.documents['daily_readiness'] = [{ id: 'r', day: '2026-11-20', score: 70, temperature_deviation: 0.3 }]
    const { samples, summaries } = await pull(ouraConnector, session(), { collection: 'sleep', window: NOVEMBER })
    expect(summaries[1]?.document).toMatchObject({ stage_end_offset_second: [300, 540], stage_type: [1, 2] })
    expect(summaries[0]?.document).toMatchObject({ recovery_readiness_score: 70, temperature_delta: 0.3, score: null })
    expect(samples.find(each => each.resource === 'hrv')).toMatchObject({
      value: 61,
      start: '2026-11-19T22:09:00Z',
    })
  })

  it('list a late nap under the day on which it ended, without the scores of the next day', async () => {
    const has = oura.person(account)
    has.documents['sleep'] = [{ ...NIGHT, type: 'late_nap', day: '2026-11-21', readiness: null }]
    has.documents['daily_sleep'] = [{ id: 'd', day: '2026-11-21', score: 77 }]
    const { summaries } = await pull(ouraConnector, session(), { collection: 'sleep', window: NOVEMBER })
    expect(summaries[0]?.date).toBe('2026-11-19')
    expect(summaries[0]?.document).toMatchObject({ type: 'acknowledged_nap', calendar_date: '2026-11-19', score: null })
  })

  it('have their own heart rate if the day’s heart rate was not granted', async () => {
    const has = oura.person(account)
    const heart_rate = { interval: 300, items: [52, null, 49.5], timestamp: '2026-11-19T23:00:00.000+01:00' }
    has.documents['sleep'] = [{ ...NIGHT, heart_rate }]
    const asked = { collection: 'sleep', window: NOVEMBER }
    const few = await pull(ouraConnector, session(['daily']), asked)
    const common = { resource: 'heartrate', sourceType: 'ring', offset: 3600, text: { type: 'sleep' } }
    expect(few.samples.filter(each => each.resource === 'heartrate')).toEqual([
      { ...common, start: '2026-11-19T22:00:00Z', value: 52 },
      { ...common, start: '2026-11-19T22:10:00Z', value: 49.5 },
    ])
    const all = await pull(ouraConnector, session(['daily', 'heartrate']), asked)
    expect(all.samples.filter(each => each.resource === 'heartrate')).toEqual([])
    // so that a later consent removes data that is pulled with daytime heart rate
    expect(all.records[0]?.version).not.toBe(few.records[0]?.version)
  })

  it('without a type are long or short, depending on their length', async () => {
    const has = oura.person(account)
    has.documents['sleep'] = [
      { ...NIGHT, type: null, bedtime_end: '2026-11-20T02:00:00+01:00' },
      { ...NIGHT, id: 'night-2', type: null, readiness: null },
    ]
    has.documents['daily_sleep'] = [{ id: 'd', day: '2026-11-20', score: 77 }]
    const { summaries, unmapped } = await pull(ouraConnector, session(), { collection: 'sleep', window: NOVEMBER })
    const sleeps = summaries.filter(each => each.kind === 'sleep').map(each => each.document)
    expect(sleeps.map(each => [each['type'], each['score']])).toEqual([
      ['long_sleep', 77],
      ['short_sleep', null],
    ])
    expect(Object.keys(unmapped).filter(each => each.includes('type'))).toEqual([])
  })

  it('are removed if rejected, and left out if they are not sleep', async () => {
    oura.person(account).documents['sleep'] = [
      { ...NIGHT, type: 'deleted' },
      { ...NIGHT, id: 'night-2', type: 'rest' },
      { ...NIGHT, id: 'night-3', type: 'constructor' },
    ]
    const { pages, summaries, unmapped } = await pull(ouraConnector, session(), {
      collection: 'sleep',
      window: NOVEMBER,
    })
    expect(summaries).toEqual([])
    expect(pages.flatMap(each => each.records).map(each => [each.id, each.isDeleted])).toEqual([
      ['night-1', true],
      ['night-2', true],
      ['night-3', true],
    ])
    expect(unmapped).toEqual({ 'sleep (type deleted)': 1, 'sleep (type rest)': 1, 'sleep (type constructor)': 1 })
  })

  it('have a version that changes only with the night or its score', async () => {
    const has = oura.person(account)
    has.documents['sleep'] = [NIGHT]
    const version = async () => {
      const asked = { collection: 'sleep', window: NOVEMBER, now: Date.now() }
      return (await pull(ouraConnector, session(), asked)).pages[0]?.records[0]?.version
    }
    const first = await version()
    expect(await version()).toBe(first)
    has.documents['daily_sleep'] = [{ id: 'd', day: '2026-11-20', score: 77 }]
    const scored = await version()
    expect(scored).not.toBe(first)
    has.documents['sleep'] = [{ ...NIGHT, latency: 31 }]
    expect(await version()).not.toBe(scored)
  })
})

describe('workouts', () => {
  it('become a summary, duration and distance, with the heart rate readings within them', async () => {
    const has = oura.person(account)
    has.documents['workout'] = [
      {
        id: 'w',
        day: '2026-11-20',
        activity: 'cycling',
        start_datetime: '2026-11-20T18:00:00+01:00',
        end_datetime: '2026-11-20T18:45:30+01:00',
        calories: 310.4,
        distance: 15200,
        intensity: 'moderate',
        label: null,
        source: 'confirmed',
      },
    ]
    const beat = (time: string, bpm: number) => ({ timestamp: `2026-11-20T${time}Z`, bpm, source: 'workout' })
    has.heartrate = [beat('16:59:59', 90), beat('17:00:00', 100), beat('17:45:30', 141), beat('17:45:31', 150)]
    const { pages, samples, summaries } = await pull(ouraConnector, session(), {
      collection: 'workout',
      window: NOVEMBER,
    })
    const id = ownedId(USER, 'workouts', 'oura', 'w')
    const common = {
      sourceType: 'ring',
      start: '2026-11-20T17:00:00Z',
      end: '2026-11-20T17:45:30Z',
      offset: 3600,
    }
    expect(samples).toEqual([
      { ...common, resource: 'workout_distance', value: 15200, text: { workout_id: id, sport: 'cycling' } },
      {
        ...common,
        resource: 'workout_duration',
        value: 45.5,
        text: { workout_id: id, sport: 'cycling', intensity: 'moderate' },
      },
    ])
    expect(summaries[0]).toMatchObject({ id, at: Date.UTC(2026, 10, 20, 17), date: '2026-11-20' })
    expect(summaries[0]?.document).toMatchObject({
      provider_id: 'w',
      title: 'Cycling',
      sport: { slug: 'cycling' },
      calories: 310.4,
      distance: 15200,
      moving_time: 2730,
      average_hr: 121,
      max_hr: 141,
    })
    const stream = pages[0]?.records[0]?.streams[0]
    expect([...(stream?.columns.get('heartrate') ?? [])]).toEqual([100, 141])
    expect([...(stream?.time ?? [])]).toEqual([Date.UTC(2026, 10, 20, 17), Date.UTC(2026, 10, 20, 17, 45, 30)])
  })

  it('do not request heart rates that the person did not grant', async () => {
    oura.person(account).documents['workout'] = [
      {
        id: 'w',
        day: '2026-11-20',
        activity: 'unheard of',
        source: 'manual',
        start_datetime: '2026-11-20T18:00:00+01:00',
        end_datetime: '2026-11-20T18:45:30+01:00',
      },
    ]
    const { summaries } = await pull(ouraConnector, session(['daily', 'workout']), {
      collection: 'workout',
      window: NOVEMBER,
      resources: ['workouts'],
    })
    expect(summaries[0]).toMatchObject({ sourceType: 'app', document: { sport: { slug: 'other' }, average_hr: null } })
    expect(oura.requests.filter(each => each.path.endsWith('/heartrate'))).toEqual([])
  })
})

describe('sessions', () => {
  const MEDITATION = {
    id: 's-1',
    day: '2026-11-20',
    start_datetime: '2026-11-20T12:32:09.000-08:00',
    end_datetime: '2026-11-20T12:40:39.000-08:00',
    type: 'meditation',
    heart_rate: { interval: 5, items: [null, 68.9, 68.4], timestamp: '2026-11-20T12:32:09.000-08:00' },
    heart_rate_variability: { interval: 5, items: [46, null], timestamp: '2026-11-20T12:32:09.000-08:00' },
    mood: null,
    motion_count: { interval: 5, items: [0], timestamp: '2026-11-20T12:32:09.000-08:00' },
  }

  it('are minutes of mindfulness, with their own heart rate if the day’s heart rate was not granted', async () => {
    oura.person(account).documents['session'] = [MEDITATION]
    const asked = { collection: 'session', window: NOVEMBER }
    const { samples, unmapped } = await pull(ouraConnector, session(['daily', 'session']), asked)
    const common = { sourceType: 'ring', offset: -28_800 }
    expect(samples).toEqual([
      {
        ...common,
        resource: 'mindfulness_minutes',
        start: '2026-11-20T20:32:09Z',
        end: '2026-11-20T20:40:39Z',
        value: 8.5,
        text: { type: 'meditation' },
      },
      { ...common, resource: 'heartrate', start: '2026-11-20T20:32:14Z', value: 68.9, text: { type: 'session' } },
      { ...common, resource: 'heartrate', start: '2026-11-20T20:32:19Z', value: 68.4, text: { type: 'session' } },
    ])
    expect(unmapped).toEqual({ 'session.heart_rate_variability': 1, 'session.motion_count': 1 })
    const all = await pull(ouraConnector, session(), asked)
    expect(all.samples.map(each => each.resource)).not.toContain('heartrate')
  })

  it('that are naps or rests are counted', async () => {
    oura.person(account).documents['session'] = [
      { ...MEDITATION, type: 'nap', heart_rate: null, heart_rate_variability: null, motion_count: null },
      { ...MEDITATION, id: 's-2', end_datetime: null },
    ]
    const { samples, unmapped } = await pull(ouraConnector, session(), { collection: 'session', window: NOVEMBER })
    expect(samples).toEqual([])
    expect(unmapped).toEqual({ 'session (type nap)': 1, 'session (without times)': 1 })
  })
})

describe('tags', () => {
  const TAG = {
    id: 't-1',
    tag_type_code: 'tag_generic_anxiety',
    start_time: '2026-11-20T21:51:31-05:00',
    end_time: '2026-11-20T23:51:31-05:00',
    start_day: '2026-11-20',
    end_day: '2026-11-20',
    comment: 'This is a comment',
    custom_name: null,
  }

  it('are notes with the code as their type', async () => {
    oura.person(account).documents['enhanced_tag'] = [
      TAG,
      { ...TAG, id: 't-2', tag_type_code: 'tag_sleep_hot_shower', end_time: null, end_day: null, comment: null },
      { ...TAG, id: 't-3', tag_type_code: 'custom', custom_name: 'Sauna', comment: null },
      { ...TAG, id: 't-4', tag_type_code: null, start_time: '2026-11-19T21:51:31-05:00', comment: 'Only text' },
      { ...TAG, id: 't-5', tag_type_code: null, comment: null },
    ]
    const { records, samples, unmapped } = await pull(ouraConnector, session(['daily', 'tag']), {
      collection: 'enhanced_tag',
      window: NOVEMBER,
    })
    const common = { resource: 'note', sourceType: 'app', value: 0, offset: -18_000 }
    const [start, end] = ['2026-11-21T02:51:31Z', '2026-11-21T04:51:31Z']
    expect(samples).toEqual([
      { ...common, start: '2026-11-20T02:51:31Z', end, text: { content: 'Only text' } },
      { ...common, start, end, text: { content: 'anxiety: This is a comment' } },
      { ...common, start, text: { content: 'hot shower' } },
      { ...common, start, end, text: { content: 'Sauna' } },
    ])
    expect(records.map(each => each.batches[0]?.series.type)).toEqual([
      'tag_generic_anxiety',
      'tag_sleep_hot_shower',
      'custom',
      null,
    ])
    expect(unmapped).toEqual({ 'enhanced_tag (without a time or a text)': 1 })
  })
})

describe('the person', () => {
  it('has a profile in centimetres, and a weight at the time when it was read', async () => {
    Object.assign(oura.person(account).info, {
      age: 40,
      weight: 70.5,
      height: 1.78,
      biological_sex: 'female',
      email: 'a@b.example',
    })
    const { samples, summaries, unmapped } = await pull(ouraConnector, session(), {
      collection: 'personal_info',
      window: between('2026-11-19T12:00:00Z', '2026-11-20T12:00:00Z'),
      timeZone: 'Europe/Berlin',
    })
    expect(summaries.map(each => [each.kind, each.sourceType])).toEqual([
      ['profile', 'app'],
      ['body', 'app'],
    ])
    expect(summaries[0]?.document).toMatchObject({ height: 178, sex: 'female', birth_date: null })
    expect(summaries[1]?.document).toMatchObject({ weight: 70.5, fat: null, calendar_date: '2026-11-20' })
    expect(samples).toEqual([
      { resource: 'body_weight', sourceType: 'app', start: '2026-11-20T12:00:00Z', value: 70.5, offset: 3600 },
    ])
    expect(unmapped).toEqual({ 'personal_info.age': 1 })
  })
})
