/** Imports of Health Connect exports: what becomes of each table, and every trap of the format. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importerOfFile } from '../../../../src/connectors/files/formats.ts'
import { healthConnect } from '../../../../src/connectors/files/health-connect/health-connect.ts'
import type { ImportContext } from '../../../../src/connectors/files/importer.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/time.ts'
import { importContext } from '../import-context.ts'
import { type RecordsRead, readContent, readFile, reasons } from '../record-files.ts'
import { HealthConnectExport } from './health-connect-export.ts'

const T = Date.UTC(2025, 5, 1, 8)
/** Stands for an amount that the app did not state. */
const UNSET = Number.MIN_VALUE

async function imported(file: HealthConnectExport, context: Partial<ImportContext> = {}): Promise<RecordsRead> {
  const read = await readContent(healthConnect, file.zip(), context)
  expect(read.error).toBeUndefined()
  return read
}

function samplesOf(read: RecordsRead, resource: string) {
  return read.samples.filter(each => each.resource === resource)
}

function documentsOf({ summaries }: RecordsRead, kind: string) {
  return summaries.filter(each => each.kind === kind).map(each => each.document)
}

test('recognizes the zip file and the database in it by their content', async () => {
  const file = new HealthConnectExport()
  const zip = file.zip()
  const bare = await importerOfFile(file.path, Buffer.from('SQLite format 3\0'), undefined, undefined)
  expect(bare.format).toBe('health_connect')
  const read = await readContent(healthConnect, zip)
  expect(read).toMatchObject({ records: 0, samples: [], error: undefined })
})

