/** How the metrics and workouts of Health Auto Export are converted. */
import { describe, expect, test } from 'vitest'
import { importerFor } from '../../../src/connectors/files/formats.ts'
import { healthAutoExport } from '../../../src/connectors/files/health-auto-export/health-auto-export.ts'
import { readContent, reasons } from './record-files.ts'

const DATE = '2024-02-06 14:30:00 -0800'
const SOURCE = "Canary's Watch"

function document(metrics: readonly object[], more: object = {}): string {
  return JSON.stringify({ data: { metrics, ...more } })
}
const metric = (name: string, units: string, ...data: object[]): object => ({ name, units, data })

test.each([
  ['step_count', 'count', { qty: 512 }, 'steps', 512],
  ['heart_rate', 'count/min', { Min: 60, Avg: 72.5, Max: 90 }, 'heartrate', 72.5],
  ['heart_rate', 'bpm', { qty: 71 }, 'heartrate', 71],
  ['active_energy', 'kJ', { qty: 418.4 }, 'calories_active', 100],
  ['active_energy', 'kcal', { qty: 100.25 }, 'calories_active', 100.25],
  ['walking_running_distance', 'mi', { qty: 1 }, 'distance', 1609.344],
  ['weight_body_mass', 'lb', { qty: 150 }, 'body_weight', 68.038856],
  ['weight_&_body_mass', 'kg', { qty: 70 }, 'body_weight', 70],
  ['blood_oxygen_saturation', '%', { qty: 97 }, 'blood_oxygen', 97],
  ['body_temperature', 'degF', { qty: 98.6 }, 'body_temperature', 37],
  ['blood_glucose', 'mg/dL', { qty: 90 }, 'glucose', 4.99567],
  ['dietary_caffeine', 'mg', { qty: 80 }, 'caffeine', 0.08],
  ['vo2_max', 'ml/(kg·min)', { qty: 41 }, 'vo2_max', 41],
  ['mindful_minutes', 'min', { qty: 5 }, 'mindfulness_minutes', 5],
])('%s in %s', async (name, units, reading, resource, value) => {
  const read = await readContent(
    healthAutoExport,
    document([metric(name, units, { ...reading, date: DATE, source: SOURCE })]),
  )
  expect(read).toMatchObject({ records: 1, skipped: {}, error: undefined })
  expect(read.samples).toMatchObject([
    { resource, value, provider: 'manual', sourceType: 'unknown', start: '2024-02-06T22:30:00.000Z', offset: -28_800 },
  ])
  expect(JSON.stringify(read)).not.toContain('Canary')
})

test('stores heart rate variability as SDNN', async () => {
  const read = await readContent(
    healthAutoExport,
    document([metric('heart_rate_variability', 'ms', { qty: 40, date: DATE })]),
  )
  expect(read.samples).toMatchObject([{ resource: 'hrv', type: null, text: { type: 'sdnn' } }])
})

test('adds resting heart rates and variability to nights, in any order in the file', async () => {
  const at = (time: string) => `2024-02-07 ${time} -0800`
  const night = { date: at('00:00:00'), sleepStart: '2024-02-06 23:00:00 -0800', sleepEnd: at('07:00:00') }
  const nap = { date: at('00:00:00'), sleepStart: at('13:00:00'), sleepEnd: at('14:00:00') }
  const read = await readContent(
    healthAutoExport,
    document([
      metric('sleep_analysis', 'hr', night, nap),
      metric('resting_heart_rate', 'count/min', { qty: 54, date: at('00:00:00') }),
      metric('heart_rate', 'count/min', { Avg: 70, date: at('00:00:00') }),
      metric('heart_rate_variability', 'ms', ...[40, 50].map((qty, i) => ({ qty, date: at(`0${i + 1}:00:00`) })), {
        ...{ qty: 99, startDate: at('03:00:00'), endDate: at('02:00:00') },
      }),
    ]),
  )
  expect(read.summaries.map(each => [each.document['hr_resting'], each.document['hrv_mean_sdnn']])).toEqual([
    [54, 45],
    [undefined, undefined],
  ])
  // a resting heart rate at the time of a day's mean heart rate does not replace it
  expect(read.samples).toMatchObject([
    { resource: 'heartrate', value: 70 },
    { resource: 'hrv', value: 40 },
    { resource: 'hrv', value: 50 },
  ])
  expect(reasons(read)).toEqual({
    'resting heart rates, which are stored only in the summaries of days and nights': 1,
    'heart_rate_variability ends before it starts': 1,
  })
  expect(read.records).toBe(read.samples.length + read.summaries.length + 2)
  // a value a day is the day's mean
  const daily = await readContent(
    healthAutoExport,
    document([
      metric('sleep_analysis', 'hr', night),
      metric('heart_rate_variability', 'ms', { qty: 40, date: at('00:00:00') }),
    ]),
  )
  expect(daily.summaries[0]?.document['hrv_mean_sdnn']).toBeUndefined()
})

