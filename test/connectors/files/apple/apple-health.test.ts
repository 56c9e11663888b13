/** How the records of an Apple Health export are converted. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accounted, exportXml, importBytes, importFile, record } from '../exports.ts'

const SAMPLES = join(import.meta.dirname, '../../../fixtures/samples/apple-health/tdda')
const Q = 'HKQuantityTypeIdentifier'
const C = 'HKCategoryTypeIdentifier'
const WATCH =
  '&lt;&lt;HKDevice: 0x28300&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2&gt;'

/** Reads the rows of a CSV whose values contain no commas. */
async function csv(name: string): Promise<Record<string, string>[]> {
  const [head = '', ...lines] = (await readFile(join(SAMPLES, 'expected', name), 'utf8')).trim().split(/\r?\n/)
  const keys = head.split(',')
  return lines.map(line => Object.fromEntries(line.split(',').map((cell, i) => [keys[i], cell.replaceAll('"', '')])))
}
const iso = (time: string): string =>
  new Date(
    time
      .replace(/ ([+-])/, '$1')
      .replace(' ', 'T')
      .replace(/(\d\d)$/, ':$1'),
  ).toISOString()

test('imports the published sample with the same result as its own tool', async () => {
  const read = await importFile(join(SAMPLES, 'export6s3sample.xml'))
  expect(read.records).toBe(18)
  expect(accounted(read)).toBe(18)
  expect(read.skipped).toEqual({})
  for (const [resource, file, factor] of [
    ['steps', 'StepCount.csv', 1],
    ['distance', 'DistanceWalkingRunning.csv', 1000],
  ] as const) {
    const rows = await csv(file)
    const samples = read.samples.filter(each => each.resource === resource)
    expect(samples.map(each => [each.start, each.end, each.offset])).toEqual(
      rows.map(row => [iso(row['startDate'] as string), iso(row['endDate'] as string), 3600]),
    )
    for (const [i, row] of rows.entries()) expect(samples[i]?.value).toBeCloseTo(Number(row['value']) * factor, 9)
  }
  const steps = read.samples.filter(each => each.resource === 'steps')
  expect(steps).toHaveLength(10)
  expect(steps.reduce((sum, each) => sum + each.value, 0)).toBe(2517)
  const [row] = await csv('Workout.csv')
  const workout = read.summaries.find(each => each.kind === 'workouts')
  expect(workout).toMatchObject({ sourceType: 'watch', date: '2016-04-02', offset: 3600 })
  expect(workout?.document).toMatchObject({
    time_start: '2016-04-02T09:40:38+00:00',
    time_end: '2016-04-02T10:12:22+00:00',
    calendar_date: '2016-04-02',
    distance: 0,
    calories: Number(row?.['totalEnergyBurned']),
    moving_time: 1904,
    sport: { id: 3000, name: 'Other', slug: 'other' },
  })
  const days = read.summaries.filter(each => each.kind === 'activity')
  const expected = await csv('ActivitySummary.csv')
  expect(days.map(each => [each.date, each.document['calories_active']])).toEqual(
    expected.map(each => [each['dateComponents'], Number(each['activeEnergyBurned'])]),
  )
})

