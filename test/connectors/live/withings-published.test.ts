/** The mapping of records from the Withings API reference: its lists of categories and models, and its fields. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withingsConnector } from '../../../src/connectors/live/withings/connector.ts'
import { ownedId } from '../../../src/core/ids.ts'
import { type FakeWithings, openWithings, type WithingsPerson } from '../../providers/withings/withings.ts'
import { between, personSession, pull, USER } from './pulled.ts'

let withings: FakeWithings
let has: WithingsPerson
let people = 0
beforeAll(async () => {
  withings = await openWithings()
})
afterAll(() => withings.close())
beforeEach(() => {
  has = withings.person(`person-${++people}`)
})

/** The date of the examples in the reference. */
const JULY = between('2020-07-01T00:00:00Z', '2020-07-20T00:00:00Z')
const START = 1_594_245_600 // 2020-07-08T22:00:00Z
const END = 1_594_257_200 // 2020-07-09T01:13:20Z

const pulled = (collection: string, asked = {}) =>
  pull(withingsConnector, personSession(withings, withingsConnector, { account: `person-${people}` }), {
    collection,
    window: JULY,
    ...asked,
  })

const workout = (id: number, more: object) => ({
  ...{ id, timezone: 'Europe/Paris', model: 93, attrib: 0, startdate: START, enddate: END, date: '2020-07-09' },
  ...{ modified: END, deviceid: '892359876fd8805ac45bab078c4828692f0276b1', data: {} },
  ...more,
})

/** Every category in the reference, by the expected sport. */
const CATEGORIES: Readonly<Record<string, readonly number[]>> = {
  walking: [1, 306, 542, 543, 559, 562, 566],
  running: [2],
  hiking: [3],
  skating_sports: [4, 492],
  cycling: [5, 6, 518, 528],
  swimming: [7],
  surfing_sports: [8, 11],
  kitesurfing: [9],
  windsurfing: [10],
  tennis: [12],
  table_tennis: [13],
  squash: [14],
  badminton: [15],
  traditional_strength_training: [16, 540],
  functional_strength_training: [17],
  elliptical: [18],
  pilates: [19],
  basketball: [20],
  soccer: [21],
  american_football: [22],
  rugby: [23],
  volleyball: [24, 490],
  water_polo: [25],
  equestrian_sports: [26],
  golf: [27],
  yoga: [28],
  dance: [29, 534, 544, 549],
  boxing: [30],
  fencing: [31],
  wrestling: [32, 567],
  martial_arts: [33, 535, 536, 537],
  downhill_skiing: [34],
  snowboarding: [35],
  rowing: [187],
  cardio_dance: [188],
  baseball: [191, 503],
  handball: [192],
  hockey: [193, 194],
  climbing: [195],
  ice_skating: [196],
  multisport: [272, 519, 521],
  treadmill_running: [307],
  indoor_cycling: [308, 547],
  stand_up_paddling: [455],
  padel: [456],
  stair_climbing: [491],
  kayaking: [494],
  paddle_sports: [495],
  sailing: [496],
  fishing: [497],
  trail_running: [498],
  snowshoeing: [499],
  archery: [501],
  underwater_diving: [502],
  cross_country_skiing: [504, 529, 530, 531],
  disc_sports: [508, 513],
  pickleball: [510],
  wheelchair_run_pace: [515],
  wheelchair_walk_pace: [516],
  track_and_field: [517],
  water_sports: [522],
  mountain_biking: [523],
  gravel_cycling: [524],
  electric_cycling: [525, 526],
  hand_cycling: [527],
  racquetball: [532],
  gymnastics: [538],
  mixed_cardio: [541],
  cross_training: [546],
  cricket: [548],
  high_intensity_interval_training: [550],
  mind_and_body: [551, 560],
  flexibility: [552],
  lacrosse: [557],
  bowling: [564],
}
/** Categories without a similar sport in the catalogue: parkour, paintball, bocce, chores, cooking and others. */
const WITHOUT_SPORT = [
  ...[
    128, 457, 493, 500, 505, 506, 507, 509, 511, 512, 514, 520, 539, 545, 553, 554, 555, 556, 558, 561, 563, 565, 568,
  ],
]

