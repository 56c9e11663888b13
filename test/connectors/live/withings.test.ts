import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withingsConnector } from '../../../src/connectors/live/withings/connector.ts'
import { ownedId } from '../../../src/core/ids.ts'
import { testSession } from '../../providers/test-session.ts'
import { type FakeWithings, openWithings } from '../../providers/withings/withings.ts'
import { between, pull, USER } from './pulled.ts'

let withings: FakeWithings
beforeAll(async () => {
  withings = await openWithings()
})
afterAll(() => withings.close())
let account = ''
let people = 1000
beforeEach(() => {
  account = String(++people)
  withings.pageSize = 300
  withings.forget()
})

const NOVEMBER = between('2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z')
const at = (iso: string): number => Date.parse(iso) / 1000

function session(scopes: readonly string[] = []) {
  const tokenSet = withings.issue(account, scopes)
  return testSession(withings, withingsConnector, {
    grant: { accessToken: tokenSet.accessToken, refreshToken: null, expiresAt: null, scopes: null, extra: {} },
  })
}

const pulled = (collection: string, window = NOVEMBER) => pull(withingsConnector, session(), { collection, window })
const START = '2026-11-20T07:00:00Z'

function group(grpid: number, measures: readonly (readonly [type: number, value: number, unit: number])[], more = {}) {
  return {
    grpid,
    attrib: 0,
    date: at(START),
    category: 1,
    measures: measures.map(([type, value, unit]) => ({ type, value, unit })),
    ...more,
  }
}

describe('measures', () => {
  it('become samples and a body summary, with powers of ten applied and the time zone’s offset', async () => {
    withings.person(account).measuregrps = [
      group(1, [
        [1, 72_350, -3],
        [6, 215, -1],
        [5, 5679, -2],
        [76, 54, 0],
        [77, 39_800, -3],
        [88, 29, -1],
        [11, 62, 0],
      ]),
    ]
    const { samples, summaries, unmapped } = await pulled('getmeas')
    const common = { sourceType: 'scale', start: START, offset: 3600 }
    expect(samples).toEqual([
      { ...common, resource: 'body_fat', value: 21.5 },
      { ...common, resource: 'body_weight', value: 72.35 },
      { ...common, resource: 'heartrate', value: 62 },
    ])
    expect(summaries).toMatchObject([
      {
        kind: 'body',
        id: ownedId(USER, 'body', 'withings', '1'),
        at: Date.parse(START),
        date: '2026-11-20',
        offset: 3600,
        sourceType: 'scale',
        document: {
          date: '2026-11-20T00:00:00+00:00',
          calendar_date: '2026-11-20',
          weight: 72.35,
          fat: 21.5,
          lean_body_mass_kilogram: 56.79,
          // 54, 39.8 and 2.9 kg of 72.35 kg
          muscle_mass_percentage: 74.64,
          water_percentage: 55.01,
          bone_mass_percentage: 4.01,
          visceral_fat_index: null,
          body_mass_index: null,
          waist_circumference_centimeter: null,
        },
      },
    ])
    expect(unmapped).toEqual({})
  })

  it('become a blood pressure reading only if both of its values are in one group', async () => {
    withings.person(account).measuregrps = [
      group(1, [
        [9, 81, 0],
        [10, 124, 0],
        [11, 66, 0],
      ]),
      group(2, [[10, 130, 0]]),
    ]
    const { samples, summaries, unmapped } = await pulled('getmeas')
    const common = { sourceType: 'cuff', start: START, offset: 3600 }
    expect(samples).toEqual([
      { ...common, resource: 'blood_pressure', value: 124, second: 81 },
      { ...common, resource: 'heartrate', value: 66 },
    ])
    expect(summaries).toEqual([])
    expect(unmapped).toEqual({ 'measure type 9 or 10 alone': 1 })
  })

  it('contain the source of manual entries, and leave out values that could be another person’s', async () => {
    withings.person(account).measuregrps = [
      group(1, [[1, 70, 0]], { attrib: 2 }),
      group(2, [[1, 71, 0]], { attrib: 1 }),
      group(3, [[1, 60, 0]], { category: 2 }),
    ]
    const { samples, summaries, unmapped } = await pulled('getmeas')
    expect(samples.map(each => [each.value, each.sourceType])).toEqual([[70, 'app']])
    expect(summaries.map(each => each.sourceType)).toEqual(['app'])
    expect(unmapped).toEqual({ 'measuregrps (attrib 1, could be of another person)': 1 })
  })

  it('prefer body temperature, and mark skin temperature', async () => {
    withings.person(account).measuregrps = [
      group(1, [
        [12, 3671, -2],
        [71, 3664, -2],
        [73, 3302, -2],
      ]),
      group(2, [[73, 3310, -2]], { date: at(START) + 60 }),
      group(3, [[54, 97, 0]], { date: at(START) + 120 }),
      group(4, [[123, 421, -1]], { date: at(START) + 180, timezone: 'America/New_York' }),
    ]
    const { samples, unmapped } = await pulled('getmeas')
    expect(samples.map(each => [each.resource, each.value, each.text, each.offset])).toEqual([
      ['body_temperature', 36.64, undefined, 3600],
      ['body_temperature', 33.1, { type: 'skin' }, 3600],
      ['blood_oxygen', 97, undefined, 3600],
      ['vo2_max', 42.1, undefined, -18_000],
    ])
    expect(unmapped).toEqual({ 'measure type 12': 1, 'measure type 73': 1 })
  })

  it('have a profile with the newest height', async () => {
    withings.person(account).measuregrps = [
      group(2, [[4, 178, -2]], { date: at('2020-01-01T10:00:00Z') }),
      group(1, [[4, 17, -1]], { date: at('2008-01-01T10:00:00Z') }),
      group(3, [[4, 15, -1]], { attrib: 1 }),
    ]
    const { summaries } = await pulled('profile')
    expect(summaries).toMatchObject([
      { kind: 'profile', sourceType: 'app', document: { height: 178, birth_date: null, sex: null } },
    ])
  })
})

