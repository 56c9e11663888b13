/** Imports of Gadgetbridge's database: what becomes of each table, and every trap of the format. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importerOfFile } from '../../../../src/connectors/files/formats.ts'
import { gadgetbridge } from '../../../../src/connectors/files/gadgetbridge/gadgetbridge.ts'
import type { ImportContext } from '../../../../src/connectors/files/importer.ts'
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/time.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { type RecordsRead, readContent, reasons } from '../record-files.ts'
import { GadgetbridgeDatabase } from './gadgetbridge-database.ts'

const T = Date.UTC(2025, 5, 1, 8)
const SECONDS = T / 1000

async function imported(file: GadgetbridgeDatabase, context: Partial<ImportContext> = {}): Promise<RecordsRead> {
  const read = await readContent(gadgetbridge, file.zip(), context)
  expect(read.error).toBeUndefined()
  return read
}

test('recognizes the zip file of an export and the database in it by their content', async () => {
  const file = new GadgetbridgeDatabase()
  const zip = file.zip()
  const path = join(temporaryFolder(), 'a.zip')
  writeFileSync(path, zip)
  for (const each of [path, file.path]) {
    const head = readFileSync(each).subarray(0, 4096)
    expect((await importerOfFile(each, head, undefined, undefined)).format).toBe('gadgetbridge')
  }
})

test('reads steps and heart rate of activity in seconds, and nothing where a band measured nothing', async () => {
  const file = new GadgetbridgeDatabase()
  file.activity('HUAMI_EXTENDED_ACTIVITY_SAMPLE', SECONDS, { STEPS: 42, HEART_RATE: 71 })
  for (const [i, rate] of [255, -1, 0].entries())
    file.activity('HUAMI_EXTENDED_ACTIVITY_SAMPLE', SECONDS + 60 * (i + 1), { HEART_RATE: rate })
  file.activity('XIAOMI_ACTIVITY_SAMPLE', SECONDS, { STEPS: -1, HEART_RATE: 72 })
  file.activity('GARMIN_ACTIVITY_SAMPLE', SECONDS, { STEPS: 5, DISTANCE_CM: 350, ACTIVE_CALORIES: 12 })
  const read = await imported(file)
  expect(read.samples.map(({ resource, value, start }) => [resource, value, start])).toEqual([
    ['steps', 42, '2025-06-01T08:00:00.000Z'],
    ['steps', 5, '2025-06-01T08:00:00.000Z'],
    ['heartrate', 71, '2025-06-01T08:00:00.000Z'],
    ['heartrate', 72, '2025-06-01T08:00:00.000Z'],
    ['distance', 3.5, '2025-06-01T08:00:00.000Z'],
  ])
  expect(reasons(read)).toEqual({ 'a row of HUAMI_EXTENDED_ACTIVITY_SAMPLE has no value': 3 })
  expect(read.records).toBe(6)
})

test('reads all other samples in milliseconds', async () => {
  const file = new GadgetbridgeDatabase()
  file.sample('HUAMI_SPO2_SAMPLE', T, { TYPE_NUM: 0, SPO2: 97 })
  file.sample('HUAMI_STRESS_SAMPLE', T, { TYPE_NUM: 0, STRESS: 33 })
  file.sample('HUAMI_HEART_RATE_MANUAL_SAMPLE', T, { UTC_OFFSET: 0, HEART_RATE: 66 })
  file.sample('HUAMI_SLEEP_RESPIRATORY_RATE_SAMPLE', T, { UTC_OFFSET: 0, RATE: 14 })
  file.sample('GARMIN_STRESS_SAMPLE', T, { STRESS: -2 })
  file.sample('GARMIN_RESPIRATORY_RATE_SAMPLE', T, { RESPIRATORY_RATE: 13.5 })
  file.sample('GARMIN_HRV_VALUE_SAMPLE', T, { VALUE: 44 })
  file.sample('MI_SCALE_WEIGHT_SAMPLE', T, { WEIGHT_KG: 72.5 })
  file.sample('HUAMI_SPO2_SAMPLE', SECONDS, { TYPE_NUM: 0, SPO2: 96 })
  const read = await imported(file)
  expect(read.samples.map(({ resource, value, sourceType }) => [resource, value, sourceType])).toEqual([
    ['blood_oxygen', 97, 'watch'],
    ['stress_level', 33, 'watch'],
    ['heartrate', 66, 'watch'],
    ['respiratory_rate', 14, 'watch'],
    ['respiratory_rate', 13.5, 'watch'],
    ['hrv', 44, 'watch'],
    ['body_weight', 72.5, 'scale'],
  ])
  expect(reasons(read)).toEqual({
    'a row of GARMIN_STRESS_SAMPLE has no value': 1,
    'a row of HUAMI_SPO2_SAMPLE has a time before 2010': 1,
  })
  expect(read.skipped['a row of HUAMI_SPO2_SAMPLE has a time before 2010']?.places).toEqual(['HUAMI_SPO2_SAMPLE row 1'])
})

test('keeps devices apart, reads Garmin devices as Garmin, and stores no names', async () => {
  const file = new GadgetbridgeDatabase()
  file.device(2, "Ada's watch", 'Garmin')
  file.sample('GARMIN_STRESS_SAMPLE', T, { STRESS: 20 })
  file.sample('GARMIN_STRESS_SAMPLE', T, { STRESS: 21, DEVICE_ID: 2 })
  file.sample('GARMIN_STRESS_SAMPLE', T, { STRESS: 22, DEVICE_ID: 9 })
  const read = await imported(file, { timeZone: 'Europe/Berlin' })
  const sources = read.samples.map(({ provider, value, offset, text }) => [
    provider,
    value,
    offset,
    text['device_id'] !== undefined,
  ])
  expect(sources).toEqual([
    ['manual', 20, 7200, true],
    ['manual', 22, 7200, false],
    ['garmin', 21, 7200, true],
  ])
  expect(new Set(read.samples.map(({ text }) => text['app_id']))).toEqual(
    new Set(['nodomain.freeyourgadget.gadgetbridge']),
  )
  expect(JSON.stringify(read)).not.toContain('Ada')
})

test("makes nights of Xiaomi's sessions and stages, each of which lasts until the next one", async () => {
  const file = new GadgetbridgeDatabase()
  const [start, end] = [Date.UTC(2025, 5, 1, 22), Date.UTC(2025, 5, 2, 6)]
  file.sample('XIAOMI_SLEEP_TIME_SAMPLE', start, { WAKEUP_TIME: end, IS_AWAKE: 1, TOTAL_DURATION: 470 })
  const stages = [
    [0, 3],
    [120, 2],
    [180, 4],
    [240, 5],
    [300, 3],
  ] as const
  for (const [minutes, stage] of stages)
    file.sample('XIAOMI_SLEEP_STAGE_SAMPLE', start + minutes * MINUTE_MS, { STAGE: stage })
  const later = start + 30 * HOUR_MS
  const minutes = { TOTAL_DURATION: 400, DEEP_SLEEP_DURATION: 90, LIGHT_SLEEP_DURATION: 250, REM_SLEEP_DURATION: 60 }
  file.sample('XIAOMI_SLEEP_TIME_SAMPLE', later, { WAKEUP_TIME: later + 8 * HOUR_MS, ...minutes, AWAKE_DURATION: 10 })
  file.sample('XIAOMI_SLEEP_TIME_SAMPLE', later + 24 * HOUR_MS, {
    ...{ WAKEUP_TIME: later + 25 * HOUR_MS, TOTAL_DURATION: 3600, DEEP_SLEEP_DURATION: 1 },
  })
  file.sample('HUAMI_HEART_RATE_RESTING_SAMPLE', end + HOUR_MS, { UTC_OFFSET: 0, HEART_RATE: 52 })
  const read = await imported(file)
  const documents = read.summaries.map(({ kind, document }) => [kind, document])
  expect(documents).toMatchObject([
    [
      'sleep',
      { total: 25_200, light: 18_000, deep: 3600, rem: 3600, awake: 0, hr_resting: 52, calendar_date: '2025-06-02' },
    ],
    ['sleep_cycle', { stage_type: [2, 1, 3, 2], stage_start_offset_second: [0, 7200, 10_800, 18_000] }],
    ['sleep', { total: 24_000, deep: 5400, light: 15_000, rem: 3600, awake: 600 }],
    ['sleep', { total: 0, deep: 0 }],
    ['activity', { heart_rate: { resting_bpm: 52 } }],
  ])
  expect(reasons(read)).toEqual({
    'a stage of sleep has an unknown code, or is outside its session': 1,
    'resting heart rates, which are stored only in the summaries of days and nights': 1,
  })
  expect(read.records).toBe(5)
})

test('makes workouts of activity summaries', async () => {
  const file = new GadgetbridgeDatabase()
  const workout = (kind: number, more: Readonly<Record<string, number | string>> = {}) =>
    file.insert('BASE_ACTIVITY_SUMMARY', {
      START_TIME: T,
      END_TIME: T + HOUR_MS,
      ACTIVITY_KIND: kind,
      DEVICE_ID: 1,
      USER_ID: 1,
      ...more,
    })
  workout(16, { NAME: 'Lunch run' })
  workout(67_109_041)
  workout(16, { END_TIME: T - 1 })
  const read = await imported(file)
  expect(read.summaries.map(({ document }) => document)).toMatchObject([
    { title: 'Lunch run', sport: { slug: 'running' }, time_end: '2025-06-01T09:00:00+00:00' },
    { title: 'Other', sport: { slug: 'other' } },
  ])
  expect(reasons(read)).toEqual({ 'a row of BASE_ACTIVITY_SUMMARY ends before it starts': 1 })
})

test('counts the rows of tables that are not imported', async () => {
  const file = new GadgetbridgeDatabase({ FUTURE_SAMPLE: '"A" INTEGER)' })
  file.sample('HUAMI_PAI_SAMPLE', T, { UTC_OFFSET: 0, PAI_TODAY: 1 })
  file.sample('GARMIN_SLEEP_STAGE_SAMPLE', T, { STAGE: 2 })
  file.sample('BATTERY_LEVEL', SECONDS, { LEVEL: 80 })
  file.insert('FUTURE_SAMPLE', { A: 1 })
  file.sample('GARMIN_STRESS_SAMPLE', T, { STRESS: 'high' })
  const read = await imported(file)
  expect(reasons(read)).toEqual({
    'FUTURE_SAMPLE is not imported': 1,
    'GARMIN_SLEEP_STAGE_SAMPLE is not imported': 1,
    'HUAMI_PAI_SAMPLE is not imported': 1,
    'a row of GARMIN_STRESS_SAMPLE has no value': 1,
  })
  expect(read.records).toBe(4)
})