test.each([
  [`${Q}HeartRate`, '1.2', 'count/s', 'heartrate', 72],
  [`${Q}DistanceCycling`, '2', 'mi', 'distance', 3218.688],
  [`${Q}DistanceSwimming`, '50', 'yd', 'distance', 45.72],
  [`${Q}ActiveEnergyBurned`, '418.4', 'kJ', 'calories_active', 100],
  [`${Q}BasalEnergyBurned`, '70.5', 'Cal', 'calories_basal', 70.5],
  [`${Q}BodyMass`, '11', 'st', 'body_weight', 69.853225],
  [`${Q}BodyMass`, '150', 'lb', 'body_weight', 68.038856],
  [`${Q}BodyFatPercentage`, '0.57', '%', 'body_fat', 57],
  [`${Q}OxygenSaturation`, '0.98', '%', 'blood_oxygen', 98],
  [`${Q}RespiratoryRate`, '14.5', 'count/min', 'respiratory_rate', 14.5],
  [`${Q}VO2Max`, '41.25', 'mL/min·kg', 'vo2_max', 41.25],
  [`${Q}BodyTemperature`, '98.6', 'degF', 'body_temperature', 37],
  [`${Q}BloodGlucose`, '111.897', 'mg/dL', 'glucose', 6.211117],
  [`${Q}BloodGlucose`, '5.5', 'mmol&lt;180.1558800000541&gt;/L', 'glucose', 5.5],
  [`${Q}DietaryWater`, '0.5', 'L', 'water', 500],
  [`${Q}DietaryCaffeine`, '95', 'mg', 'caffeine', 0.095],
  [`${Q}WaistCircumference`, '0.8', 'm', 'waist_circumference', 80],
  [`${Q}AppleStandTime`, '5', 'min', 'stand_duration', 5],
  [`${C}MindfulSession`, '', undefined, 'mindfulness_minutes', 5],
  [`${C}HandwashingEvent`, 'HKCategoryValueNotApplicable', undefined, 'handwashing', 1],
])('imports %s of %s %s as %s %d', async (type, value, unit, resource, expected) => {
  const read = await importBytes(exportXml(record(type, value, unit)))
  expect(read.samples).toMatchObject([{ resource, value: expected, sourceType: 'app', offset: 3600 }])
})

test('distinguishes SDNN from RMSSD, and wheelchair distance from walking distance', async () => {
  const read = await importBytes(
    exportXml(record(`${Q}HeartRateVariabilitySDNN`, '48.5', 'ms') + record(`${Q}DistanceWheelchair`, '1', 'km')),
  )
  expect(read.samples.map(each => each.text)).toEqual([{ type: 'sdnn' }, { sport: 'wheelchair_push' }])
})

test('stores stand hours by their type, stood or idle', async () => {
  const read = await importBytes(
    exportXml(
      record(`${C}AppleStandHour`, 'HKCategoryValueAppleStandHourStood', undefined) +
        record(`${C}AppleStandHour`, 'HKCategoryValueAppleStandHourIdle', undefined),
    ),
  )
  expect(read.samples).toMatchObject([{ resource: 'stand_hour', type: 'stood', value: 1 }, { type: 'idle' }])
})

test('distinguishes watch, phone and app, and stores no device name', async () => {
  const steps = (more: Record<string, string>): string => record(`${Q}StepCount`, '1', 'count', more)
  const read = await importBytes(
    exportXml(
      steps({ sourceName: 'Secret', device: WATCH }) +
        steps({ sourceName: 'Secret’s Apple\u00a0Watch' }) +
        steps({ sourceName: 'Secret’s iPhone' }) +
        steps({ sourceName: 'Secret', device: '&lt;&lt;HKDevice: 0x1&gt;, name:iPad, model:iPad&gt;' }) +
        steps({ sourceName: 'Secret Steps' }) +
        steps({ sourceName: '' }),
    ),
  )
  expect(read.samples.map(each => each.sourceType).sort()).toEqual([
    'app',
    'phone',
    'phone',
    'unknown',
    'watch',
    'watch',
  ])
  expect(JSON.stringify(read)).not.toMatch(/secret|0x/i)
})

test('keeps the offset of each sample, and reads a time without one in the user’s time zone', async () => {
  const at = (time: string): string => record(`${Q}HeartRate`, '60', 'count/min', { startDate: time, endDate: time })
  const xml = exportXml(at('2026-01-01 08:00:00 -0530') + at('2026-01-01 08:00:00') + at('2026-01-01T08:00:00Z'))
  const times = async (timeZone: string | null) =>
    (await importBytes(xml, { timeZone })).samples.map(each => [each.start.slice(11, 16), each.offset])
  expect(await times('Europe/Berlin')).toEqual([
    ['13:30', -19_800],
    ['07:00', 3600],
    ['08:00', null],
  ])
  expect(await times(null)).toEqual([
    ['13:30', -19_800],
    ['08:00', null],
    ['08:00', null],
  ])
})

