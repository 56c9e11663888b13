/** Exports of Oura: tables separated by semicolons whose cells contain JSON, and scores that look like measurements. */
import { describe, expect, test } from 'vitest'
import { oura } from '../../../../src/connectors/files/oura/oura.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { csv, type Parts, readArchive } from './archive.ts'

const read = (tables: Parts) =>
  readArchive(oura, Object.fromEntries(Object.entries(tables).map(([name, text]) => [`App Data/${name}.csv`, text])))
const documents = ({ summaries }: RecordsRead, wanted: string) =>
  summaries.filter(({ kind }) => kind === wanted).map(({ document }) => document)

const SLEEP =
  'id;day;bedtime_start;bedtime_end;type;total_sleep_duration;deep_sleep_duration;light_sleep_duration;rem_sleep_duration;' +
  'awake_time;time_in_bed;latency;efficiency;average_heart_rate;lowest_heart_rate;average_hrv;average_breath;heart_rate;hrv;' +
  'sleep_phase_5_min;sleep_phase_30_sec'
const series = (items: readonly (number | null)[]) =>
  JSON.stringify({ interval: 300, items, timestamp: '2024-07-01T23:00:00.000+02:00' })
const night = (type: string, fine = '') =>
  `n1;2024-07-02;2024-07-01T23:00:00+02:00;2024-07-01T23:20:00+02:00;${type};900;300;600;0;300;1200;60;75;55.5;48;42;14;` +
  `${series([56, null, 54])};${series([40, null, 44])};4121;${fine}`

describe('an export of Oura', () => {
  test('reads a night with its scores, stages and readings, and the ID of its connection', async () => {
    const found = await read({
      sleepmodel: csv(SLEEP, night('long_sleep'), night('rest')),
      dailysleep: csv('id;day;score;contributors', 's1;2024-07-02;81;{"deep_sleep": 90, "total_sleep": 80}'),
      dailyreadiness: csv(
        'id;contributors;day;score;temperature_deviation',
        'r1;{"resting_heart_rate": 97, "hrv_balance": 80};2024-07-02;77;-0.2',
      ),
    })
    expect(documents(found, 'sleep')).toMatchObject([
      {
        calendar_date: '2024-07-01',
        timezone_offset: 7200,
        deep: 300,
        light: 600,
        awake: 300,
        efficiency: 75,
        hr_lowest: 48,
        score: 81,
        recovery_readiness_score: 77,
        temperature_delta: -0.2,
      },
    ])
    expect(documents(found, 'sleep_cycle')[0]?.['stage_type']).toEqual([4, 1, 2, 1])
    expect(found.samples.map(({ resource, start, value, text }) => [resource, start, value, text['type']])).toEqual([
      ['hrv', '2024-07-01T21:00:00.000Z', 40, undefined],
      ['hrv', '2024-07-01T21:10:00.000Z', 44, undefined],
      ['heartrate', '2024-07-01T21:00:00.000Z', 56, 'sleep'],
      ['heartrate', '2024-07-01T21:10:00.000Z', 54, 'sleep'],
    ])
    expect(reasons(found)).toEqual({
      'rests and deleted sleeps, which are not sleep': 1,
      'scores of days, which are stored with the long sleep of the day': 2,
    })
  })

  test('uses the finer stages only if they are as long as the coarser ones', async () => {
    const stages = async (fine: string) => {
      const found = await read({ sleepmodel: csv(SLEEP, night('long_sleep', fine)) })
      return documents(found, 'sleep_cycle')[0]?.['stage_type']
    }
    expect(await stages('3'.repeat(40))).toEqual([3])
    expect(await stages('3'.repeat(10))).toEqual([4, 1, 2, 1])
  })

  test('stores heart rates once, and days as summaries', async () => {
    const found = await read({
      sleepmodel: csv(SLEEP, night('late_nap')),
      heartrate: csv('timestamp;bpm;source', '2024-07-01T21:00:00+00:00;57;sleep', '2024-07-01T12:00:00Z;70;awake'),
      dailyactivity: csv(
        'id;day;steps;active_calories;total_calories;equivalent_walking_distance;met',
        `a1;2024-07-01;9000;400;2400;7000;${JSON.stringify({ interval: 60, items: [0.9, 1.1], timestamp: 'x' })}`,
      ),
      dailyspo2: csv('day;spo2_percentage', '2024-07-01;{"average": 96.5}', '2024-07-02;'),
      temperature: csv('timestamp;skin_temp', '2024-07-01T12:00:00Z;34.2'),
      workout: csv(
        'id;activity;start_datetime;end_datetime;calories;distance',
        'w1;running;2024-07-01T18:00:00+02:00;2024-07-01T18:30:00+02:00;300;5000',
      ),
      dailystress: csv('day;stress_high', '2024-07-01;3600'),
    })
    const of = (resource: string) => found.samples.filter(each => each.resource === resource)
    expect(of('heartrate').map(({ value }) => value)).toEqual([57, 70])
    expect(of('blood_oxygen')).toMatchObject([{ value: 96.5, start: '2024-07-01T00:00:00.000Z' }])
    expect(of('steps')).toEqual([])
    expect(documents(found, 'activity')).toMatchObject([
      { steps: 9000, calories_active: 400, calories_total: 2400, distance: 7000 },
    ])
    expect(documents(found, 'workouts')).toMatchObject([
      { provider_id: 'w1', sport: { slug: 'running' }, distance: 5000 },
    ])
    expect(documents(found, 'sleep')).toMatchObject([{ type: 'acknowledged_nap' }])
    expect(reasons(found)).toEqual({
      'copies of heart rates, for days that "heartrate" files cover': 2,
      'dailyspo2 records without a time or value that can be read': 1,
      'files that are not imported (.csv)': 1,
    })
  })
})