test('converts samples to the units of their resources, with local time and source', async () => {
  const file = new HealthConnectExport()
  file.during('steps_record_table', T, T + MINUTE_MS, { count: 42 })
  file.during('distance_record_table', T, T + MINUTE_MS, { distance: 31.5 })
  file.during('active_calories_burned_record_table', T, T + MINUTE_MS, { energy: 1725.825 })
  file.during('floors_climbed_record_table', T, T + MINUTE_MS, { floors: 1.5 })
  file.during('wheelchair_pushes_record_table', T, T + MINUTE_MS, { count: 7 })
  file.during('hydration_record_table', T, T + MINUTE_MS, { volume: 0.25 })
  file.during('mindfulness_session_record_table', T, T + 10 * MINUTE_MS, { mindfulness_session_type: 1 })
  file.at('heart_rate_variability_rmssd_record_table', T, { heart_rate_variability_millis: 38.5 })
  file.at('oxygen_saturation_record_table', T, { percentage: 97 })
  file.at('respiratory_rate_record_table', T, { rate: 14.5 })
  file.at('body_temperature_record_table', T, { temperature: 36.6, measurement_location: 8 })
  file.at('body_temperature_record_table', T, { temperature: 34.1, measurement_location: 9 })
  file.at('basal_body_temperature_record_table', T, { temperature: 36.2, measurement_location: 4 })
  file.at('weight_record_table', T, { weight: 72_500 })
  file.at('lean_body_mass_record_table', T, { mass: 55_000 })
  file.at('body_fat_record_table', T, { percentage: 21.5 })
  file.at('blood_pressure_record_table', T, {
    systolic: 121,
    diastolic: 79,
    body_position: '2',
    measurement_location: '1',
  })
  file.at('blood_glucose_record_table', T, { level: 5.4, specimen_source: 1 })
  file.at('vo2_max_record_table', T, { vo2_milliliters_per_minute_kilogram: 44, measurement_method: 3 })
  const read = await imported(file)
  const values = read.samples.map(({ resource, value, second, text }) => [
    resource,
    value,
    second ?? text['sensor_location'],
  ])
  expect(values.map(each => each.filter(part => part !== undefined))).toEqual([
    ['steps', 42],
    ['distance', 31.5],
    ['calories_active', 1.725825],
    ['floors_climbed', 1.5],
    ['wheelchair_push', 7],
    ['water', 250],
    ['mindfulness_minutes', 10],
    ['hrv', 38.5],
    ['blood_oxygen', 97],
    ['respiratory_rate', 14.5],
    ['body_temperature', 36.6, 'ear'],
    ['body_temperature', 34.1, 'wrist'],
    ['basal_body_temperature', 36.2, 'mouth'],
    ['body_weight', 72.5],
    ['lean_body_mass', 55],
    ['body_fat', 21.5],
    ['blood_pressure', 121, 79],
    ['glucose', 5.4],
    ['vo2_max', 44],
  ])
  expect(read.samples[0]).toMatchObject({
    provider: 'health_connect',
    sourceType: 'watch',
    start: '2025-06-01T08:00:00.000Z',
    end: '2025-06-01T08:01:00.000Z',
    offset: 3600,
    text: { app_id: 'com.example.watch', device_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  })
  expect(read).toMatchObject({ records: 19, skipped: {} })
})

test('reads the values of a series with the source and offset of their record', async () => {
  const file = new HealthConnectExport()
  const heart = file.during('heart_rate_record_table', T, T + MINUTE_MS, { start_zone_offset: -7200 })
  for (const i of [0, 1, 2])
    file.insert('heart_rate_record_series_table', {
      parent_key: heart,
      beats_per_minute: 60 + i,
      epoch_millis: T + i * SECOND_MS,
    })
  file.insert('heart_rate_record_series_table', { parent_key: 99, beats_per_minute: 60, epoch_millis: T })
  const skin = file.during('skin_temperature_record_table', T, T + HOUR_MS, { measurement_location: 3, baseline: 33 })
  file.insert('skin_temperature_delta_table', { parent_key: skin, delta: -0.4, epoch_millis: T })
  const read = await imported(file)
  expect(samplesOf(read, 'heartrate').map(({ value, offset }) => [value, offset])).toEqual([
    [60, -7200],
    [61, -7200],
    [62, -7200],
  ])
  expect(samplesOf(read, 'body_temperature_delta')).toMatchObject([{ value: -0.4, text: { sensor_location: 'wrist' } }])
  expect(reasons(read)).toEqual({ 'a row of heart_rate_record_series_table belongs to no record': 1 })
  expect(read.records).toBe(5)
})

test('keeps the same steps of several apps and devices apart', async () => {
  const file = new HealthConnectExport()
  const [fit, typed] = [file.app('com.example.fit'), file.app('com.example.diary')]
  const [phone, band] = [file.device('Example', 'Phone', 2), file.device('Example', 'Band', 6)]
  const during = (values: Readonly<Record<string, number | null>>) =>
    file.during('steps_record_table', T, T + MINUTE_MS, { count: 42, ...values })
  during({})
  during({ app_info_id: fit })
  during({ app_info_id: fit, device_info_id: phone })
  during({ app_info_id: fit, device_info_id: band })
  during({ app_info_id: typed, device_info_id: null })
  during({ app_info_id: typed, device_info_id: phone, recording_method: 3 })
  during({ app_info_id: null, device_info_id: null })
  const read = await imported(file)
  const sources = read.samples.map(({ sourceType, text }) => [
    sourceType,
    text['app_id'],
    text['device_id'] !== undefined,
  ])
  expect(sources).toEqual([
    ['watch', 'com.example.watch', true],
    ['watch', 'com.example.fit', true],
    ['watch', 'com.example.fit', true],
    ['phone', 'com.example.fit', true],
    ['app', 'com.example.diary', false],
    ['app', 'com.example.diary', true],
    ['unknown', undefined, false],
  ])
  expect(new Set(read.samples.map(({ text }) => text['device_id'])).size).toBe(4)
})

test('gives devices the same IDs in every export of a user, whatever their row numbers are', async () => {
  const [one, other] = [new HealthConnectExport(), new HealthConnectExport()]
  other.device('Example', 'Phone', 2)
  const again = other.device('Example', 'Watch 3', 1)
  one.during('steps_record_table', T, T + MINUTE_MS, { count: 1 })
  other.during('steps_record_table', T, T + MINUTE_MS, { count: 1, device_info_id: again })
  const [first, second] = [await imported(one), await imported(other)]
  expect(second.samples[0]?.text).toEqual(first.samples[0]?.text)
})

test('reads a record without an offset in the time zone of the import', async () => {
  const file = new HealthConnectExport()
  file.during('steps_record_table', T, T + MINUTE_MS, { count: 1, start_zone_offset: null })
  file.during('steps_record_table', T, T + MINUTE_MS, { count: 1, start_zone_offset: 64_801 })
  const berlin = await imported(file, { timeZone: 'Europe/Berlin' })
  expect(berlin.samples.map(({ offset }) => offset)).toEqual([7200])
  expect(berlin.notices).toEqual({ 'records without an offset, whose local time is that of Europe/Berlin': 1 })
  expect(reasons(berlin)).toEqual({ 'a row of steps_record_table has an offset of more than 18 hours from UTC': 1 })
  expect((await readFile(healthConnect, file.path)).samples.map(({ offset }) => offset)).toEqual([null])
})

test('reads records without an offset on a day of 25 hours in both of its offsets', async () => {
  const file = new HealthConnectExport()
  for (const hour of [0, 1]) {
    const at = Date.UTC(2025, 9, 26, hour, 30)
    file.during('steps_record_table', at, at + MINUTE_MS, { count: 1, start_zone_offset: null })
  }
  const read = await imported(file, { timeZone: 'Europe/Berlin' })
  expect(read.samples.map(({ offset }) => offset)).toEqual([7200, 3600])
})

test('makes a night of a session and its stages', async () => {
  const file = new HealthConnectExport()
  const start = Date.UTC(2025, 5, 1, 22)
  const night = file.during('sleep_session_record_table', start, start + 8 * HOUR_MS, { end_zone_offset: 7200 })
  const stage = (from: number, to: number, type: number, parent = night) =>
    file.insert('sleep_stages_table', {
      ...{
        parent_key: parent,
        stage_start_time: start + from * HOUR_MS,
        stage_end_time: start + to * HOUR_MS,
        stage_type: type,
      },
    })
  stage(0, 0.5, 7)
  stage(0.5, 3, 4)
  stage(3, 4, 5)
  stage(4, 5, 6)
  stage(5, 6, 0)
  stage(6, 7, 2)
  stage(7, 8, 3)
  stage(7, 8, 99)
  stage(7, 9, 4)
  stage(1, 2, 4, 99)
  file.at('resting_heart_rate_record_table', start + 9 * HOUR_MS, { beats_per_minute: 51 })
  file.at('heart_rate_variability_rmssd_record_table', start + HOUR_MS, { heart_rate_variability_millis: 40 })
  file.at('heart_rate_variability_rmssd_record_table', start + 2 * HOUR_MS, { heart_rate_variability_millis: 50 })
  const read = await imported(file)
  expect(documentsOf(read, 'sleep')).toMatchObject([
    {
      ...{
        calendar_date: '2025-06-02',
        duration: 28_800,
        total: 19_800,
        awake: 5400,
        light: 9000,
        deep: 3600,
        rem: 3600,
      },
      ...{
        latency: 1800,
        efficiency: 68.75,
        type: 'long_sleep',
        hr_resting: 51,
        average_hrv: 45,
        timezone_offset: 7200,
      },
    },
  ])
  expect(documentsOf(read, 'sleep_cycle')).toMatchObject([{ stage_type: [4, 2, 1, 3, -1, 4] }])
  expect(documentsOf(read, 'activity')).toMatchObject([
    { calendar_date: '2025-06-02', heart_rate: { resting_bpm: 51 } },
  ])
  expect(reasons(read)).toEqual({
    'a stage of sleep has an unknown code, or is outside its session': 3,
    'resting heart rates, which are stored only in the summaries of days and nights': 1,
  })
  expect(read.records).toBe(1 + 3 + 1 + 2)
})

test('counts a session without stages as time asleep', async () => {
  const file = new HealthConnectExport()
  file.during('sleep_session_record_table', T, T + HOUR_MS)
  const read = await imported(file)
  expect(documentsOf(read, 'sleep')).toMatchObject([{ total: 3600, type: 'short_sleep', duration: 3600 }])
  expect(documentsOf(read, 'sleep_cycle')).toEqual([])
})

test('makes a workout of a session, its route and the records of its app within it', async () => {
  const file = new HealthConnectExport()
  const other = file.app('com.example.other')
  const session = file.during('exercise_session_record_table', T, T + HOUR_MS, {
    exercise_type: 33,
    title: 'Morning run',
  })
  file.during('exercise_session_record_table', T + 3 * HOUR_MS, T + 4 * HOUR_MS, { exercise_type: 250 })
  file.during('distance_record_table', T, T + HOUR_MS, { distance: 9000 })
  file.during('distance_record_table', T, T + HOUR_MS, { distance: 9999, app_info_id: other })
  file.during('distance_record_table', T, T + 2 * HOUR_MS, { distance: 1 })
  file.during('active_calories_burned_record_table', T, T + HOUR_MS, { energy: 600_000 })
  file.during('steps_record_table', T, T + HOUR_MS, { count: 9500 })
  file.during('elevation_gained_record_table', T, T + HOUR_MS, { elevation: 120 })
  file.during('elevation_gained_record_table', T + 2 * HOUR_MS, T + 3 * HOUR_MS, { elevation: 5 })
  const heart = file.during('heart_rate_record_table', T, T + HOUR_MS)
  const speed = file.during('SpeedRecordTable', T, T + HOUR_MS)
  const cadence = file.during('StepsCadenceRecordTable', T, T + HOUR_MS)
  for (const i of [0, 1]) {
    const epoch_millis = T + i * SECOND_MS
    file.insert('heart_rate_record_series_table', { parent_key: heart, beats_per_minute: 150 + 10 * i, epoch_millis })
    file.insert('speed_record_table', { parent_key: speed, speed: 2.5, epoch_millis })
    file.insert('steps_cadence_record_table', { parent_key: cadence, rate: 170, epoch_millis })
    const point = {
      timestamp_millis: epoch_millis,
      latitude: 48 + i / 1000,
      longitude: 11,
      altitude: i === 0 ? UNSET : 520,
    }
    file.insert('exercise_route_table', { parent_key: session, ...point })
  }
  file.insert('speed_record_table', { parent_key: speed, speed: 2.5, epoch_millis: T + 2 * HOUR_MS })
  file.insert('exercise_route_table', {
    parent_key: session,
    timestamp_millis: T,
    latitude: 91,
    longitude: 0,
    altitude: 0,
  })
  file.insert('exercise_laps_table', { parent_key: session, lap_start_time: T, lap_end_time: T + 1, lap_length: UNSET })
  const read = await imported(file)
  expect(documentsOf(read, 'workouts')).toMatchObject([
    {
      ...{
        title: 'Morning run',
        sport: { slug: 'running' },
        distance: 9000,
        calories: 600,
        steps: 9500,
        average_hr: 155,
      },
      ...{ max_hr: 160, total_elevation_gain: 120, elev_high: 520, moving_time: 3600, calendar_date: '2025-06-01' },
      provider_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
    { title: 'Other', sport: { slug: 'other' } },
  ])
  const [stream] = read.streams
  const columns = Object.fromEntries([...(stream?.columns ?? [])].map(([name, values]) => [name, [...values]]))
  expect(columns).toEqual({
    ...{ cadence: [170, 170], velocity_smooth: [2.5, 2.5], heartrate: [150, 160], altitude: [Number.NaN, 520] },
    ...{ lat: [48, 48.001], lng: [11, 11] },
  })
  expect(reasons(read)).toEqual({
    'a point of a route has no valid position, time or workout': 1,
    'a row of elevation_gained_record_table is not within a workout of its app': 1,
    'a row of speed_record_table is not within a workout of its app': 1,
    'laps of workouts are not imported': 1,
  })
  // two workouts, five samples, two elevations, seven values of series, and the parts that were skipped
  expect(read.records).toBe(2 + 5 + 2 + 7 + 2)
})

test('makes a meal of a nutrition record, without the amounts that are not stated', async () => {
  const file = new HealthConnectExport()
  const amounts = { energy: 650_000, protein: 31, total_carbohydrate: 70, total_fat: 22, sodium: 1.2, vitamin_c: 0.05 }
  file.during('nutrition_record_table', T, T + MINUTE_MS, { meal_type: 2, caffeine: UNSET, sugar: -1, ...amounts })
  const read = await imported(file)
  expect(documentsOf(read, 'meal')).toMatchObject([
    {
      ...{
        name: 'Lunch',
        energy: { unit: 'kcal', value: 650 },
        macros: { carbs: 70, protein: 31, fats: { total: 22 } },
      },
      micros: { minerals: { sodium: 1200 }, vitamins: { vitamin_c: 50 }, trace_elements: null },
    },
  ])
  expect(read.summaries[0]).toMatchObject({ appId: 'com.example.watch', deviceId: expect.any(String) })
  expect(documentsOf(read, 'meal')[0]?.['macros']).not.toHaveProperty('sugar')
  expect(read.samples.map(({ resource, value }) => [resource, value])).toEqual([['carbohydrates', 70]])
  expect(read.records).toBe(1)
})

test('makes menstrual cycles of periods and the entries that follow them', async () => {
  const file = new HealthConnectExport()
  const day = (n: number) => Date.UTC(2025, 2, n, 10)
  file.during('menstruation_period_record_table', day(3), day(7))
  file.during('menstruation_period_record_table', day(31), day(35))
  file.at('menstruation_flow_record_table', day(3), { flow: 3 })
  file.at('menstruation_flow_record_table', day(3) + 1, { flow: 1 })
  file.at('menstruation_flow_record_table', day(1), { flow: 1 })
  file.at('cervical_mucus_record_table', day(14), { appearance: 5, sensation: 2 })
  file.at('cervical_mucus_record_table', day(15), { appearance: 6, sensation: 2 })
  file.at('ovulation_test_record_table', day(16), { result: 1 })
  file.at('sexual_activity_record_table', day(17), { protection_used: 2 })
  file.at('intermenstrual_bleeding_record_table', day(32), {})
  const read = await imported(file)
  expect(documentsOf(read, 'menstrual_cycle')).toMatchObject([
    {
      ...{ period_start: '2025-03-03', period_end: '2025-03-07', cycle_end: '2025-03-30' },
      menstrual_flow: [{ date: '2025-03-03', flow: 'heavy' }],
      cervical_mucus: [{ date: '2025-03-14', quality: 'egg_white' }],
      ovulation_test: [{ date: '2025-03-16', test_result: 'positive' }],
      sexual_activity: [{ date: '2025-03-17', protection_used: false }],
    },
    { period_start: '2025-03-31', intermenstrual_bleeding: [{ date: '2025-04-01' }] },
  ])
  expect(reasons(read)).toEqual({
    'a row of cervical_mucus_record_table has a code without a meaning here': 1,
    'a second entry of a menstrual cycle on the same day': 1,
    'an entry of a menstrual cycle does not follow a period of its app': 1,
  })
  expect(read.records).toBe(10)
})

test('counts the rows of tables that are not imported, also of later versions', async () => {
  const file = new HealthConnectExport(23)
  file.during('total_calories_burned_record_table', T, T + HOUR_MS, { energy: 1 })
  file.at('basal_metabolic_rate_record_table', T, { basal_metabolic_rate: 80 })
  file.at('height_record_table', T, { height: 1.8 })
  file.db.exec('CREATE TABLE alcohol_consumption_record_table (row_id INTEGER PRIMARY KEY, units REAL)')
  file.db.exec('CREATE TABLE "12345_record_table" (a)')
  file.db.exec(
    'INSERT INTO alcohol_consumption_record_table (units) VALUES (1), (2); INSERT INTO "12345_record_table" VALUES (1)',
  )
  const read = await imported(file)
  expect(reasons(read)).toEqual({
    'total energy is not imported, because it includes energy at rest': 1,
    'basal metabolic rates are not imported, because they are not amounts of energy': 1,
    'heights are not imported': 1,
    'alcohol_consumption_record_table is not imported': 2,
    'a table with another kind of name is not imported': 1,
  })
  expect(read.records).toBe(6)
})

test('skips rows with values of another type, and shows no value', async () => {
  const file = new HealthConnectExport()
  file.during('steps_record_table', T, T + MINUTE_MS, { count: 'forty-two' })
  file.during('steps_record_table', T, T + MINUTE_MS, { count: new Uint8Array([1, 2]) })
  file.during('steps_record_table', T, T + MINUTE_MS, { count: null })
  file.during('steps_record_table', T, T - MINUTE_MS, { count: 1 })
  file.during('steps_record_table', 2 ** 62, 2 ** 62, { count: 1 })
  file.insert('steps_record_table', { uuid: 'x', start_time: BigInt(2) ** 62n, end_time: 'never', count: 1 })
  file.during('sleep_session_record_table', T, T + HOUR_MS, { uuid: 'text' })
  const read = await imported(file)
  expect(read.samples).toEqual([])
  expect(reasons(read)).toEqual({
    'a row of sleep_session_record_table has no ID': 1,
    'a row of steps_record_table has a value that is not a finite number': 3,
    'a row of steps_record_table ends before it starts': 1,
    'a row of steps_record_table starts more than a day in the future': 1,
    'a row of steps_record_table has a time that cannot be read': 1,
  })
  const bad = 'a row of steps_record_table has a value that is not a finite number'
  expect(read.skipped[bad]?.places).toEqual([
    'steps_record_table row 1',
    'steps_record_table row 2',
    'steps_record_table row 3',
  ])
})

test('overrides provider and source type on request', async () => {
  const file = new HealthConnectExport()
  file.during('steps_record_table', T, T + MINUTE_MS, { count: 1 })
  const read = await imported(file, { provider: 'samsung_health', sourceType: 'ring' })
  expect(read.samples).toMatchObject([{ provider: 'samsung_health', sourceType: 'ring' }])
})

test('removes its copy of the database', async () => {
  const file = new HealthConnectExport()
  const zip = file.zip()
  const context = importContext()
  const copy = context.scratchFile()
  await readContent(healthConnect, zip, { scratchFile: () => copy })
  expect(existsSync(copy)).toBe(false)
})
