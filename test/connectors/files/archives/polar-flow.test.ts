/** Exports of Polar Flow: two forms of training sessions, NaN in JSON, days without an offset, and several devices. */
import { describe, expect, test } from 'vitest'
import { polarFlow } from '../../../../src/connectors/files/polar-flow/polar.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { type Parts, readArchive } from './archive.ts'

const read = (parts: Parts) => readArchive(polarFlow, parts, { timeZone: 'Europe/Helsinki' })
const documents = ({ summaries }: RecordsRead, wanted: string) =>
  summaries.filter(({ kind }) => kind === wanted).map(({ document }) => document)
const column = ({ streams }: RecordsRead, name: 'altitude' | 'velocity_smooth' | 'heartrate') =>
  Array.from(streams[0]?.columns.get(name) ?? [])

const NEW_SESSION = {
  identifier: { id: '77' },
  startTime: '2024-07-01T18:00:00.000',
  stopTime: '2024-07-01T18:30:00.000',
  timezoneOffsetMinutes: 180,
  durationMillis: 1_700_000,
  distanceMeters: 5000,
  calories: 320,
  hrAvg: 150,
  hrMax: 172,
  sport: { id: 1 },
  exercises: [
    {
      samples: {
        samples: [
          { type: 'HEART_RATE', intervalMillis: 1000, values: [120, 'NAN', 121] },
          { type: 'SPEED', intervalMillis: 1000, values: [9, 10.8, 10.8] },
          { type: 'ALTITUDE', intervalMillis: 1000, values: [0, 42, 0] },
        ],
      },
      routes: {
        route: {
          startTime: '2024-07-01T18:00:01.000',
          wayPoints: [{ latitude: 60.1, longitude: 24.9, altitude: 41, elapsedMillis: 0 }],
        },
      },
    },
  ],
}

describe('an export of Polar Flow', () => {
  test('reads a new training session with its own offset, series and route', async () => {
    const text = JSON.stringify(NEW_SESSION).replace('"NAN"', 'NaN')
    const found = await read({ 'training-session-2024-07-01-77.json': text })
    expect(documents(found, 'workouts')).toMatchObject([
      {
        provider_id: '77',
        sport: { slug: 'running' },
        time_start: '2024-07-01T15:00:00+00:00',
        time_end: '2024-07-01T15:30:00+00:00',
        timezone_offset: 10_800,
        moving_time: 1700,
        distance: 5000,
        calories: 320,
        average_hr: 150,
        max_hr: 172,
      },
    ])
    expect(column(found, 'heartrate')).toEqual([120, Number.NaN, 121])
    expect(column(found, 'velocity_smooth')).toEqual([2.5, 3, 3].map(each => expect.closeTo(each, 6)))
    // the altitude of 0 at the beginning is none, and the route's has precedence
    expect(column(found, 'altitude')).toEqual([Number.NaN, 41, 0])
    expect(found.samples.map(({ resource, start, value }) => [resource, start, value])).toEqual([
      ['heartrate', '2024-07-01T15:00:00.000Z', 120],
      ['heartrate', '2024-07-01T15:00:02.000Z', 121],
    ])
  })

  test('reads an old training session', async () => {
    const found = await read({
      'training-session-2018-07-01-1.json': {
        exportVersion: '1.2',
        startTime: '2018-07-01T18:00:00.000',
        timeZoneOffset: 180,
        duration: 'PT1800.5S',
        distance: 5000,
        kiloCalories: 300,
        exercises: [
          {
            sport: 'CYCLING',
            heartRate: { min: 80, avg: 120, max: 150 },
            samples: {
              heartRate: [{ dateTime: '2018-07-01T18:00:00.000', value: 100 }, { dateTime: '2018-07-01T18:00:01.000' }],
            },
            recordedRoute: [{ dateTime: '2018-07-01T18:00:00.000', latitude: 60.1, longitude: 24.9, altitude: 12 }],
          },
        ],
      },
    })
    expect(documents(found, 'workouts')).toMatchObject([
      {
        sport: { slug: 'cycling' },
        time_start: '2018-07-01T15:00:00+00:00',
        moving_time: 1801,
        average_hr: 120,
        max_hr: 150,
        calories: 300,
      },
    ])
    expect(found.streams).toMatchObject([{ n: 1 }])
  })

  test('reads days in the time zone of the user, or with the offset that a night states, with each device apart', async () => {
    const device = (deviceId: string, heartRate: number) => ({
      userId: 1,
      deviceId,
      date: '2024-07-01',
      samples: [
        { heartRate, secondsFromDayStart: 3600, source: 'OPTICAL' },
        { heartRate: 0, secondsFromDayStart: 3605 },
      ],
    })
    const found = await read({
      '247ohr_2024_7-1.json': { deviceDays: [device('A', 60), device('B', 62)] },
      'activity-2024-07-02-1.json': {
        date: '2024-07-02',
        summary: { stepCount: 9000, stepsDistance: 6500, calories: 2400 },
        samples: { steps: [{ localTime: '10:00:00.000', value: 80 }] },
      },
      'sleep_result_1.json': [
        {
          night: '2024-07-02',
          sleepResult: {
            hypnogram: {
              sleepStart: '2024-07-01T23:00:00+02:00',
              sleepEnd: '2024-07-02T01:00:00+02:00',
              sleepStateChanges: [
                { offsetFromStart: 'PT0S', state: 'NONREM1' },
                { offsetFromStart: 'PT30M', state: 'NONREM3' },
                { offsetFromStart: 'PT60M', state: 'REM' },
                { offsetFromStart: 'PT90M', state: 'WAKE' },
              ],
            },
          },
        },
      ],
    })
    const rates = found.samples.filter(({ resource }) => resource === 'heartrate')
    expect(rates.map(({ start, value }) => [start, value])).toEqual([
      ['2024-06-30T22:00:00.000Z', 60],
      ['2024-06-30T22:00:00.000Z', 62],
    ])
    expect(new Set(rates.map(({ text }) => text['device_id'])).size).toBe(2)
    const steps = found.samples.filter(({ resource }) => resource === 'steps')
    expect(steps).toMatchObject([{ start: '2024-07-02T08:00:00.000Z', offset: 7200, value: 80 }])
    expect(documents(found, 'activity')).toMatchObject([{ steps: 9000, distance: 6500, calories_total: 2400 }])
    // being awake at the end is not part of the night
    expect(documents(found, 'sleep')).toMatchObject([
      {
        bedtime_stop: '2024-07-01T22:30:00+00:00',
        light: 1800,
        deep: 1800,
        rem: 1800,
        awake: 0,
        calendar_date: '2024-07-02',
      },
    ])
    expect(reasons(found)).toEqual({ 'heart rates without a value or a time': 2 })
  })

  test('counts other files of the account by what they are', async () => {
    const found = await read({
      'training-session-2024-07-01-77.json': NEW_SESSION,
      'ppi_samples_2024.json': '{}',
      'nightly_recovery_1.json': '[]',
      'account-data-1.json': '{"name": "Ada"}',
    })
    expect(reasons(found)).toEqual({
      'intervals between heartbeats': 1,
      'files whose fields are not known': 1,
      'files that are not imported (.json)': 1,
    })
  })
})