test('keeps the nights before the damage of a file', async () => {
  const night = { sleepStart: '2024-02-06 23:00:00 -0800', sleepEnd: '2024-02-07 07:00:00 -0800' }
  const whole = document([metric('sleep_analysis', 'hr', night), metric('step_count', 'count', { qty: 5, date: DATE })])
  const read = await readContent(healthAutoExport, whole.slice(0, -12))
  expect(read.error).toBeDefined()
  expect(read.summaries).toHaveLength(1)
})

test('reads a blood pressure reading from one metric, or joins it from two', async () => {
  const read = await readContent(
    healthAutoExport,
    document([
      metric('blood_pressure', 'mmHg', { systolic: 121, diastolic: 80, date: DATE }),
      metric('blood_pressure_systolic', 'mmHg', { qty: 118, date: '2024-02-07 08:00:00 -0800' }),
      metric('blood_pressure_diastolic', 'mmHg', { qty: 77, date: '2024-02-07 08:00:00 -0800' }),
    ]),
  )
  expect(read.records).toBe(3)
  expect(read.samples.map(each => [each.value, each.second])).toEqual([
    [121, 80],
    [118, 77],
  ])
  expect(reasons(read)).toEqual({ 'the other half of a blood pressure reading that is stored': 1 })
})

test('reads a metric whose name and units come after its readings', async () => {
  const content = `{"data":{"metrics":[{"data":[{"qty":5,"date":"${DATE}"}],"units":"count","name":"step_count"}]}}`
  expect((await readContent(healthAutoExport, content)).samples).toMatchObject([{ resource: 'steps', value: 5 }])
})

test('keeps an interval if the reading has one, and reads 12-hour times', async () => {
  const read = await readContent(
    healthAutoExport,
    document([
      metric(
        'step_count',
        'count',
        { qty: 5, startDate: '2024-02-06 14:00:00 -0800', endDate: '2024-02-06 14:10:00 -0800', date: DATE },
        { qty: 6, date: '2024-02-06 2:30:00\u202fPM -0800' },
      ),
    ]),
  )
  expect(read.samples.map(each => [each.start, each.end])).toEqual([
    ['2024-02-06T22:00:00.000Z', '2024-02-06T22:10:00.000Z'],
    ['2024-02-06T22:30:00.000Z', '2024-02-06T22:30:00.000Z'],
  ])
})

test('creates a sleep summary from an aggregated night, with the same ID each time', async () => {
  const night = {
    date: '2024-02-07 00:00:00 -0800',
    sleepStart: '2024-02-06 23:00:00 -0800',
    sleepEnd: '2024-02-07 07:00:00 -0800',
    inBedStart: '2024-02-06 22:30:00 -0800',
    inBedEnd: '2024-02-07 07:00:00 -0800',
    totalSleep: 7.5,
    core: 4,
    deep: 1.5,
    rem: 2,
    awake: 0.5,
    source: SOURCE,
  }
  const content = document([metric('sleep_analysis', 'hr', night)])
  const read = await readContent(healthAutoExport, content)
  expect(read.records).toBe(1)
  expect(read.summaries).toMatchObject([
    {
      kind: 'sleep',
      date: '2024-02-07',
      offset: -28_800,
      document: {
        bedtime_start: '2024-02-07T06:30:00+00:00',
        bedtime_stop: '2024-02-07T15:00:00+00:00',
        type: 'long_sleep',
        duration: 30_600,
        total: 27_000,
        light: 14_400,
        deep: 5400,
        rem: 7200,
        awake: 1800,
        latency: 1800,
        efficiency: 88.24,
      },
    },
  ])
  expect((await readContent(healthAutoExport, content)).summaries[0]?.id).toBe(read.summaries[0]?.id)
})

