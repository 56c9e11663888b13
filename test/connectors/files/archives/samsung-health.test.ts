/** Exports of Samsung Health: lines of metadata, rows that are too long, attached files, and totals beside details. */
import { describe, expect, test } from 'vitest'
import { samsungHealth } from '../../../../src/connectors/files/samsung-health/samsung.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { type Parts, readArchive } from './archive.ts'

const FOLDER = 'samsunghealth_ada_20240701'
const read = (parts: Parts) => readArchive(samsungHealth, parts)
const documents = ({ summaries }: RecordsRead, wanted: string) =>
  summaries.filter(({ kind }) => kind === wanted).map(({ document }) => document)

/** A table as the app writes it: metadata, a header, and rows with a comma at their end. */
function table(type: string, header: string, ...rows: readonly string[]): Parts {
  const lines = [`com.samsung.${type},6260006,3`, header, ...rows.map(row => `${row},`)]
  return { [`${FOLDER}/com.samsung.${type}.202407011200.csv`]: `\ufeff${lines.join('\r\n')}\r\n` }
}

describe('an export of Samsung Health', () => {
  test('reads times in UTC, and the offset only as the local time', async () => {
    const found = await read(
      table(
        'shealth.tracker.oxygen_saturation',
        'start_time,time_offset,spo2,deviceuuid,pkg_name',
        '2024-07-01 20:30:00.000,UTC+0530,96.0,watch1,com.sec.android.app.shealth',
        '1970-01-01 00:00:00.000,UTC+0530,97.0,watch1,com.sec.android.app.shealth',
      ),
    )
    expect(found.samples).toMatchObject([{ start: '2024-07-01T20:30:00.000Z', offset: 19_800, value: 96 }])
    expect(reasons(found)).toEqual({ 'oxygen saturation records without a time or value that can be read': 1 })
  })

  test('reads columns with the type before their name, and tables without the line of metadata', async () => {
    const path = `${FOLDER}/com.samsung.shealth.tracker.oxygen_saturation.20240701120059.csv`
    const found = await read({
      [path]:
        'com.samsung.health.oxygen_saturation.start_time,com.samsung.health.oxygen_saturation.spo2\n2024-07-01 20:30:00.000,96,\n',
    })
    expect(found.samples).toMatchObject([{ resource: 'blood_oxygen', value: 96, offset: null }])
  })

  test('stores the bins of a heart rate instead of its row, and the row if it has none', async () => {
    const row = (time: string, bins: string) =>
      `2024-07-01 ${time}:00.000,2024-07-01 ${time}:59.000,UTC-0400,71.0,${bins},watch1`
    const bins = (...rates: readonly number[]) =>
      rates.map((heart_rate, i) => ({ heart_rate, start_time: Date.UTC(2024, 6, 1, 10, i), end_time: 0 }))
    const found = await read({
      ...table(
        'shealth.tracker.heart_rate',
        'start_time,end_time,time_offset,heart_rate,binning_data,deviceuuid',
        row('10:00', 'a1.binning_data.json'),
        row('11:00', ''),
        row('12:00', 'missing.binning_data.json'),
      ),
      [`${FOLDER}/jsons/com.samsung.shealth.tracker.heart_rate/a/a1.binning_data.json`]: bins(70, 72, 0),
      [`${FOLDER}/jsons/com.samsung.shealth.tracker.heart_rate/b/b1.binning_data.json`]: bins(99),
    })
    expect(found.samples.map(({ start, value, offset }) => [start, value, offset])).toEqual([
      ['2024-07-01T10:00:00.000Z', 70, -14_400],
      ['2024-07-01T10:01:00.000Z', 72, -14_400],
      ['2024-07-01T11:00:00.000Z', 71, -14_400],
      ['2024-07-01T12:00:00.000Z', 71, -14_400],
    ])
    expect(reasons(found)).toEqual({
      'rows whose detailed values are stored instead': 1,
      'heart rate values that stand for no measurement': 1,
      'files that no imported record refers to': 1,
    })
  })

  test('reads both kinds of heart rate variability from bins', async () => {
    const found = await read({
      ...table(
        'health.hrv',
        'start_time,time_offset,binning_data',
        '2024-07-01 02:00:00.000,UTC+0000,h.binning_data.json',
      ),
      [`${FOLDER}/jsons/com.samsung.health.hrv/h/h.binning_data.json`]: [
        { start_time: Date.UTC(2024, 6, 1, 2), end_time: 0, sdnn: 60, rmssd: 45 },
      ],
    })
    expect(found.samples.map(({ value, text }) => [value, text['type']])).toEqual([
      [45, undefined],
      [60, 'sdnn'],
    ])
  })

  test('joins a night with its stages', async () => {
    const sleep = 'com.samsung.health.sleep'
    const stage = (from: string, to: string, code: string, night = 'n1') =>
      `2024-07-01 ${from}:00.000,2024-07-01 ${to}:00.000,${code},UTC+0200,${night}`
    const found = await read({
      ...table(
        'shealth.sleep',
        `${sleep}.start_time,${sleep}.end_time,${sleep}.time_offset,${sleep}.datauuid,sleep_duration,efficiency,sleep_score`,
        '2024-07-01 22:00:00.000,2024-07-02 04:00:00.000,UTC+0200,n1,360,0.0,77',
        '2024-07-03 22:00:00.000,2024-07-04 04:00:00.000,UTC+0200,n2,330,0.0,0',
      ),
      ...table(
        'health.sleep_stage',
        'start_time,end_time,stage,time_offset,sleep_id',
        stage('22:00', '23:00', '40002'),
        stage('23:00', '23:30', '40001'),
        stage('23:30', '23:50', '40003'),
        stage('23:50', '23:55', '40004'),
        stage('23:50', '23:55', '40004', 'unknown'),
      ),
      ...table('shealth.sleep_combined', 'start_time', '2024-07-01 22:00:00.000'),
    })
    expect(documents(found, 'sleep')).toMatchObject([
      { calendar_date: '2024-07-02', light: 3600, awake: 1800, deep: 1200, rem: 300, score: 77, timezone_offset: 7200 },
      { total: 19_800 },
    ])
    expect(documents(found, 'sleep')[1]).not.toHaveProperty('efficiency')
    expect(reasons(found)).toEqual({
      'stages that are stored with their night': 4,
      'stages of nights that are not in the archive': 1,
      'combined nights, which repeat the nights': 1,
    })
  })

  test('keeps totals of days as summaries beside the steps of each device', async () => {
    const day = Date.UTC(2024, 6, 1)
    const found = await read({
      ...table(
        'shealth.step_daily_trend',
        'day_time,source_type,count,distance,calorie',
        `${day},-2,9000,6500,300`,
        `${day},0,7000,5000,200`,
      ),
      ...table('shealth.calories_burned.details', 'day_time,active_calorie,rest_calorie', `${day},350,1500`),
      ...table('shealth.tracker.floors_day_summary', 'day_time,floor', '2024-07-01 00:00:00.000,12'),
      ...table(
        'shealth.tracker.pedometer_step_count',
        'start_time,end_time,time_offset,count,distance,deviceuuid',
        '2024-07-01 10:00:00.000,2024-07-01 10:01:00.000,UTC+0200,80,60,phone',
        '2024-07-01 10:00:00.000,2024-07-01 10:01:00.000,UTC+0200,75,55,watch',
      ),
    })
    expect(documents(found, 'activity')).toMatchObject([
      { calendar_date: '2024-07-01', steps: 9000, distance: 6500, calories_active: 350, floors_climbed: 12 },
    ])
    const steps = found.samples.filter(({ resource }) => resource === 'steps')
    expect(steps.map(({ value }) => value)).toEqual([80, 75])
    expect(new Set(steps.map(({ text }) => text['device_id'])).size).toBe(2)
    expect(reasons(found)).toEqual({
      'steps of a day of one device, which the row for all devices contains': 1,
      'records of a day that are joined into its summary': 2,
    })
  })

  test('reads an exercise with its positions and heart rates as one workout', async () => {
    const at = Date.UTC(2024, 6, 1, 18)
    const exercise = 'com.samsung.health.exercise'
    const found = await read({
      ...table(
        'shealth.exercise',
        `${exercise}.start_time,${exercise}.end_time,${exercise}.time_offset,${exercise}.datauuid,${exercise}.exercise_type,${exercise}.duration,${exercise}.distance,${exercise}.calorie,${exercise}.mean_heart_rate,${exercise}.live_data,${exercise}.location_data`,
        '2024-07-01 18:00:00.000,2024-07-01 18:30:00.000,UTC+0200,e1,1002,1700000,5000,320,150,e1.live_data.json,e1.location_data.json',
      ),
      [`${FOLDER}/jsons/com.samsung.shealth.exercise/e/e1.live_data.json`]: [
        { start_time: at, heart_rate: 120 },
        { start_time: at + 1000 },
      ],
      [`${FOLDER}/jsons/com.samsung.shealth.exercise/e/e1.location_data.json`]: [
        { start_time: at + 500, latitude: 52.5, longitude: 13.4, altitude: 40 },
        { start_time: at + 1500, latitude: 52.5001, longitude: 13.4 },
      ],
    })
    expect(documents(found, 'workouts')).toMatchObject([
      {
        provider_id: 'e1',
        sport: { slug: 'running' },
        distance: 5000,
        moving_time: 1700,
        average_hr: 150,
        timezone_offset: 7200,
      },
    ])
    expect(found.streams).toMatchObject([{ n: 3 }])
    expect(found.samples).toEqual([])
    expect(reasons(found)).toEqual({})
  })
})
