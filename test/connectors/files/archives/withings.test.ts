/** Exports of Withings: units in headers, cells with lists, translated columns, and totals of days. */
import { describe, expect, test } from 'vitest'
import { withings } from '../../../../src/connectors/files/withings/withings.ts'
import { type RecordsRead, reasons } from '../record-files.ts'
import { csv, type Parts, readArchive } from './archive.ts'

const read = (parts: Parts) => readArchive(withings, parts, { timeZone: 'Europe/Berlin' })
const documents = ({ summaries }: RecordsRead, wanted: string) =>
  summaries.filter(({ kind }) => kind === wanted).map(({ document }) => document)
const samples = ({ samples: all }: RecordsRead) => all.map(({ resource, start, value }) => [resource, start, value])

describe('an export of Withings', () => {
  test('reads weights in the unit of the header, and fat as a share of the weight', async () => {
    const header = (unit: string) => `Date,"Weight (${unit})","Fat mass (${unit})",Comments`
    const metric = await read({
      'weight.csv': csv(header('kg'), '"2024-07-01 08:00:00",80.00,16.00,', '"2024-07-02 08:00:00",80.00,,'),
    })
    expect(samples(metric)).toEqual([
      ['body_weight', '2024-07-01T06:00:00.000Z', 80],
      ['body_weight', '2024-07-02T06:00:00.000Z', 80],
      ['body_fat', '2024-07-01T06:00:00.000Z', 20],
    ])
    expect(metric.notices).toEqual({ 'local times without an offset, read in Europe/Berlin': 2 })
    const pounds = await read({ 'weight.csv': csv(header('lb'), '"2024-07-01 08:00:00",100,,') })
    expect(samples(pounds)).toEqual([['body_weight', '2024-07-01T06:00:00.000Z', 45.359237]])
  })

  test('reads pressures, and rows with only a pulse', async () => {
    const found = await read({
      'bp.csv': csv(
        'Date,Heart rate,Systolic,Diastolic,Comments',
        '2024-07-01 08:00:00,60,120,80,',
        '2024-07-01 09:00:00,65,,,',
      ),
    })
    expect(found.samples.map(({ resource, value, second }) => [resource, value, second])).toEqual([
      ['blood_pressure', 120, 80],
      ['heartrate', 60, undefined],
      ['heartrate', 65, undefined],
    ])
  })

  test('reads each value of a list after the ones before it, whatever the order of the rows is', async () => {
    const found = await read({
      'raw_tracker_steps.csv': csv(
        'start,duration,value',
        '2024-07-01T10:00:00+02:00,"[60,120]","[70,72]"',
        '2024-07-01T09:00:00+02:00,[60],[5]',
        '2024-07-01T08:00:00+02:00,"[60,60]",[5]',
      ),
      'raw_hr_hr.csv': csv('start,duration,value', '2024-07-01T10:00:00+02:00,"[0,0]","[61,0]"'),
      'raw_location_latitude.csv': csv('start,duration,value', 'x'),
    })
    expect(found.samples.map(({ resource, start, end, value }) => [resource, start, end, value])).toEqual([
      ['steps', '2024-07-01T08:00:00.000Z', '2024-07-01T08:01:00.000Z', 70],
      ['steps', '2024-07-01T08:01:00.000Z', '2024-07-01T08:03:00.000Z', 72],
      ['steps', '2024-07-01T07:00:00.000Z', '2024-07-01T07:01:00.000Z', 5],
      ['heartrate', '2024-07-01T08:00:00.000Z', '2024-07-01T08:00:00.000Z', 61],
    ])
    expect(reasons(found)).toEqual({
      'tracker_steps records with lists of different lengths': 1,
      'hr_hr values that stand for no measurement': 1,
      'files that are not imported (.csv)': 1,
    })
  })

  test('keeps totals of days as summaries, with the offset that a night states', async () => {
    const found = await read({
      'aggregates_steps.csv': csv('date,value', '2024-07-02,9000'),
      'aggregates_distance.csv': csv('date,value', '2024-07-02,6500'),
      'sleep.csv': csv(
        'von,bis,leicht (s),tief (s),rem (s),wach (s),Aufwachen',
        '2024-07-01T23:00:00+02:00,2024-07-02T07:00:00+02:00,14400,7200,5400,1800,2',
      ),
    })
    expect(found.samples).toEqual([])
    expect(documents(found, 'activity')).toMatchObject([{ steps: 9000, distance: 6500, timezone_offset: 7200 }])
    expect(documents(found, 'sleep')).toMatchObject([
      { light: 14_400, deep: 7200, rem: 5400, awake: 1800, total: 27_000 },
    ])
    expect(reasons(found)).toEqual({ 'records of a day that are joined into its summary': 1 })
  })
})