describe('the 130 workout categories', () => {
  it('are mapped to sports in the catalogue, and the ones mapped to Other are counted', async () => {
    const listed = Object.entries(CATEGORIES).flatMap(([slug, ids]) => ids.map(id => [id, slug] as const))
    const all = [...listed, ...[36, ...WITHOUT_SPORT].map(id => [id, 'other'] as const)].sort(([a], [b]) => a - b)
    expect(all).toHaveLength(130)
    has.workouts = all.map(([category]) => workout(category, { category }))
    const { summaries, unmapped } = await pulled('getworkouts', { resources: ['workouts'] })
    const found = summaries.map(({ document }) => [
      Number(document['provider_id']),
      (document['sport'] as { readonly slug: string }).slug,
    ])
    expect(found.sort(([a], [b]) => Number(a) - Number(b))).toEqual(all)
    // 36 is Withings' own "Other"
    expect(unmapped).toEqual({ 'getworkouts.category': WITHOUT_SPORT.length })
  })
})

describe('a workout', () => {
  it('from another app has the source type app, and one from a watch does not', async () => {
    has.workouts = [55, 93, 1051, 1055, 1058, 1060, 1062].map(model => workout(model, { category: 1, model }))
    const { summaries } = await pulled('getworkouts', { resources: ['workouts'] })
    expect(summaries.map(({ document, sourceType }) => [document['provider_id'], sourceType])).toEqual([
      ['55', 'watch'],
      ['93', 'watch'],
      ['1051', 'app'],
      ['1055', 'app'],
      ['1058', 'app'],
      ['1060', 'app'],
      ['1062', 'app'],
    ])
  })

  it('in a pool has its strokes, and its distance from its lengths', async () => {
    has.workouts = [workout(7, { category: 7, data: { calories: 210, strokes: 640, pool_laps: 40, pool_length: 25 } })]
    const { samples, summaries, unmapped } = await pulled('getworkouts')
    expect(summaries[0]?.document).toMatchObject({ distance: 1000, calories: 210, sport: { slug: 'swimming' } })
    const text = { workout_id: ownedId(USER, 'workouts', 'withings', '7'), sport: 'swimming' }
    const common = {
      sourceType: 'watch',
      start: '2020-07-08T22:00:00Z',
      end: '2020-07-09T01:13:20Z',
      offset: 7200,
      text,
    }
    expect(samples.filter(each => each.resource !== 'workout_duration')).toEqual([
      { ...common, resource: 'workout_distance', value: 1000 },
      { ...common, resource: 'workout_swimming_stroke', value: 640 },
    ])
    expect(unmapped).toEqual({})
  })
})

describe('a group of measures', () => {
  const group = (grpid: number, measures: readonly (readonly [number, number, number])[], more: object) => ({
    ...{ grpid, attrib: 0, date: START + grpid, created: START, modified: END, category: 1 },
    ...{ measures: measures.map(([type, value, unit]) => ({ type, value, unit })), ...more },
  })

  it.each([
    [{ model: 'Body Cardio', model_id: 6 }, 'scale'],
    [{ model: 'Body+', modelid: 5 }, 'scale'],
    [{ model: 'Body Scan' }, 'scale'],
    [{ model: 'WBS11' }, 'scale'],
    [{ model: 'Withings WBS01' }, 'scale'],
    [{ model: 'BPM Connect', model_id: 45 }, 'cuff'],
    [{ model: 'BPM Core' }, 'cuff'],
    [{ model: 'Withings Blood Pressure Monitor V2' }, 'cuff'],
    [{ model: 44 }, 'cuff'],
    [{ model: 'ScanWatch 2', model_id: 94 }, 'watch'],
    [{ model: 'Activite (Pop, Steel)' }, 'watch'],
    [{ model: 'Google Health Connect', model_id: 1060 }, 'app'],
    [{ model: 'Thermo', model_id: 70 }, 'unknown'],
    [{ model: null, deviceid: null }, 'unknown'],
    [{ model: 'BPM Core', attrib: 2 }, 'app'],
  ])('with only a pulse and %j is from a %s', async (more, sourceType) => {
    has.measuregrps = [group(1, [[11, 62, 0]], more)]
    const { samples } = await pulled('getmeas')
    expect(samples).toMatchObject([{ resource: 'heartrate', value: 62, sourceType }])
  })

  it('has visceral fat in the body summary', async () => {
    has.measuregrps = [
      group(
        1,
        [
          [1, 65_750, -3],
          [170, 42, -1],
        ],
        { model: 'Body Comp', model_id: 18 },
      ),
    ]
    const { summaries, unmapped } = await pulled('getmeas')
    expect(summaries[0]?.document).toMatchObject({ weight: 65.75, visceral_fat_index: 4.2 })
    expect(unmapped).toEqual({})
  })
})