test('skips records that it cannot store, with reasons that contain the type but never the value', async () => {
  const steps = (value: string, more: Record<string, string> = {}, unit = 'count'): string =>
    record(`${Q}StepCount`, value, unit, more)
  const read = await importBytes(
    exportXml(
      [
        steps('4711x'),
        steps(''),
        steps('0x4711'),
        steps('NaN'),
        steps('4711', {}, 'parsec4711'),
        steps('1', { startDate: 'yesterday4711' }),
        steps('1', { startDate: '2026-02-30 08:00:00 +0100' }),
        steps('1', { endDate: '2026-01-01 07:59:59 +0100' }),
        steps('1', { startDate: '2026-01-12 08:00:00 +0000', endDate: '2026-01-12 08:00:00 +0000' }),
        record(`${Q}WalkingSpeed`, '4711', 'km/hr'),
        record('<4711>'.replace('<', '&lt;'), '4711', 'count'),
        '<ClinicalRecord type="4711"/>',
      ].join('\n'),
    ),
  )
  expect(read.samples).toEqual([])
  expect(read.skipped).toEqual({
    [`${Q}StepCount has a value that is not a finite number`]: 4,
    [`${Q}StepCount has an unknown unit`]: 1,
    [`${Q}StepCount has no valid start time`]: 2,
    [`${Q}StepCount ends before it starts`]: 1,
    [`${Q}StepCount starts more than a day in the future`]: 1,
    [`${Q}WalkingSpeed is not imported`]: 1,
    'a record type that is not from Apple Health is not imported': 1,
    'ClinicalRecord elements are not imported': 1,
  })
  expect(read.records).toBe(12)
  expect(JSON.stringify(read.skipped)).not.toContain('4711')
})

test('counts a record inside a correlation once, and joins both values of a blood pressure reading', async () => {
  const systolic = record(`${Q}BloodPressureSystolic`, '121', 'mmHg')
  const diastolic = record(`${Q}BloodPressureDiastolic`, '79', 'mmHg')
  const alone = record(`${Q}BloodPressureDiastolic`, '80', 'mmHg', { startDate: '2026-01-01 08:01:00 +0100' })
  const read = await importBytes(
    exportXml(
      `${systolic}${diastolic}${alone}<Correlation type="HKCorrelationTypeIdentifierBloodPressure">${systolic}${diastolic}</Correlation>`,
    ),
  )
  expect(read.samples).toMatchObject([{ resource: 'blood_pressure', value: 121, second: 79 }])
  expect(read.records).toBe(4)
  expect(accounted(read)).toBe(4)
})

test('reads a workout of a newer export with its own statistics, not those of its parts', async () => {
  const read = await importBytes(
    exportXml(`<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" sourceName="X" device="${WATCH}"
 startDate="2026-01-01 23:50:00 -0500" endDate="2026-01-02 00:25:00 -0500">
 <MetadataEntry key="HKElevationAscended" value="3240 cm"/>
 <WorkoutStatistics type="${Q}HeartRate" average="151.6" minimum="90" maximum="178" unit="count/min"/>
 <WorkoutStatistics type="${Q}DistanceWalkingRunning" sum="5.25" unit="km"/>
 <WorkoutStatistics type="${Q}ActiveEnergyBurned" sum="1000" unit="kJ"/>
 <WorkoutStatistics type="${Q}StepCount" sum="4800" unit="count"/>
 <WorkoutActivity><WorkoutStatistics type="${Q}DistanceWalkingRunning" sum="1" unit="km"/></WorkoutActivity>
</Workout>`),
  )
  expect(read.summaries).toMatchObject([
    {
      kind: 'workouts',
      sourceType: 'watch',
      at: Date.UTC(2026, 0, 2, 4, 50),
      date: '2026-01-01',
      offset: -18_000,
      document: {
        time_start: '2026-01-02T04:50:00+00:00',
        title: 'Running',
        sport: { id: 37, name: 'Running', slug: 'running' },
        average_hr: 152,
        max_hr: 178,
        distance: 5250,
        calories: 239.005736,
        steps: 4800,
        moving_time: 1830,
        total_elevation_gain: 32.4,
      },
    },
  ])
})

test('yields the same IDs and documents when imported again', async () => {
  const xml = exportXml(
    record(`${C}SleepAnalysis`, 'HKCategoryValueSleepAnalysisAsleepDeep', undefined) +
      '<Workout workoutActivityType="HKWorkoutActivityTypeYoga" startDate="2026-01-01 08:00:00 +0000" endDate="2026-01-01 09:00:00 +0000"/>' +
      '<ActivitySummary dateComponents="2026-01-01" activeEnergyBurned="500" activeEnergyBurnedUnit="kcal"/>',
  )
  const [first, second] = [await importBytes(xml), await importBytes(xml)]
  expect(first.summaries).toHaveLength(4)
  expect(second.summaries).toEqual(first.summaries)
})

