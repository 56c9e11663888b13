/** Exports of a Garmin Connect account: units, clocks, activities that are there twice, and zip files in the zip file. */
import { describe, expect, test } from 'vitest'
import { garminConnect } from '../../../../src/connectors/files/garmin-connect/garmin.ts'
import { night, score } from '../fit/fit-night.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { type Parts, readArchive, zipOf } from './archive.ts'
import { fitActivity } from './examples.ts'

const AGGREGATOR = 'DI_CONNECT/DI-Connect-Aggregator'
const WELLNESS = 'DI_CONNECT/DI-Connect-Wellness'
const FITNESS = 'DI_CONNECT/DI-Connect-Fitness'
const UPLOADS = 'DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip'
const ACTIVITIES = `${FITNESS}/ada@example.com_0_summarizedActivities.json`
const MS0 = Date.parse('2024-07-01T16:00:00Z')

const readExport = (parts: Parts, hasFiles = false) => readArchive(garminConnect, parts, {}, hasFiles)
const documents = ({ summaries }: RecordsRead, wanted: string) =>
  summaries.filter(({ kind }) => kind === wanted).map(({ document }) => document)

/** A day at UTC-4. */
const DAY = {
  calendarDate: '2024-07-01',
  wellnessStartTimeGmt: '2024-07-01T04:00:00.0',
  wellnessStartTimeLocal: '2024-07-01T00:00:00.0',
  totalSteps: 8123,
  totalDistanceMeters: 6200,
  totalKilocalories: 2300,
  activeKilocalories: 500,
  floorsAscendedInMeters: 30.48,
  moderateIntensityMinutes: 20,
  vigorousIntensityMinutes: 10,
  minHeartRate: 48,
  maxHeartRate: 140,
  currentDayRestingHeartRate: 52,
  restingHeartRate: 55,
}
const RUN = {
  activityId: 1,
  name: 'Lunch run',
  activityType: 'trail_running',
  startTimeGmt: MS0 + 3000,
  startTimeLocal: MS0 + 3000 - 4 * 3_600_000,
  duration: 1_800_000,
  elapsedDuration: 1_900_000,
  distance: 500_000,
  elevationGain: 12_300,
  avgSpeed: 0.2777,
  calories: 1255.2,
  avgHr: 150,
  maxHr: 170,
  hrTimeInZone_1: 600_000,
}
const listed = (...activities: readonly object[]) => ({ [ACTIVITIES]: [{ summarizedActivitiesExport: activities }] })

const fitFile = () => fitActivity('2024-07-01T16:00:00Z')