describe('a night', () => {
  const night = (id: number, data: object) => ({
    ...{ id, timezone: 'Europe/Paris', model: 16, model_id: 93, startdate: START, enddate: END, date: '2020-07-09' },
    ...{
      created: END,
      modified: END,
      hash_deviceid: '892359876fd8805ac45bab078c4828692f0276b1',
      completed: true,
      data,
    },
  })

  it('from an external source has the sleep duration that the source reports', async () => {
    const stages = { lightsleepduration: null, deepsleepduration: null, remsleepduration: null, total_sleep_time: null }
    has.nights = [
      night(1, { ...stages, asleepduration: 10_800, total_timeinbed: 11_600 }),
      night(2, { ...stages, total_sleep_time: 0, asleepduration: 9000 }),
      night(3, { total_sleep_time: 9600, asleepduration: null }),
    ]
    const { summaries } = await pulled('sleep')
    expect(summaries.map(({ document }) => [document['total'], document['light']])).toEqual([
      [10_800, 0],
      [9000, 0],
      [9600, 0],
    ])
  })

  it('has its mean heart rate variability, and its breathing disturbances', async () => {
    has.nights = [
      night(1, { total_sleep_time: 9600, breathing_disturbances_intensity: 29 }),
      { ...night(2, { breathing_disturbances_intensity: 30 }), startdate: END + 60, enddate: END + 120 },
    ]
    has.segments = [
      { startdate: START, enddate: START + 600, state: 1, rmssd: { [START + 60]: 40, [START + 120]: 0 } },
      { startdate: START + 600, enddate: END, state: 2, rmssd: { [START + 660]: 45, [START + 720]: 52 } },
    ]
    const { summaries, samples, unmapped } = await pulled('sleep')
    const sleeps = summaries.filter(each => each.kind === 'sleep').map(each => each.document['average_hrv'])
    // (40 + 45 + 52) ÷ 3
    expect(sleeps).toEqual([45.6666666667, null])
    const disturbances = samples.filter(each => each.resource === 'sleep_breathing_disturbance')
    expect(disturbances).toMatchObject([
      { start: '2020-07-08T22:00:00Z', end: '2020-07-09T01:13:20Z', value: 29, offset: 7200, sourceType: 'watch' },
      { start: '2020-07-09T01:14:20Z', end: '2020-07-09T01:15:20Z', value: 30 },
    ])
    const pages = (await pulled('sleep')).records.flatMap(each => each.batches)
    const types = pages.flatMap(({ series }) =>
      series.resource === 'sleep_breathing_disturbance' ? [series.type] : [],
    )
    expect(types).toEqual(['not_elevated', 'elevated'])
    expect(unmapped).toEqual({})
  })
})

