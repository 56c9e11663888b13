/** Takeouts of Google Health and Fitbit: clocks, copies, values that stand for nothing, and data of several devices. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { googleTakeout } from '../../../../src/connectors/files/google-takeout/takeout.ts'
import { SAMPLES } from '../activity-import.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { csv, type Parts, readArchive } from './archive.ts'

const JSON_FOLDER = 'Takeout/Fitbit/Global Export Data'
const TABLES = 'Takeout/Fitbit/Physical Activity_GoogleData'
const HEALTH = 'Takeout/Fitbit/Health Fitness Data_GoogleData'
/** The person lives four hours behind UTC. */
const HERE = { timeZone: 'America/New_York' }

const read = (parts: Parts, context = {}) => readArchive(googleTakeout, parts, { ...HERE, ...context })
const listed = (name: string, ...values: readonly object[]) => ({ [`${JSON_FOLDER}/${name}.json`]: values })
const values = ({ samples }: RecordsRead, resource: string) =>
  samples.filter(each => each.resource === resource).map(({ start, value }) => [start, value])
const documents = ({ summaries }: RecordsRead, wanted: string) =>
  summaries.filter(({ kind }) => kind === wanted).map(({ document }) => document)

/** A night from 22:00 to 06:00 with a short wake inside deep sleep. */
const NIGHT = {
  logId: 4711,
  dateOfSleep: '2024-07-02',
  startTime: '2024-07-01T22:00:00.000',
  endTime: '2024-07-02T06:00:00.000',
  duration: 28_800_000,
  mainSleep: true,
  minutesToFallAsleep: 5,
  levels: {
    data: [
      { dateTime: '2024-07-01T22:00:00.000', level: 'wake', seconds: 600 },
      { dateTime: '2024-07-01T22:10:00.000', level: 'deep', seconds: 7200 },
      { dateTime: '2024-07-02T00:10:00.000', level: 'light', seconds: 21_000 },
    ],
    shortData: [{ dateTime: '2024-07-01T23:00:00.000', level: 'wake', seconds: 120 }],
  },
}
const NIGHT_TABLE =
  'sleep_id,sleep_type,minutes_asleep,minutes_awake,start_utc_offset,sleep_start,end_utc_offset,sleep_end,data_source,algorithm_version'