test('adds the resting heart rate to its day and night, and the variability to its night', async () => {
  const watch = { sourceName: 'Apple Watch' }
  const between = (from: string, to: string, more = {}) => ({
    ...watch,
    startDate: `2026-01-${from} +0100`,
    endDate: `2026-01-${to} +0100`,
    ...more,
  })
  const asleep = (from: string, to: string) =>
    record(`${C}SleepAnalysis`, 'HKCategoryValueSleepAnalysisAsleepCore', undefined, between(from, to))
  const xml = exportXml(
    [
      '<ActivitySummary dateComponents="2026-01-02" activeEnergyBurned="500" activeEnergyBurnedUnit="kcal"/>',
      '<ActivitySummary dateComponents="2026-01-03" activeEnergyBurned="400" activeEnergyBurnedUnit="kcal"/>',
      record(`${Q}HeartRateVariabilitySDNN`, '40', 'ms', between('02 02:00:00', '02 02:01:00')),
      record(`${Q}HeartRateVariabilitySDNN`, '45.5', 'ms', between('01 23:00:00', '01 23:01:00')),
      record(`${Q}HeartRateVariabilitySDNN`, '99', 'ms', between('02 07:00:00', '02 07:01:00')),
      record(
        `${Q}HeartRateVariabilitySDNN`,
        '99',
        'ms',
        between('02 02:30:00', '02 02:31:00', { sourceName: 'An app' }),
      ),
      asleep('01 23:00:00', '02 07:00:00'),
      asleep('02 14:00:00', '02 14:40:00'),
      record(`${Q}HeartRate`, '71', 'count/min', between('02 09:00:00', '02 09:00:00')),
      // the watch computes it again during the day
      record(`${Q}RestingHeartRate`, '53', 'count/min', between('02 09:00:00', '02 22:00:00')),
      record(`${Q}RestingHeartRate`, '56', 'count/min', between('02 00:10:00', '02 08:00:00')),
    ].join('\n'),
  )
  const read = await importBytes(xml)
  expect(accounted(read)).toBe(read.records)
  const documents = (kind: string) => read.summaries.filter(each => each.kind === kind).map(each => each.document)
  expect(documents('activity')).toMatchObject([
    { calories_active: 500, heart_rate: { resting_bpm: 53 } },
    { calories_active: 400 },
  ])
  expect(documents('activity')[1]).not.toHaveProperty('heart_rate')
  expect(documents('sleep').map(each => [each['type'], each['hr_resting'], each['hrv_mean_sdnn']])).toEqual([
    ['long_sleep', 53, 42.75],
    ['short_sleep', undefined, undefined],
  ])
  // a resting heart rate at the time of a reading does not replace it
  expect(read.samples.filter(each => each.resource === 'heartrate').map(({ value }) => value)).toEqual([71])
  expect(read.skipped['resting heart rates, which are stored only in the summaries of days and nights']).toBe(2)
})

test('stops when cancelled', async () => {
  const controller = new AbortController()
  controller.abort()
  await expect(importBytes(exportXml(''), { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' })
})

test('yields batches of a series as they fill, whatever the order of the file', async () => {
  const minute = (i: number): string =>
    new Date(Date.UTC(2025, 0, 1) + i * 60_000).toISOString().replace('T', ' ').replace('.000Z', ' +0000')
  const records = Array.from({ length: 9000 }, (_, i) =>
    record(i % 2 ? `${Q}StepCount` : `${Q}HeartRate`, String(i), i % 2 ? 'count' : 'count/min', {
      startDate: minute(i),
      endDate: minute(i),
    }),
  )
  const read = await importBytes(exportXml(records.join('\n')))
  expect(read.samples).toHaveLength(9000)
  expect(read.samples.reduce((sum, each) => sum + each.value, 0)).toBe((8999 * 9000) / 2)
  expect(read.records).toBe(9000)
})