describe('an electrocardiogram', () => {
  const RECORDED = 1_594_159_644 // 2020-07-07T22:07:24Z
  const recording = (signalid: number, more: object = {}) => ({
    ...{ deviceid: '892359876fd8805ac45bab078c4828692f0276b1', model: 44, ecg: { signalid, afib: 1 } },
    ...{ bloodpressure: { diastole: 100, systole: 101 }, heart_rate: 82, modified: RECORDED, timestamp: RECORDED },
    ...more,
  })
  const SIGNAL = { signal: [1, 2, -3, 4000], sampling_frequency: 500, wearposition: 1, model: 44, heart_rate: 82 }

  it('is a summary with its finding, and a voltage for each sample', async () => {
    has.recordings = [recording(48)]
    has.signals = { 48: SIGNAL }
    const { samples, summaries, unmapped } = await pulled('heart', { timeZone: 'Europe/Paris' })
    const id = ownedId(USER, 'electrocardiogram', 'withings', '48')
    expect(summaries).toMatchObject([
      { id, kind: 'electrocardiogram', date: '2020-07-08', offset: 7200, sourceType: 'cuff' },
    ])
    expect(summaries[0]?.document).toEqual({
      calendar_date: '2020-07-08',
      session_start: '2020-07-07T22:07:24+00:00',
      session_end: '2020-07-07T22:07:24.008+00:00',
      voltage_sample_count: 4,
      heart_rate_mean: 82,
      sampling_frequency_hz: 500,
      classification: 'atrial_fibrillation',
      inconclusive_cause: null,
      algorithm_version: null,
      time_zone: 'Europe/Paris',
      source_provider: 'withings',
      source_type: 'cuff',
      source_app_id: null,
      source_device_id: null,
      source_device_model: 'BPM Core',
    })
    const common = { resource: 'electrocardiogram_voltage', sourceType: 'cuff', offset: 7200 }
    expect(samples).toEqual([
      { ...common, start: '2020-07-07T22:07:24.002Z', value: 0.002 },
      { ...common, start: '2020-07-07T22:07:24.004Z', value: -0.003 },
      { ...common, start: '2020-07-07T22:07:24.006Z', value: 4 },
      // as text, the whole second is the last
      { ...common, start: '2020-07-07T22:07:24Z', value: 0.001 },
    ])
    expect(unmapped).toEqual({})
  })

  it('keeps the 9,000 samples of half a minute at 300 Hz distinct, with the type lead_1', async () => {
    has.recordings = [recording(49, { model: 91 })]
    has.signals = { 49: { ...SIGNAL, signal: Array.from({ length: 9000 }, (_, i) => i), sampling_frequency: 300 } }
    const { records, summaries, samples } = await pulled('heart')
    expect(new Set(samples.map(each => each.start)).size).toBe(9000)
    expect(records[0]?.batches.map(({ series }) => series.type)).toEqual(['lead_1'])
    expect(summaries[0]?.document).toMatchObject({
      session_end: '2020-07-07T22:07:54+00:00',
      source_type: 'watch',
      source_device_model: 'Move ECG',
    })
  })

  it.each([
    [0, 'sinus_rhythm', null],
    [1, 'atrial_fibrillation', null],
    [2, 'inconclusive', null],
    [3, 'inconclusive', 'poor_reading'],
    [5, 'inconclusive', 'poor_reading'],
    [6, 'inconclusive', 'low_heart_rate'],
    [7, 'inconclusive', 'high_heart_rate'],
    [9, 'sinus_rhythm', null],
    [12, 'atrial_fibrillation', null],
    [13, 'inconclusive', null],
    [99, null, null],
  ])('with the finding %i is %s, %s', async (afib, classification, inconclusive_cause) => {
    has.recordings = [recording(50, { ecg: { signalid: 50, afib } })]
    has.signals = { 50: SIGNAL }
    const { summaries } = await pulled('heart')
    expect(summaries[0]?.document).toMatchObject({ classification, inconclusive_cause })
  })

  it('is counted if its samples have no usable frequency, and so is a recording of a stethoscope', async () => {
    const { ecg: _, ...sound } = recording(0)
    has.recordings = [recording(51), { ...sound, stetho: { signalid: 52, vhd: 1 } }]
    has.signals = { 51: { ...SIGNAL, sampling_frequency: 0 } }
    const { samples, summaries, unmapped } = await pulled('heart')
    expect(samples).toEqual([])
    expect(summaries[0]?.document).toMatchObject({ voltage_sample_count: 4, sampling_frequency_hz: null })
    expect(unmapped).toEqual({ 'heart get.signal': 4, 'heart list (without an electrocardiogram)': 1 })
  })

  it('is read again after a notification of its kind', async () => {
    const body = Buffer.from(`userid=7&appli=54&startdate=${RECORDED}&enddate=${RECORDED + 30}`)
    const incoming = {
      method: 'POST',
      header: () => null,
      query: new URLSearchParams(),
      body,
      receivedAt: Date.now(),
    } as const
    const secrets = { clientSecret: '', verificationToken: '', issued: async () => [] }
    const session = personSession(withings, withingsConnector)
    const reception = await withingsConnector.notifications?.receive(session, incoming, secrets)
    expect(reception).toMatchObject({ events: [{ accountId: '7', hints: [{ kind: 'window', collection: 'heart' }] }] })
  })
})