describe('segments of sleep', () => {
  const segment = (value: string, from: string, to: string, more: object = {}): object => {
    const [startDate, endDate] = [`2024-02-${from}:00 -0800`, `2024-02-${to}:00 -0800`]
    return { startDate, endDate, qty: 1, value, source: SOURCE, ...more }
  }
  const sleeps = async (...segments: object[]) => {
    const read = await readContent(healthAutoExport, document([metric('sleep_analysis', 'hr', ...segments)]))
    const documents = (kind: string) => read.summaries.filter(each => each.kind === kind).map(each => each.document)
    return { ...read, sleep: documents('sleep'), cycles: documents('sleep_cycle') }
  }

  test('become a night with its stages, as in an export from the phone', async () => {
    const read = await sleeps(
      segment('REM', '07 02:00', '07 03:00'),
      segment('In Bed', '06 22:30', '07 06:30'),
      segment('Core', '06 23:00', '07 02:00'),
      segment('Awake', '07 03:00', '07 03:30'),
      segment('Deep', '07 03:30', '07 06:00'),
    )
    expect(read.summaries).toMatchObject([
      { kind: 'sleep', provider: 'manual', sourceType: 'unknown', date: '2024-02-07', offset: -28_800 },
      { kind: 'sleep_cycle' },
    ])
    expect(read.sleep[0]).toMatchObject({
      duration: 8 * 3600,
      total: 6.5 * 3600,
      light: 3 * 3600,
      rem: 3600,
      deep: 2.5 * 3600,
      awake: 1800,
      latency: 1800,
      efficiency: 81.25,
    })
    expect(read.cycles[0]).toMatchObject({ sleep_id: read.summaries[0]?.id, stage_type: [2, 3, 4, 1] })
    expect(reasons(read)).toEqual({ 'sleep segments joined into the sleep sessions that are stored': 4 })
  })

  test('of two sources stay separate, and the names of sources are not stored', async () => {
    const read = await sleeps(
      segment('Asleep', '06 23:00', '07 06:00'),
      segment('In Bed', '06 22:00', '07 07:00', { source: 'Secret iPhone' }),
    )
    expect(read.sleep.map(each => each['duration'])).toEqual([7 * 3600, 9 * 3600])
    expect(JSON.stringify(read)).not.toMatch(/secret/i)
  })

  test('are skipped without a known stage, without a time, or without a duration', async () => {
    const read = await sleeps(
      segment('Dreaming', '06 23:00', '07 06:00'),
      segment('Core', 'noon', '07 06:00'),
      segment('Core', '07 06:00', '07 06:00'),
      segment('Core', '07 06:00', '07 05:00'),
    )
    expect(read.summaries).toEqual([])
    expect(reasons(read)).toEqual({
      'sleep_analysis has an unknown category': 1,
      'sleep_analysis has a time that cannot be read': 1,
      'sleep_analysis has no duration': 1,
      'sleep_analysis ends before it starts': 1,
    })
  })
})