describe('days', () => {
  it('become a summary with floors and heart rate, and the local day’s resting energy', async () => {
    const day = {
      date: '2026-11-20',
      timezone: 'Europe/Paris',
      modified: 5,
      brand: 1,
      is_tracker: true,
      steps: 9000,
      distance: 7012.5,
      elevation: 12,
      soft: 4200,
      moderate: 1500,
      intense: 90,
      active: 1590,
      calories: 480.5,
      totalcalories: 2380.5,
      hr_average: 68,
      hr_min: 49,
      hr_max: 141,
      // not requested, so it is not returned
      hr_zone_0: 7,
      novelty: 1,
    }
    withings.person(account).activities = [{ ...day, is_tracker: false, steps: 1 }, day]
    const { pages, samples, summaries, unmapped } = await pulled('getactivity')
    expect(samples).toEqual([
      {
        resource: 'calories_basal',
        sourceType: 'watch',
        start: '2026-11-19T23:00:00Z',
        end: '2026-11-20T23:00:00Z',
        value: 1900,
        offset: 3600,
      },
    ])
    expect(summaries.map(each => each.document)).toEqual([
      {
        date: '2026-11-20T00:00:00+00:00',
        calendar_date: '2026-11-20',
        calories_total: 2380.5,
        calories_active: 480.5,
        steps: 9000,
        daily_movement: 7012.5,
        distance: 7012.5,
        low: 70,
        medium: 25,
        high: 1.5,
        floors_climbed: 12,
        time_zone: 'Europe/Paris',
        timezone_offset: 3600,
        heart_rate: { avg_bpm: 68, min_bpm: 49, max_bpm: 141, resting_bpm: null, avg_walking_bpm: null },
        wheelchair_use: null,
        wheelchair_push: null,
      },
    ])
    expect(pages[0]?.records.map(each => each.id)).toEqual(['2026-11-20'])
    expect(unmapped).toEqual({ 'getactivity (a second device)': 1, 'getactivity.novelty': 1 })
  })

  it('have points that each become samples, without readings of 0', async () => {
    withings.person(account).points = {
      [at(START)]: { steps: 30, distance: 21.5, elevation: 0, calories: 1.2, duration: 60, deviceid: 'x' },
      [at(START) + 60]: { heart_rate: 71, rmssd: 0, spo2_auto: 96, sdnn1: 4 },
      [at(START) + 120]: { rmssd: 38 },
      [at(START) + 180]: { rr: 14, core_body_temperature: 36.9 },
    }
    const { samples } = await pulled('getintradayactivity', between('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'))
    const moving = { sourceType: 'watch', start: START, end: '2026-11-20T07:01:00Z', offset: null }
    const next = { sourceType: 'watch', start: '2026-11-20T07:01:00Z', offset: null }
    expect(samples).toEqual([
      { ...moving, resource: 'calories_active', value: 1.2 },
      { ...moving, resource: 'distance', value: 21.5 },
      { ...moving, resource: 'floors_climbed', value: 0 },
      { ...moving, resource: 'steps', value: 30 },
      { ...next, resource: 'blood_oxygen', value: 96 },
      { ...next, resource: 'heartrate', value: 71 },
      { ...next, resource: 'hrv', start: '2026-11-20T07:02:00Z', value: 38 },
      { ...next, resource: 'body_temperature', start: '2026-11-20T07:03:00Z', value: 36.9 },
      { ...next, resource: 'respiratory_rate', start: '2026-11-20T07:03:00Z', value: 14 },
    ])
  })
})