describe('a takeout of Google Health', () => {
  test('reads minutes and heart rates in UTC, also in the file of another local day', async () => {
    const found = await read({
      ...listed('steps-2024-07-01', { dateTime: '07/02/24 03:59:00', value: '12' }),
      ...listed('distance-2024-07-01', { dateTime: '07/02/24 03:59:00', value: '2550' }),
      ...listed('heart_rate-2024-07-01', { dateTime: '07/02/24 03:59:05', value: { bpm: 61, confidence: 2 } }),
    })
    expect(values(found, 'steps')).toEqual([['2024-07-02T03:59:00.000Z', 12]])
    expect(found.samples[0]?.end).toBe('2024-07-02T04:00:00.000Z')
    expect(values(found, 'distance')).toEqual([['2024-07-02T03:59:00.000Z', 25.5]])
    expect(values(found, 'heartrate')).toEqual([['2024-07-02T03:59:05.000Z', 61]])
    expect(found.notices).toEqual({})
  })

  test('adds the energy of minutes to their local day, and never stores it as samples', async () => {
    const found = await read(
      listed(
        'calories-2024-07-01',
        { dateTime: '07/01/24 00:00:00', value: '1.25' },
        { dateTime: '07/01/24 23:59:00', value: '1.5' },
      ),
    )
    expect(found.samples).toEqual([])
    expect(documents(found, 'activity')).toMatchObject([{ calendar_date: '2024-07-01', calories_total: 2.75 }])
    expect(reasons(found)).toEqual({ 'records of a day that are joined into its summary': 1 })
  })

  test('leaves out heart rates without confidence, placeholders, and days in the future', async () => {
    const found = await read({
      ...listed('heart_rate-2024-07-01', { dateTime: '07/01/24 12:00:00', value: { bpm: 70, confidence: 0 } }),
      ...listed(
        'resting_heart_rate-2024-01-01',
        { dateTime: '07/01/24 00:00:00', value: { date: '07/01/24', value: 53.25, error: 6.7 } },
        { dateTime: '07/02/24 00:00:00', value: { date: null, value: 0, error: 0 } },
        { dateTime: '12/01/26 00:00:00', value: { date: '12/01/26', value: 50, error: 1 } },
      ),
      ...listed(
        'sedentary_minutes-2024-07-01',
        { dateTime: '07/01/24 00:00:00', value: '900' },
        { dateTime: '07/02/24 00:00:00', value: '1440' },
      ),
      ...listed(
        'very_active_minutes-2024-07-01',
        { dateTime: '07/01/24 00:00:00', value: '30' },
        { dateTime: '07/02/24 00:00:00', value: '0' },
      ),
    })
    expect(found.samples).toEqual([])
    expect(documents(found, 'activity')).toMatchObject([
      { calendar_date: '2024-07-01', high: 30, heart_rate: { resting_bpm: 53.25 } },
    ])
    expect(reasons(found)).toEqual({
      'heart rates without any confidence': 1,
      'minutes at rest, for which a summary has no field': 1,
      'placeholders for days without data': 3,
      'resting_heart_rate records of a day in the future': 1,
      'records of a day that are joined into its summary': 1,
    })
  })

  test('lays short wakes over the levels of a night instead of adding them', async () => {
    const found = await read({
      ...listed('sleep-2024-07-01', NIGHT),
      'Takeout/Fitbit/Sleep Score/sleep_score.csv': csv(
        'sleep_log_entry_id,timestamp,overall_score',
        '4711,2024-07-02T10:00:00Z,82',
      ),
    })
    expect(documents(found, 'sleep')).toMatchObject([
      {
        bedtime_start: '2024-07-02T02:00:00+00:00',
        timezone_offset: -14_400,
        awake: 720,
        deep: 7080,
        light: 21_000,
        total: 28_080,
        latency: 300,
        score: 82,
      },
    ])
    const [cycle] = documents(found, 'sleep_cycle')
    expect(cycle?.['stage_type']).toEqual([4, 1, 4, 1, 2])
    expect(found.notices).toEqual({ 'local times without an offset, read in America/New_York': 2 })
  })

  test('reads local times with the offset that another file states for the day', async () => {
    const found = await read({
      ...listed('sleep-2024-07-01', NIGHT),
      [`${HEALTH}/UserSleeps_2024-07-01.csv`]: csv(
        NIGHT_TABLE,
        '9000000000000000001,STAGES,468,12,+09:00,2024-07-01T13:00:00Z,+09:00,2024-07-01T21:00:00Z,Charge 6,v2',
      ),
    })
    expect(documents(found, 'sleep')).toMatchObject([
      { bedtime_start: '2024-07-01T13:00:00+00:00', timezone_offset: 32_400 },
    ])
    expect(reasons(found)).toEqual({ 'copies of nights that other files have': 1 })
    expect(Object.keys(found.notices)).toEqual([
      'local times without an offset, which have the offset that another record states for their day',
    ])
  })

  test('keeps the newest version of a night that a table has twice, with its stages', async () => {
    const stages = (id: string) => [
      `${id},AWAKE,2024-07-01T13:00:00Z,2024-07-01T14:00:00Z`,
      `${id},REM,2024-07-01T14:00:00Z,2024-07-01T21:00:00Z`,
    ]
    const row = (id: string, version: string) =>
      `${id},STAGES,420,60,+09:00,2024-07-01 13:00:00+0000,+09:00,2024-07-01 21:00:00+0000,Charge 6,${version}`
    const found = await read({
      [`${HEALTH}/UserSleeps_2024-07-01.csv`]: csv(NIGHT_TABLE, row('1', 'v1'), row('2', 'v2')),
      [`${HEALTH}/UserSleepStages_2024-07-01.csv`]: csv(
        'sleep_id,sleep_stage_type,sleep_stage_start,sleep_stage_end',
        ...stages('1'),
        ...stages('2'),
      ),
      [`${HEALTH}/UserSleepScores_2024-07-01.csv`]: csv('sleep_id,overall_score', '2,-1'),
    })
    expect(documents(found, 'sleep')).toMatchObject([{ rem: 25_200, awake: 3600, calendar_date: '2024-07-02' }])
    expect(documents(found, 'sleep')[0]).not.toHaveProperty('score')
    expect(reasons(found)).toEqual({
      'older versions of nights that the archive also has in a newer one': 1,
      'scores and stages, which belong to nights': 4,
      'scores table values that stand for no measurement': 1,
    })
  })

  test('uses one form of data that is there in two, day by day, and says which', async () => {
    const found = await read({
      ...listed('steps-2024-07-01', { dateTime: '07/01/24 12:00:00', value: '12' }),
      [`${TABLES}/steps_2024-07-01.csv`]: csv(
        'timestamp,steps,data source',
        '2024-07-01T12:00:00Z,12,Charge 6',
        '2024-07-02T12:00:00.000Z,20,Charge 6',
      ),
    })
    expect(values(found, 'steps')).toEqual([
      ['2024-07-01T12:00:00.000Z', 12],
      ['2024-07-02T12:00:00.000Z', 20],
    ])
    expect(reasons(found)).toEqual({ 'copies of steps, for days that "steps" files cover': 1 })
  })

  test('adds up the energy of one device a day, and reads a file that is there twice once', async () => {
    const minutes = [{ dateTime: '07/01/24 08:00:00', value: '1.5' }]
    const found = await read({
      ...listed('calories-2024-07-01', ...minutes),
      ...listed('calories-2024-07-01(1)', ...minutes),
      [`${TABLES}/calories_2024-07-01.csv`]: csv(
        'timestamp,calories,data source',
        '2024-07-01T12:00:00Z,1.5,Charge 6',
        '2024-07-02T12:00:00Z,2,Charge 6',
        '2024-07-02T12:01:00Z,3,Charge 6',
        '2024-07-02T12:00:00Z,50,Phone Health Connect',
      ),
    })
    const energy = documents(found, 'activity').map(each => [each['calendar_date'], each['calories_total']])
    expect(energy).toEqual([
      ['2024-07-01', 1.5],
      ['2024-07-02', 5],
    ])
    expect(reasons(found)).toEqual({
      'files that the archive has twice under the same name': 1,
      'copies of energy, for days that "JSON" files cover': 1,
      'energy of a day by another device or app than the one with the most records': 1,
      'records of a day that are joined into its summary': 1,
    })
  })

  test('stores body fat once if a log and a table have it', async () => {
    const found = await read({
      ...listed('weight-2024-07-01', { logId: 1, weight: 150, bmi: 22, fat: 20, date: '07/01/24', time: '08:00:00' }),
      [`${TABLES}/body_fat.csv`]: csv('timestamp,body fat percentage,data source', '2024-07-01T12:00:00Z,20,Aria'),
    })
    expect(values(found, 'body_fat')).toEqual([['2024-07-01T12:00:00.000Z', 20]])
    expect(values(found, 'body_mass_index')).toHaveLength(1)
  })

  test('keeps each app and device as a source of its own, without its name', async () => {
    const found = await read({
      [`${TABLES}/steps_2024-07-01.csv`]: csv(
        'timestamp,steps,data source',
        "2024-07-01T12:00:00Z,12,Ada's Charge 6",
        '2024-07-01T12:00:00Z,15,MobileTrack',
        '2024-07-01T12:00:00Z,11,Fit Health Connect',
      ),
    })
    expect(found.samples.map(({ sourceType, value }) => [sourceType, value])).toEqual([
      ['watch', 12],
      ['phone', 15],
      ['app', 11],
    ])
    expect(new Set(found.samples.map(({ text }) => text['device_id'])).size).toBe(3)
    expect(JSON.stringify(found)).not.toContain('Ada')
  })

  test('reads the values of tables in their units', async () => {
    const found = await read({
      [`${TABLES}/weight.csv`]: csv('timestamp,weight grams,data source', '2024-07-01T12:00:00Z,70500,Aria'),
      [`${HEALTH}/heart_rate_variability_2024-07-01.csv`]: csv(
        'timestamp,root mean square of successive differences milliseconds,standard deviation milliseconds',
        '2024-07-01T06:00:00.123456Z,41.5,50.25',
      ),
      [`${HEALTH}/daily_sleep_temperature_derivations.csv`]: csv(
        'timestamp,nightly temperature celsius,baseline temperature celsius',
        '2024-07-01,34.5,34.2',
        '2024-07-02,34.5,NaN',
      ),
      'Takeout/Fitbit/Oxygen Saturation (SpO2)/Minute SpO2 - 2024-07-01.csv': csv(
        'timestamp,value',
        '2024-07-01T06:00:00Z,96.5',
        '2024-07-01T06:01:00Z,50.0',
      ),
      'Takeout/Fitbit/Heart Rate Variability/Heart Rate Variability Details - 2024-07-03.csv': csv(
        'timestamp,rmssd,coverage',
        '2024-07-03T02:00:00,33.5,0.9',
      ),
    })
    expect(found.samples.map(({ resource, start, value, text }) => [resource, start, value, text['type']])).toEqual([
      ['hrv', '2024-07-01T06:00:00.123Z', 41.5, undefined],
      ['hrv', '2024-07-01T06:00:00.123Z', 50.25, 'sdnn'],
      ['hrv', '2024-07-03T06:00:00.000Z', 33.5, undefined],
      ['blood_oxygen', '2024-07-01T06:00:00.000Z', 96.5, undefined],
      ['body_temperature_delta', '2024-07-01T04:00:00.000Z', 0.3, undefined],
      ['body_weight', '2024-07-01T12:00:00.000Z', 70.5, undefined],
    ])
    expect(reasons(found)).toMatchObject({
      'minute SpO2 table values that stand for no measurement': 1,
      'nightly temperature table records without a time or value that can be read': 1,
    })
  })

  test('stores an exercise that JSON and a table both have once, with the offset from the table', async () => {
    const table =
      'exercise_start,exercise_end,utc_offset,activity_name,log_type,tracker_total_calories,tracker_total_distance_mm'
    const found = await read({
      ...listed('exercise-0', {
        logId: 815,
        activityName: 'Run',
        startTime: '07/01/24 20:00:00',
        duration: 1_800_000,
        activeDuration: 1_700_000,
        distance: 3,
        distanceUnit: 'Mile',
        calories: 300,
        averageHeartRate: 150,
      }),
      [`${HEALTH}/UserExercises_2024-07-01.csv`]: csv(
        table,
        '2024-07-01 20:00:10+0000,2024-07-01 20:30:00+0000,-04:00,Run,TRACKER,300,4828032',
        '2024-07-05 20:00:00+0000,2024-07-05 20:30:00+0000,-04:00,Walk,MANUAL,100,2000000',
      ),
    })
    expect(documents(found, 'workouts')).toMatchObject([
      {
        provider_id: '815',
        sport: { slug: 'running' },
        distance: 4828.03,
        moving_time: 1700,
        timezone_offset: -14_400,
      },
      { sport: { slug: 'walking' }, distance: 2000, timezone_offset: -14_400 },
    ])
    expect(reasons(found)).toEqual({ 'copies of exercises that other files have': 1 })
  })

  test('reads days of 23 and of 25 hours', async () => {
    const at = (dateTime: string) => ({ logId: dateTime, date: dateTime.slice(0, 8), time: dateTime.slice(9), bmi: 22 })
    const found = await read(
      listed('weight-2024-03-01', at('03/10/24 01:30:00'), at('03/10/24 03:30:00'), at('11/03/24 03:30:00')),
    )
    expect(values(found, 'body_mass_index').map(([start]) => start)).toEqual([
      '2024-03-10T06:30:00.000Z',
      '2024-03-10T07:30:00.000Z',
      '2024-11-03T08:30:00.000Z',
    ])
  })

  test('counts files that are not imported by kind, without their names', async () => {
    const found = await read({
      ...listed('steps-2024-07-01(15)', { dateTime: '07/01/24 12:00:00', value: '12' }),
      'Takeout/Fitbit/Your Profile/ada@example.com.csv': 'x',
      'Takeout/Fitbit/Biometrics/UserActivityProbabilities_2024.csv': 'x',
      [`${TABLES}/live_pace_2024-07-01.csv`]: 'x',
      [`${TABLES}/floors_2024-07-01.csv`]: 'timestamp,floors\n',
    })
    expect(values(found, 'steps')).toHaveLength(1)
    expect(reasons(found)).toEqual({
      'files that are not imported (.csv)': 1,
      'settings, scores and texts of the account': 1,
      'paces of workouts, which repeat the steps': 1,
    })
    expect(JSON.stringify(found)).not.toContain('ada@')
  })

  test('reads the open samples', async () => {
    const folder = join(SAMPLES, 'takeouts/fitbit')
    const parts = readdirSync(folder).map(name => [
      `Takeout/Fitbit/Global Export Data/${name}`,
      readFileSync(join(folder, name)),
    ])
    const found = await read(Object.fromEntries(parts))
    expect(values(found, 'steps').reduce((sum, [, value]) => sum + Number(value), 0)).toBe(689)
    expect(values(found, 'heartrate')).toHaveLength(10)
    expect(documents(found, 'workouts')).toMatchObject([
      { sport: { slug: 'running' }, distance: 5280, hr_zones: [60, 300, 0, 1440, 0, 60] },
      { sport: { slug: 'elliptical' } },
    ])
    expect(documents(found, 'sleep')).toMatchObject([{ deep: 3480, rem: 1800, light: 4800, awake: 480 }])
    const resting = documents(found, 'activity').map(each => [each['calendar_date'], each['heart_rate']])
    expect(resting).toMatchObject([
      ['2024-01-06', { resting_bpm: expect.closeTo(53.012, 3) }],
      ['2024-03-01', { resting_bpm: expect.closeTo(54.012, 3) }],
      ['2024-03-02', { resting_bpm: expect.closeTo(55.07, 3) }],
    ])
  })
})