test('creates a summary from a workout, with its heart rates and its route', async () => {
  const workout = {
    name: 'Outdoor Run',
    start: '2024-02-06 07:00:00 -0800',
    end: '2024-02-06 07:30:00 -0800',
    activeEnergyBurned: { qty: 1255.2, units: 'kJ' },
    distance: { qty: 5, units: 'km' },
    avgHeartRate: { qty: 150, units: 'bpm' },
    elevationUp: { qty: 100, units: 'ft' },
    stepCount: [
      { qty: 2000, units: 'steps', date: DATE },
      { qty: 2100, units: 'steps', date: DATE },
    ],
    heartRateData: [
      { date: '2024-02-06 07:01:00 -0800', Min: 139, Avg: 140, Max: 141, units: 'bpm' },
      { date: '2024-02-06 07:02:00 -0800', Min: 150, Avg: 160, Max: 165, units: 'bpm' },
    ],
    route: [
      { latitude: 52.5, longitude: 13.4, altitude: 34, speed: -1, timestamp: '2024-02-06 07:01:30 -0800' },
      { latitude: 52.501, longitude: 13.4, altitude: 35, speed: 3, timestamp: '2024-02-06 07:02:30 -0800' },
    ],
  }
  const read = await readContent(healthAutoExport, document([], { workouts: [workout, { name: 'Yoga', start: 'x' }] }))
  expect(read.records).toBe(2)
  expect(reasons(read)).toEqual({ 'a workout has a time that cannot be read': 1 })
  const [summary] = read.summaries
  expect(summary).toMatchObject({
    kind: 'workouts',
    date: '2024-02-06',
    document: {
      title: 'Outdoor Run',
      sport: { slug: 'running' },
      calories: 300,
      distance: 5000,
      average_hr: 150,
      max_hr: 160,
      total_elevation_gain: 30.5,
      steps: 4100,
    },
  })
  const rates = read.samples.filter(each => each.resource === 'heartrate')
  expect(rates.map(each => [each.value, each.text['workout_id'], each.text['sport']])).toEqual([
    [140, summary?.id, 'running'],
    [160, summary?.id, 'running'],
  ])
  expect(read.streams).toMatchObject([{ workoutId: summary?.id, n: 4 }])
  expect([...(read.streams[0]?.columns.keys() ?? [])]).toEqual(expect.arrayContaining(['lat', 'lng', 'heartrate']))
})

test('counts records that cannot be stored and reads the rest', async () => {
  const read = await readContent(
    healthAutoExport,
    document(
      [
        metric('walking_speed', 'km/hr', { qty: 5, date: DATE }),
        metric("Canary's metric", 'count', { qty: 1, date: DATE }),
        metric('step_count', 'km', { qty: 5, date: DATE }),
        metric('heart_rate', 'bpm', { qty: 'many', date: DATE }, { qty: 5, date: 'today' }, { qty: 60, date: DATE }),
      ],
      { ecg: [{ voltage: [1, 2] }], stateOfMind: [{}, {}] },
    ),
  )
  expect(read).toMatchObject({ records: 9, error: undefined })
  expect(read.samples).toMatchObject([{ resource: 'heartrate', value: 60 }])
  expect(reasons(read)).toEqual({
    'walking_speed is not imported': 1,
    'a metric without a known name is not imported': 1,
    'step_count has the unit km, which its resource does not support': 1,
    'heart_rate has no numeric value': 1,
    'heart_rate has a time that cannot be read': 1,
    'ecg are not imported': 1,
    'stateOfMind are not imported': 2,
  })
})

test('yields the records before the end of a truncated file', async () => {
  const whole = document([
    metric('step_count', 'count', { qty: 1, date: DATE }, { qty: 2, date: '2024-02-07 14:30:00 -0800' }),
  ])
  const read = await readContent(healthAutoExport, whole.slice(0, -20))
  expect(read).toMatchObject({ records: 1, error: { code: 'invalid_file', message: expect.stringMatching(/cut off/) } })
  expect(read.samples).toMatchObject([{ value: 1 }])
})

test('is recognized by its first keys', () => {
  expect(importerFor(Buffer.from(document([]))).format).toBe('health_auto_export')
  expect(importerFor(Buffer.from('{\n "data" : {\n "workouts" : [')).format).toBe('health_auto_export')
})

test('reads a workout with any name, and leaves invalid positions and implausible times out of its stream', async () => {
  const start = '2024-02-06 14:30:00 -0800'
  const routePoint = (latitude: number, timestamp: string): object => ({ latitude, longitude: 8, timestamp })
  const route = [
    routePoint(47, start),
    routePoint(47.001, '2024-02-06 14:31:00 -0800'),
    routePoint(999, '2024-02-06 14:32:00 -0800'),
    routePoint(47, '1950-02-06 14:33:00 -0800'),
  ]
  const workout = { name: 'constructor', start, end: '2024-02-06 15:00:00 -0800', route }
  const read = await readContent(healthAutoExport, document([], { workouts: [workout] }))
  expect(read).toMatchObject({ records: 1, skipped: {}, error: undefined })
  expect(read.summaries[0]?.document).toMatchObject({ title: 'constructor', sport: { slug: 'other' }, distance: 111.2 })
  expect(read.streams[0]?.n).toBe(2)
})