describe('workouts', () => {
  it('have the duration for which the person moved', async () => {
    withings.person(account).workouts = [
      {
        id: 77,
        category: 2,
        timezone: 'Europe/Paris',
        attrib: 7,
        startdate: at('2026-11-20T22:30:00Z'),
        enddate: at('2026-11-20T23:15:00Z'),
        date: '2026-11-20',
        deviceid: 'x',
        data: {
          calories: 400,
          distance: 8000,
          steps: 7600,
          hr_average: 150,
          hr_max: 171,
          pause_duration: 300,
          hr_zone_0: 3,
          novelty: 1,
        },
      },
    ]
    const { samples, summaries, unmapped } = await pulled('getworkouts')
    const id = ownedId(USER, 'workouts', 'withings', '77')
    const common = {
      sourceType: 'watch',
      start: '2026-11-20T22:30:00Z',
      end: '2026-11-20T23:15:00Z',
      offset: 3600,
      text: { workout_id: id, sport: 'running' },
    }
    expect(samples).toEqual([
      { ...common, resource: 'workout_distance', value: 8000 },
      { ...common, resource: 'workout_duration', value: 40 },
    ])
    expect(summaries[0]).toMatchObject({ id, date: '2026-11-20' })
    expect(summaries[0]?.document).toMatchObject({
      moving_time: 2400,
      average_hr: 150,
      max_hr: 171,
      steps: 7600,
      calories: 400,
      distance: 8000,
      sport: { slug: 'running' },
      title: 'Running',
    })
    expect(unmapped).toEqual({ 'getworkouts.data.novelty': 1 })
  })

  it('have the heart rate of their interval as a stream, and do not request it if it was not granted', async () => {
    const person = withings.person(account)
    person.workouts = [
      {
        id: 78,
        category: 1,
        timezone: 'Europe/Paris',
        startdate: at('2026-11-20T07:00:00Z'),
        enddate: at('2026-11-20T07:30:00Z'),
        date: '2026-11-20',
        data: {},
      },
    ]
    person.points = {
      [at('2026-11-20T06:59:00Z')]: { heart_rate: 80 },
      [at('2026-11-20T07:30:00Z')]: { heart_rate: 131 },
      [at('2026-11-20T07:00:00Z')]: { heart_rate: 95 },
      [at('2026-11-20T07:10:00Z')]: { heart_rate: 0, steps: 10 },
    }
    const { pages } = await pulled('getworkouts')
    const [stream] = pages[0]?.records[0]?.streams ?? []
    expect(stream).toMatchObject({ workoutId: ownedId(USER, 'workouts', 'withings', '78'), n: 2, offset: 3600 })
    expect([...(stream?.time ?? [])]).toEqual(['07:00', '07:30'].map(time => Date.parse(`2026-11-20T${time}:00Z`)))
    expect([...(stream?.columns.get('heartrate') ?? [])]).toEqual([95, 131])
    withings.forget()
    const asked = { collection: 'getworkouts', window: NOVEMBER, resources: ['workouts'] }
    expect((await pull(withingsConnector, session(), asked)).pages[0]?.records[0]?.streams).toEqual([])
    expect(withings.requests.filter(({ form }) => form.get('action') === 'getintradayactivity')).toEqual([])
  })
})

