/** How the rows of a Dexcom Clarity export are converted. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dexcom } from '../../../src/connectors/files/cgm/dexcom.ts'
import { importerFor } from '../../../src/connectors/files/formats.ts'
import { readContent, readFile, reasons } from './record-files.ts'

const SAMPLE = join(import.meta.dirname, '../../fixtures/samples/cgm/dexcom-clarity.csv')
const HEADER =
  'Index,Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,Event Subtype,Patient Info,Device Info,Source Device ID,' +
  'Glucose Value (mg/dL),Insulin Value (u),Carb Value (grams),Duration (hh:mm:ss)'
const ABOUT = '1,,FirstName,,Canary,,,,,,\n2,,DateOfBirth,,1/1/1970,,,,,,\n3,,Alert,High,,,Phone of Canary,200,,,'

function clarity(...rows: string[]): string {
  return `\ufeff${HEADER}\r\n${ABOUT.replaceAll('\n', '\r\n')}\r\n${rows.map((row, i) => `${i + 4},${row}`).join('\r\n')}\r\n`
}

test('imports every reading of a real export', async () => {
  const read = await readFile(dexcom, SAMPLE)
  expect(read).toMatchObject({ error: undefined, records: 2148, skipped: {} })
  expect(read.samples).toHaveLength(2148)
  expect(new Set(read.samples.map(each => `${each.resource} ${each.provider} ${each.sourceType}`))).toEqual(
    new Set(['glucose dexcom automatic']),
  )
  expect([read.samples[0]?.start, read.samples.at(-1)?.start]).toEqual([
    '2016-10-24T11:24:17.000Z',
    '2016-11-01T09:19:02.000Z',
  ])
  const milligrams = read.samples.map(each => Math.round(each.value * 18.0156))
  expect([Math.min(...milligrams), Math.max(...milligrams)]).toEqual([49, 261])
  expect(milligrams.reduce((sum, each) => sum + each, 0) / 2148).toBeCloseTo(111.897, 3)
  expect(read.samples[0]?.value).toBe(Math.round((103 / 18.0156) * 1e6) / 1e6)
})

test('does not count rows about the person and the device as records, and neither stores nor reports them', async () => {
  const read = await readContent(dexcom, clarity('2024-05-01T08:00:00,EGV,,,,Phone of Canary,100,,,'))
  expect(read).toMatchObject({ records: 1, skipped: {} })
  expect(JSON.stringify(read)).not.toMatch(/Canary|1970|Phone/)
})

test('skips Low and High, each under its own reason, with line numbers', async () => {
  const read = await readContent(
    dexcom,
    clarity(
      '2024-05-01T08:00:00,EGV,,,,,Low,,,',
      '2024-05-01T08:05:00,EGV,,,,,High,,,',
      '2024-05-01T08:10:00,EGV,Low,,,,Low,,,',
    ),
  )
  expect(read).toMatchObject({ records: 3, samples: [] })
  expect(read.skipped).toEqual({
    'a glucose reading is "Low": below the range of the sensor': { count: 2, places: ['line 5', 'line 7'] },
    'a glucose reading is "High": above the range of the sensor': { count: 1, places: ['line 6'] },
  })
})

test('converts events to the matching resources of the catalogue', async () => {
  const read = await readContent(
    dexcom,
    clarity(
      '2024-05-01T08:00:00,Insulin,Fast-Acting,,,,,4.5,,',
      '2024-05-01T08:01:00,Insulin,Long-Acting,,,,,12,,',
      '2024-05-01T08:02:00,Insulin,,,,,,1,,',
      '2024-05-01T08:03:00,Carbs,,,,,,,40,',
      '2024-05-01T08:04:00,Exercise,Medium,,,,,,,00:30:00',
      '2024-05-01T08:05:00,Calibration,,,,,108,,,',
      '2024-05-01T08:06:00,Health,Illness,,,,,,,',
      '2024-05-01T08:07:00,Something else,,,,,,,,',
    ),
  )
  expect(read.samples).toMatchObject([
    {
      resource: 'insulin_injection',
      type: 'rapid_acting',
      value: 4.5,
      sourceType: 'app',
      text: {},
    },
    { resource: 'insulin_injection', type: 'long_acting', value: 12, sourceType: 'app' },
    { resource: 'carbohydrates', value: 40, sourceType: 'app' },
    { resource: 'workout_duration', value: 30, end: '2024-05-01T08:34:00.000Z', text: { intensity: 'medium' } },
    { resource: 'glucose', value: 5.994805, sourceType: 'fingerprick' },
  ])
  expect(reasons(read)).toEqual({
    'an insulin event does not say whether it is fast-acting or long-acting': 1,
    'Health events are not imported': 1,
    'events of other types are not imported': 1,
  })
})

test('keeps readings in mmol/L exact to the last bit, with a decimal point or comma', async () => {
  const mmol = clarity('2024-05-01T08:00:00,EGV,,,,,5.7,,,', '2024-05-01 08:05:00,EGV,,,,,"6,1",,,')
  const read = await readContent(dexcom, mmol.replace('(mg/dL)', '(mmol/L)'))
  expect(read.samples.map(each => each.value)).toEqual([5.7, 6.1])
})

test('reads times as wall-clock times in the user’s zone', async () => {
  const read = await readContent(dexcom, clarity('2024-05-01T08:00:00,EGV,,,,,100,,,'), {
    timeZone: 'America/New_York',
  })
  expect(read.samples).toMatchObject([{ start: '2024-05-01T12:00:00.000Z', offset: -14_400 }])
})

test('keeps both passes of the hour that a clock change repeats', async () => {
  const times = ['01:50:00', '01:55:00', '01:00:00', '01:05:00', '01:55:00', '02:00:00']
  const rows = times.map(time => `2024-11-03T${time},EGV,,,,,100,,,`)
  const read = await readContent(dexcom, clarity(...rows), { timeZone: 'America/New_York' })
  expect(read.samples.map(each => [each.start.slice(11, 16), each.offset])).toEqual([
    ['05:50', -14_400],
    ['05:55', -14_400],
    ['06:00', -18_000],
    ['06:05', -18_000],
    ['06:55', -18_000],
    ['07:00', -18_000],
  ])
})

test('moves a time that a clock change skips forward by the length of the gap', async () => {
  const read = await readContent(dexcom, clarity('2024-03-10T02:30:00,EGV,,,,,100,,,'), {
    timeZone: 'America/New_York',
  })
  expect(read.samples).toMatchObject([{ start: '2024-03-10T07:30:00.000Z', offset: -14_400 }])
})

test('continues after an unreadable row', async () => {
  const read = await readContent(
    dexcom,
    clarity(
      'yesterday,EGV,,,,,100,,,',
      '2024-05-01T08:00:00,EGV,,,,,,,,',
      '2024-05-01T08:05:00,EGV,,,,,a lot,,,',
      '2031-05-01T08:05:00,EGV,,,,,100,,,',
      '"2024-05-01T08:06:00"x,EGV,,,,,100,,,',
      '2024-05-01T08:10:00,EGV,,,,,100,,,',
    ),
  )
  expect(read).toMatchObject({ records: 6, samples: [{ start: '2024-05-01T08:10:00.000Z' }] })
  expect(reasons(read)).toEqual({
    'a glucose reading has a time that cannot be read': 1,
    'a glucose reading has no value': 1,
    'a glucose reading has a value that is not a finite number': 1,
    'a glucose reading starts more than a day in the future': 1,
    'a row has misplaced quotes': 1,
  })
})

test('is recognized by its header, with any quoting and wherever the first bytes end', () => {
  const bytes = Buffer.from(clarity(`2024-05-01T08:00:00,EGV,,,,é${'é'.repeat(3000)},100,,,`))
  expect(importerFor(bytes.subarray(0, 4096)).format).toBe('dexcom')
  expect(importerFor(bytes.subarray(0, 4095)).format).toBe('dexcom')
  const quoted = HEADER.split(',').map(name => `"${name}"`)
  expect(importerFor(Buffer.from(`${quoted.join(',')}\n`)).format).toBe('dexcom')
})

test('refuses another table when the format is forced, and keeps the rows before any damage', async () => {
  expect((await readContent(dexcom, 'a,b\n1,2\n')).error).toMatchObject({
    code: 'invalid_file',
    message: expect.stringMatching(/not a Dexcom Clarity export/),
  })
  const rows = clarity('2024-05-01T08:00:00,EGV,,,,,100,,,')
  const read = await readContent(dexcom, Buffer.concat([Buffer.from(rows), Buffer.from([0xff, 0x0a])]))
  expect(read).toMatchObject({ records: 1, samples: [{ value: 5.550745 }], error: { code: 'invalid_file' } })
})

test('stores the data under the source that the caller chooses', async () => {
  const read = await readContent(dexcom, clarity('2024-05-01T08:00:00,EGV,,,,,100,,,'), {
    provider: 'dexcom_v3',
    sourceType: 'unknown',
  })
  expect(read.samples).toMatchObject([{ provider: 'dexcom_v3', sourceType: 'unknown' }])
})

test('treats a subtype that is also the name of an object member as unknown', async () => {
  const read = await readContent(
    dexcom,
    clarity(
      '2025-03-01T08:00:00,Insulin,constructor,,,id,,4,,',
      '2025-03-01T08:05:00,Exercise,__proto__,,,id,,,,00:30:00',
    ),
  )
  expect(read.samples).toMatchObject([{ resource: 'workout_duration', value: 30, text: {} }])
  expect(reasons(read)).toEqual({ 'an insulin event does not say whether it is fast-acting or long-acting': 1 })
})