describe('an export of Garmin Connect', () => {
  test('reads totals of a day in their units as a summary, with the offset of the day', async () => {
    const found = await readExport({ [`${AGGREGATOR}/UDSFile_2024-07-01_2024-10-01.json`]: [DAY, { hydration: {} }] })
    expect(found.samples).toEqual([])
    expect(documents(found, 'activity')).toMatchObject([
      {
        calendar_date: '2024-07-01',
        timezone_offset: -14_400,
        steps: 8123,
        distance: 6200,
        calories_total: 2300,
        calories_active: 500,
        floors_climbed: 10,
        medium: 20,
        high: 10,
        heart_rate: { min_bpm: 48, max_bpm: 140, resting_bpm: 52 },
      },
    ])
    expect(reasons(found)).toEqual({ 'days records without a valid date': 1 })
  })

  test('reads nights in UTC although they have no Z, and leaves out unconfirmed ones', async () => {
    const night = {
      calendarDate: '2024-07-01',
      sleepStartTimestampGMT: '2024-07-01T03:00:00.0',
      sleepEndTimestampGMT: '2024-07-01T11:00:00.0',
      deepSleepSeconds: 7200,
      lightSleepSeconds: 14_400,
      remSleepSeconds: 5400,
      awakeSleepSeconds: 1800,
      averageRespiration: 14,
      sleepScores: { overallScore: 81 },
      spo2SleepSummary: { averageHR: 55 },
      sleepWindowConfirmationType: 'ENHANCED_CONFIRMED_FINAL',
    }
    const found = await readExport({
      [`${AGGREGATOR}/UDSFile_2024-07-01_2024-10-01.json`]: [DAY],
      [`${WELLNESS}/2024-07-01_2024-10-01_12345_sleepData.json`]: [
        night,
        { ...night, sleepWindowConfirmationType: 'UNCONFIRMED' },
        { calendarDate: '2024-07-02' },
        { ...night, deepSleepSeconds: undefined, lightSleepSeconds: undefined },
      ],
    })
    expect(documents(found, 'sleep')).toMatchObject([
      {
        bedtime_start: '2024-07-01T03:00:00+00:00',
        timezone_offset: -14_400,
        deep: 7200,
        total: 27_000,
        awake: 1800,
        score: 81,
        respiratory_rate: 14,
        hr_average: 55,
      },
    ])
    expect(reasons(found)).toEqual({
      'nights that were not confirmed, or in which the watch was not worn': 1,
      'nights records without times': 1,
      'nights without durations of sleep': 1,
    })
  })

  test('stores a night that is in the list and in a file once: the stages of the file, the score of the list', async () => {
    const listed = {
      calendarDate: '2025-06-02',
      sleepStartTimestampGMT: '2025-06-01T21:04:00.0',
      sleepEndTimestampGMT: '2025-06-02T05:00:00.0',
      deepSleepSeconds: 3000,
      lightSleepSeconds: 18_000,
      averageRespiration: 14,
      sleepScores: { overallScore: 81 },
      napList: [{ napStartTimestampGMT: '2025-06-02T13:00:00.0', napEndTimestampGMT: '2025-06-02T13:30:00.0' }],
    }
    const nextNight = {
      ...listed,
      sleepStartTimestampGMT: '2025-06-02T21:00:00.0',
      sleepEndTimestampGMT: '2025-06-03T05:00:00.0',
      napList: [],
    }
    const found = await readExport(
      {
        [`${WELLNESS}/2025-06-01_2025-09-01_12345_sleepData.json`]: [listed, nextNight],
        [UPLOADS]: zipOf({ 'ada@example.com_1.fit': night().bytes() }),
      },
      true,
    )
    expect(documents(found, 'sleep')).toMatchObject([
      { bedtime_start: '2025-06-01T21:00:00+00:00', deep: 3600, rem: 3600, score: 81, respiratory_rate: 14 },
      { bedtime_start: '2025-06-02T13:00:00+00:00', type: 'acknowledged_nap' },
      { bedtime_start: '2025-06-02T21:00:00+00:00', deep: 3000, score: 81 },
    ])
    expect(documents(found, 'sleep_cycle')).toHaveLength(1)
    expect(found.skipped['nights that are stored from their files, with the scores of the list']).toMatchObject({
      count: 1,
      places: ['nights file 1, entry 1'],
    })
  })

  test('keeps the score of a file for a night that is in the list', async () => {
    const listed = {
      sleepStartTimestampGMT: '2025-06-01T21:00:00.0',
      sleepEndTimestampGMT: '2025-06-02T05:00:00.0',
      deepSleepSeconds: 3000,
      sleepScores: { overallScore: 81 },
    }
    const found = await readExport({
      [`${WELLNESS}/2025_sleepData.json`]: [listed],
      [UPLOADS]: zipOf({ 'ada@example.com_1.fit': score(night(), 77).bytes() }),
    })
    expect(documents(found, 'sleep')).toMatchObject([{ score: 77 }])
  })

  test('reads activities in cm, ms, cm/ms and kJ', async () => {
    const found = await readExport(listed(RUN, { ...RUN, parent: true }, { activityType: 'running' }))
    expect(documents(found, 'workouts')).toMatchObject([
      {
        title: 'Lunch run',
        sport: { slug: 'trail_running' },
        time_start: '2024-07-01T16:00:03+00:00',
        time_end: '2024-07-01T16:31:43+00:00',
        timezone_offset: -14_400,
        moving_time: 1800,
        distance: 5000,
        total_elevation_gain: 123,
        average_speed: 2.777,
        calories: 300,
        average_hr: 150,
        hr_zones: [0, 600, 0, 0, 0, 0],
      },
    ])
    expect(reasons(found)).toEqual({
      'multisport activities, whose parts the list also has': 1,
      'activities without a time': 1,
    })
  })

  test('stores an activity that is in the list and in a file once: the data of the file, the title of the list', async () => {
    const found = await readExport(
      {
        ...listed(RUN, { ...RUN, activityId: 2, startTimeGmt: MS0 + 86_400_000, name: 'Other' }),
        [UPLOADS]: zipOf({ 'ada@example.com_1.fit': fitFile() }),
      },
      true,
    )
    expect(documents(found, 'workouts')).toMatchObject([
      {
        title: 'Lunch run',
        sport: { slug: 'trail_running' },
        time_start: '2024-07-01T16:00:00+00:00',
        average_hr: 121,
      },
      { title: 'Other' },
    ])
    expect(found.streams).toMatchObject([{ n: 3, sport: { slug: 'trail_running' } }])
    expect(found.samples.map(({ resource, value, text }) => [resource, value, text['sport']])).toEqual([
      ['heartrate', 120, 'trail_running'],
      ['heartrate', 121, 'trail_running'],
      ['heartrate', 122, 'trail_running'],
    ])
    expect(reasons(found)).toEqual({
      'activities that are stored from their files, with the titles and sports of the list': 1,
    })
    // three records of the file and two activities of the list
    expect(found.records).toBe(5)
    expect(JSON.stringify(found)).not.toContain('ada@')
  })

  test('leaves out damaged files in the zip files, and zip files in those', async () => {
    const found = await readExport({
      [UPLOADS]: zipOf({
        'ada@example.com_1.fit': fitFile().subarray(0, 60),
        'ada@example.com_2.fit': 'no activity',
        'UploadedFiles_1.zip': zipOf({ 'x.fit': fitFile() }),
      }),
    })
    expect(reasons(found)).toEqual({
      'activity files that are damaged': 1,
      'activity files that are not FIT, TCX or GPX': 1,
      'files that are not imported (.zip)': 1,
    })
    expect(found.skipped['activity files that are damaged']?.places).toEqual(['activity file 1'])
  })

  test('reads measured weights, water, fitness and known values of nights', async () => {
    const found = await readExport({
      [`${WELLNESS}/12345_userBioMetrics.json`]: [
        { weight: { weight: 70_500, timestampGMT: '2024-07-01T10:00:00.0', sourceType: 'INDEX_SCALE' } },
        { weight: { weight: 71_000, timestampGMT: '2024-07-01T10:00:00.0', sourceType: 'USER_SETTING' } },
        { height: { height: 180 } },
      ],
      [`${AGGREGATOR}/UDSFile_2024-07-01_2024-10-01.json`]: [DAY],
      [`${AGGREGATOR}/HydrationLogFile_2024-07-01_2024-10-01.json`]: [
        { valueInML: 250, timestampLocal: '2024-07-01T12:00:00.0' },
        { valueInML: -300, timestampLocal: '2024-07-01T13:00:00.0' },
      ],
      'DI_CONNECT/DI-Connect-Metrics/MetricsMaxMetData_2024.json': [{ calendarDate: '2024-07-01', vo2MaxValue: 51 }],
      [`${WELLNESS}/2024_healthStatusData.json`]: [
        {
          calendarDate: '2024-07-01',
          metrics: [
            { type: 'HRV', value: 40 },
            { type: 'SKIN_TEMP_C', value: -0.4 },
            { type: 'SPO2', value: 95 },
          ],
        },
      ],
    })
    expect(found.samples.map(({ resource, start, value, text }) => [resource, start, value, text['type']])).toEqual([
      ['body_temperature_delta', '2024-07-01T04:00:00.000Z', -0.4, undefined],
      ['blood_oxygen', '2024-07-01T04:00:00.000Z', 95, 'night'],
      ['body_weight', '2024-07-01T10:00:00.000Z', 70.5, undefined],
      ['water', '2024-07-01T16:00:00.000Z', 250, undefined],
      ['vo2_max', '2024-07-01T04:00:00.000Z', 51, undefined],
    ])
    expect(reasons(found)).toEqual({
      'health status values of which it is not known what they are': 1,
      'weights that were entered in the profile': 1,
      'biometrics records without a time or value that can be read': 1,
      'water lost by sweating': 1,
    })
  })
})
