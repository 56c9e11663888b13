/** How Open mHealth data points are converted. */
import { expect, test } from 'vitest'
import { importerFor } from '../../../src/connectors/files/formats.ts'
import { openMhealth } from '../../../src/connectors/files/open-mhealth/open-mhealth.ts'
import { readContent, reasons } from './record-files.ts'

const AT = { effective_time_frame: { date_time: '2025-03-01T07:25:00-08:00' } }
const HOUR = {
  effective_time_frame: {
    time_interval: { start_date_time: '2025-03-01T07:00:00Z', end_date_time: '2025-03-01T08:00:00Z' },
  },
}

function point(name: string, body: object, header: object = {}): object {
  return {
    header: { id: 'x', schema_id: { namespace: 'omh', name, version: '2.0' }, user_id: 'u1', ...header },
    body,
  }
}
const heart = (more: object = {}): object =>
  point('heart-rate', { heart_rate: { value: 62, unit: 'beats/min' }, ...AT, ...more })

test.each([
  ['heart-rate', { heart_rate: { value: 62, unit: 'beats/min' } }, 'heartrate', 62],
  ['step-count', { step_count: 812 }, 'steps', 812],
  ['step-count', { step_count: { value: 812, unit: 'steps' } }, 'steps', 812],
  ['blood-glucose', { blood_glucose: { value: 90, unit: 'mg/dL' } }, 'glucose', 4.99567],
  ['body-weight', { body_weight: { value: 150, unit: 'lb' } }, 'body_weight', 68.038856],
  ['body-temperature', { body_temperature: { value: 98.6, unit: 'F' } }, 'body_temperature', 37],
  ['oxygen-saturation', { oxygen_saturation: { value: 97, unit: '%' } }, 'blood_oxygen', 97],
  ['respiratory-rate', { respiratory_rate: { value: 14, unit: 'breaths/min' } }, 'respiratory_rate', 14],
  ['body-fat-percentage', { body_fat_percentage: { value: 21, unit: '%' } }, 'body_fat', 21],
  ['body-mass-index', { body_mass_index: { value: 22, unit: 'kg/m2' } }, 'body_mass_index', 22],
  ['calories-burned', { kcal_burned: { value: 300, unit: 'kcal' } }, 'calories_active', 300],
])('%s becomes %s', async (name, body, resource, value) => {
  const read = await readContent(openMhealth, JSON.stringify(point(name, { ...body, ...AT })))
  expect(read).toMatchObject({ records: 1, skipped: {}, error: undefined })
  expect(read.samples).toMatchObject([
    { resource, value, provider: 'manual', sourceType: 'unknown', start: '2025-03-01T15:25:00.000Z', offset: -28_800 },
  ])
})

test('reads both values of a blood pressure reading, and the body location of a temperature', async () => {
  const pressure = point('blood-pressure', {
    systolic_blood_pressure: { value: 121, unit: 'mmHg' },
    diastolic_blood_pressure: { value: 80, unit: 'mmHg' },
    ...AT,
  })
  const temperature = point('body-temperature', {
    body_temperature: { value: 36.8, unit: 'C' },
    measurement_location: 'oral',
    ...AT,
  })
  const read = await readContent(openMhealth, JSON.stringify([pressure, temperature]))
  expect(read.samples).toMatchObject([
    { resource: 'blood_pressure', value: 121, second: 80 },
    { resource: 'body_temperature', text: { sensor_location: 'mouth' } },
  ])
})

test.each([
  ['start and end', { start_date_time: '2025-03-01T07:00:00Z', end_date_time: '2025-03-01T08:00:00Z' }],
  ['start and duration', { start_date_time: '2025-03-01T07:00:00Z', duration: { value: 60, unit: 'min' } }],
  ['end and duration', { end_date_time: '2025-03-01T08:00:00Z', duration: { value: 1, unit: 'h' } }],
])('reads an interval given by %s', async (_what, time_interval) => {
  const read = await readContent(
    openMhealth,
    JSON.stringify(point('step-count', { step_count: 10, effective_time_frame: { time_interval } })),
  )
  expect(read.samples).toMatchObject([{ start: '2025-03-01T07:00:00.000Z', end: '2025-03-01T08:00:00.000Z' }])
})

test('creates a workout from a physical activity', async () => {
  const activity = point('physical-activity', {
    activity_name: 'walking',
    distance: { value: 1.5, unit: 'mi' },
    kcal_burned: { value: 120, unit: 'kcal' },
    ...HOUR,
  })
  const read = await readContent(openMhealth, JSON.stringify(activity))
  expect(read).toMatchObject({ records: 1, samples: [], skipped: {} })
  expect(read.summaries).toMatchObject([
    {
      kind: 'workouts',
      provider: 'manual',
      document: {
        time_start: '2025-03-01T07:00:00+00:00',
        time_end: '2025-03-01T08:00:00+00:00',
        sport: { slug: 'walking' },
        distance: 2414.02,
        calories: 120,
      },
    },
  ])
})

test('counts records that cannot be stored and reads the rest, in a list and in lines', async () => {
  const all = [
    heart(),
    point('sleep-duration', { sleep_duration: { value: 7, unit: 'h' }, ...AT }),
    heart({ heart_rate: { value: 62, unit: 'km' } }),
    heart({ heart_rate: {} }),
    heart({ effective_time_frame: {} }),
    heart({ descriptive_statistic: 'maximum' }),
    { body: {} },
    7,
  ]
  const expected = {
    'sleep-duration is not imported': 1,
    'heart-rate has the unit km, which its resource does not support': 1,
    'heart-rate has no numeric value': 1,
    'heart-rate has no valid time frame': 1,
    'heart-rate is a statistic other than an average': 1,
    'a data point has no schema_id or no body': 2,
  }
  for (const form of [JSON.stringify(all), all.map(each => JSON.stringify(each)).join('\n')]) {
    const read = await readContent(openMhealth, form)
    expect(read).toMatchObject({ records: 8, error: undefined })
    expect(read.samples).toHaveLength(1)
    expect(reasons(read)).toEqual(expected)
  }
})

test('refuses data points of two people', async () => {
  const other = point('heart-rate', { heart_rate: { value: 62, unit: 'beats/min' }, ...AT }, { user_id: 'u2' })
  const read = await readContent(openMhealth, JSON.stringify([heart(), other]))
  expect(read.error).toMatchObject({ code: 'invalid_file', message: expect.stringMatching(/more than one person/) })
})

test('is recognized by its header or by its time frame', () => {
  const { header, body } = heart() as { header: object; body: object }
  for (const form of [{ header, body }, { body, header }, [{ body: { ...body, x: 'y'.repeat(5000) }, header }]]) {
    expect(importerFor(Buffer.from(JSON.stringify(form)).subarray(0, 4096)).format).toBe('open_mhealth')
  }
})

test('does not mistake names of object members for schemas', async () => {
  const day = { effective_time_frame: { date: '2025-03-01', part_of_day: 'constructor' } }
  const warm = { body_temperature: { value: 37, unit: 'C' }, measurement_location: 'constructor', ...AT }
  const points = [point('step-count', { step_count: 7, ...day }), point('body-temperature', warm)]
  const read = await readContent(openMhealth, JSON.stringify(points))
  expect(read).toMatchObject({ records: 2, skipped: {}, error: undefined })
  expect(read.samples).toMatchObject([
    { resource: 'steps', start: '2025-03-01T00:00:00.000Z' },
    { resource: 'body_temperature', text: {} },
  ])
})
