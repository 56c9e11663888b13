/** Archives that are damaged or hostile, or that no format knows: each is refused with one message, and nothing is stored. */
import { expect, test } from 'vitest'
import { archiveImporterFor, IMPORTERS } from '../../../../src/connectors/files/formats.ts'
import { garminConnect } from '../../../../src/connectors/files/garmin-connect/garmin.ts'
import { googleTakeout } from '../../../../src/connectors/files/google-takeout/takeout.ts'
import type { Importer } from '../../../../src/connectors/files/importer.ts'
import { buildZip, type ZipPart } from '../exports.ts'
import { readContent } from '../record-files.ts'
import { csv, type Parts, zipOf } from './archive.ts'

const STEPS = 'Takeout/Fitbit/Global Export Data/steps-2024-07-01.json'
const TABLE = 'Takeout/Fitbit/Physical Activity_GoogleData/steps_2024-07-01.csv'
const GOOD = [{ dateTime: '07/01/24 12:00:00', value: '12' }]

async function refusal(content: Uint8Array, importer: Importer = googleTakeout): Promise<string> {
  const { error } = await readContent(importer, content)
  expect(error).toMatchObject({ code: 'invalid_file', exitCode: 2 })
  return error?.message ?? ''
}
const refused = (parts: Parts, importer?: Importer) => refusal(zipOf(parts), importer)
const ofParts = (...parts: readonly ZipPart[]) => refusal(buildZip(parts))

test('names the part that is damaged, without its path', async () => {
  expect(await refused({ [STEPS]: '[{"dateTime": "07/01/24 12:00:00", "value": "12"' })).toMatch(
    /^The part "steps file 1" of the archive is cut off/,
  )
  expect(await refused({ [STEPS]: '[{"a": 1} {"b": 2}]' })).toMatch(
    /^The part "steps file 1" of the archive is not well-formed JSON/,
  )
  expect(await refused({ [TABLE]: 'timestamp,steps\n"2024-07-01T12:00:00Z,1\n' })).toMatch(
    /part "steps table file 1".* a quote is opened in line 2/,
  )
  expect(await refused({ [TABLE]: Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0xff, 0xfe]) })).toMatch(/not UTF-8/)
})

test('refuses lines of 100 MB and JSON that is 10,000 levels deep', async () => {
  expect(await refused({ [TABLE]: `timestamp,steps\n${'1'.repeat(100_000_000)}` })).toMatch(
    /200 times|longer than 1 MiB/,
  )
  expect(await refused({ [STEPS]: `${'['.repeat(10_000)}${']'.repeat(10_000)}` })).toMatch(
    /nested deeper than 64 levels/,
  )
  const nested = `[{"dateTime": "07/01/24 12:00:00", "value": ${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}]`
  expect(await refused({ [STEPS]: nested })).toMatch(/nested deeper than 64 levels/)
})

test('refuses names that lead out of the archive, symbolic links and encrypted entries', async () => {
  const good = { name: STEPS, content: JSON.stringify(GOOD) }
  expect(await ofParts(good, { name: '../steps-2024-07-02.json', content: '[]' })).toMatch(/leads out of its folder/)
  expect(await ofParts(good, { name: '/etc/passwd', content: '' })).toMatch(/leads out of its folder/)
  expect(await ofParts(good, { name: 'link', content: '/etc/passwd', mode: 0o120777 })).toMatch(/symbolic link/)
  expect(await ofParts({ ...good, flags: 1 })).toMatch(/is encrypted/)
  expect(await ofParts({ ...good, statedSize: 5 })).toMatch(/not the size that it states/)
})

test('says of encrypted exports which app they are from, and to unpack them first', async () => {
  const zepp = { name: 'HEARTRATE_AUTO/HEARTRATE_AUTO_1719800000000.csv', content: 'x', flags: 1 }
  const huawei = {
    name: 'HUAWEI_HEALTH_20240701/Health detail data & description/health detail data.json',
    content: 'x',
    flags: 1,
  }
  for (const [part, app] of [
    [zepp, 'Zepp'],
    [huawei, 'Huawei Health'],
  ] as const) {
    const { error } = await readContent(googleTakeout, buildZip([part]))
    expect(error?.message).toContain(`an encrypted export of ${app}`)
    expect(error?.suggestions.join(' ')).toContain('Unpack it with its password first')
  }
})

test('refuses damaged zip files in the archive', async () => {
  const inner = zipOf({ 'a.fit': 'x' }).subarray(0, 60)
  const path = 'DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip'
  expect(await refused({ [path]: inner }, garminConnect)).toMatch(/damaged or cut off/)
})

test('keeps the records before the damage if the caller wants them', async () => {
  const { samples, error } = await readContent(
    googleTakeout,
    zipOf({ [STEPS]: GOOD, 'Takeout/Fitbit/Global Export Data/steps-2024-07-02.json': '[{' }),
  )
  expect(samples).toHaveLength(1)
  expect(error?.code).toBe('invalid_file')
})

test('reads tables with spaces, empty lines, quotes and rows of any length', async () => {
  const table = csv(
    'timestamp,steps,"data source"',
    '"2024-07-01T12:00:00Z", 12 ,"a, b",more',
    '',
    '2024-07-01T12:01:00Z',
    'a"b,1',
  )
  const found = await readContent(googleTakeout, zipOf({ [TABLE]: table }))
  expect(found.samples).toMatchObject([{ value: 12 }])
  expect(found.skipped).toMatchObject({
    'steps table records without a time or value that can be read': {
      count: 2,
      places: ['steps table file 1, line 4', 'steps table file 1, line 5'],
    },
  })
})

test('recognizes archives by the names of their parts, in any folder and case', () => {
  const formats = (...names: readonly string[]) => archiveImporterFor(names)?.format
  expect(formats('TAKEOUT/FITBIT/x.txt')).toBe('google_takeout')
  expect(formats('backup/heart_rate-2024-07-01.json')).toBe('google_takeout')
  expect(formats('wrapper/DI_CONNECT/x/y.json')).toBe('garmin_connect')
  // the content of the XML file decides
  expect(formats('apple_health_export/export.xml')).toBeUndefined()
  for (const names of [[], ['a.txt']]) {
    expect(() => formats(...names)).toThrow(
      expect.objectContaining({ code: 'invalid_file', message: expect.stringContaining('Known formats: ') }),
    )
  }
})

test('no archive is recognized by two formats', () => {
  const archives = IMPORTERS.filter(each => each.recognizesArchive !== undefined)
  const names: Readonly<Record<string, string>> = {
    google_takeout: STEPS,
    garmin_connect: 'DI_CONNECT/DI-Connect-Aggregator/UDSFile_2024.json',
    samsung_health: 'samsunghealth_x/com.samsung.shealth.sleep.202407011200.csv',
    whoop: 'my_whoop_data/physiological_cycles.csv',
    strava: 'export_1/activities/1.fit.gz',
    oura: 'App Data/sleepmodel.csv',
    withings: 'data/raw_tracker_hr.csv',
    polar_flow: '247ohr_2024_7-1.json',
  }
  expect(archives.map(({ format }) => format).sort()).toEqual(Object.keys(names).sort())
  for (const [format, name] of Object.entries(names)) {
    expect(archives.filter(each => each.recognizesArchive?.([name])).map(each => each.format)).toEqual([format])
  }
})