describe('nights', () => {
  const [from, to] = [at('2026-11-19T22:00:00Z'), at('2026-11-20T02:00:00Z')]
  const NIGHT = {
    id: 9,
    timezone: 'Europe/Paris',
    model: 16,
    startdate: from,
    enddate: to,
    date: '2026-11-20',
    modified: 1,
    completed: true,
    data: {
      total_timeinbed: 14_400,
      total_sleep_time: 12_000,
      lightsleepduration: 6000,
      deepsleepduration: 3600,
      remsleepduration: 2400,
      wakeupduration: 2400,
      sleep_latency: 600,
      sleep_efficiency: 0.83,
      hr_average: 55,
      hr_min: 48,
      rr_average: 14,
      sleep_score: 72,
      snoring: 100,
      novelty: 1,
    },
  }
  const segment = (state: number, start: number, end: number, more = {}) => ({
    state,
    startdate: from + start,
    enddate: from + end,
    ...more,
  })

  it('become a sleep, its cycle, and the readings for every minute', async () => {
    const has = withings.person(account)
    has.nights = [NIGHT]
    has.segments = [
      segment(1, 600, 3600, { hr: { [from + 600]: 58, [from + 660]: 57 }, rr: { [from + 600]: 15 } }),
      segment(0, 0, 600, { rmssd: { [from]: 0, [from + 60]: 41 }, novelty: { [from]: 0 } }),
      segment(1, 3600, 4200),
      segment(2, 4200, 7800),
      // out of bed for ten minutes, without a segment
      segment(3, 8400, 12_000),
      segment(15, 12_000, 12_600),
      segment(4, 12_600, 13_200),
      segment(5, 13_200, 14_400),
    ]
    const { samples, summaries, unmapped } = await pulled('sleep')
    const common = { sourceType: 'watch', offset: 3600 }
    expect(samples).toEqual([
      { ...common, resource: 'hrv', start: '2026-11-19T22:01:00Z', value: 41 },
      { ...common, resource: 'heartrate', start: '2026-11-19T22:10:00Z', value: 58 },
      { ...common, resource: 'respiratory_rate', start: '2026-11-19T22:10:00Z', value: 15 },
      { ...common, resource: 'heartrate', start: '2026-11-19T22:11:00Z', value: 57 },
    ])
    const [sleep, cycle] = summaries
    expect(sleep).toMatchObject({ id: ownedId(USER, 'sleep', 'withings', '9'), at: to * 1000, date: '2026-11-20' })
    expect(sleep?.document).toMatchObject({
      bedtime_start: '2026-11-19T22:00:00+00:00',
      bedtime_stop: '2026-11-20T02:00:00+00:00',
      type: 'long_sleep',
      duration: 14_400,
      total: 12_000,
      awake: 2400,
      light: 6000,
      deep: 3600,
      rem: 2400,
      latency: 600,
      efficiency: 83,
      hr_average: 55,
      hr_lowest: 48,
      respiratory_rate: 14,
      score: 72,
      state: 'confirmed',
      timezone_offset: 3600,
    })
    expect(cycle?.document).toMatchObject({
      sleep_id: sleep?.id,
      stage_start_offset_second: [0, 600, 4200, 7800, 8400, 12_000, 12_600, 13_200],
      stage_end_offset_second: [600, 4200, 7800, 8400, 12_000, 12_600, 13_200, 14_400],
      stage_type: [4, 2, 1, 4, 3, 4, 5, -1],
      time_zone: 'Europe/Paris',
    })
    expect(unmapped).toEqual({ 'getsummary.data.novelty': 1, 'sleep.novelty': 1 })
  })

  it('grow: the same record arrives in a new version, and is marked as incomplete', async () => {
    const has = withings.person(account)
    has.nights = [{ ...NIGHT, completed: false, enddate: to - 3600 }]
    has.segments = [segment(1, 0, 3600)]
    const first = await pulled('sleep')
    expect(first.summaries[0]?.document).toMatchObject({ state: 'tentative' })
    has.segments.push(segment(2, 3600, 7200))
    const second = await pulled('sleep')
    expect(second.pages[0]?.records[0]?.id).toBe(first.pages[0]?.records[0]?.id)
    expect(second.pages[0]?.records[0]?.version).not.toBe(first.pages[0]?.records[0]?.version)
    expect(second.summaries.map(each => each.id)).toEqual(first.summaries.map(each => each.id))
  })

  it('are read to their end although responses are cut off after a day, and are marked if a mat recorded them', async () => {
    const has = withings.person(account)
    const end = from + 30 * 3600
    has.model = 32
    has.nights = [{ ...NIGHT, model: undefined, enddate: end }]
    has.segments = [segment(1, 0, 25 * 3600), segment(2, 25 * 3600, 30 * 3600, { hr: { [end - 60]: 50 } })]
    const { samples, summaries } = await pulled('sleep', between('2026-11-01T00:00:00Z', '2026-11-22T00:00:00Z'))
    expect(summaries[1]?.document).toMatchObject({ stage_end_offset_second: [90_000, 108_000], stage_type: [2, 1] })
    expect(samples.map(each => [each.value, each.sourceType])).toEqual([[50, 'unknown']])
  })
})
