/** Archives that are damaged or hostile, or that no format knows: each is refused with one message, and nothing is stored. */
import { describe, expect, test } from 'vitest'
import { archiveImporterFor, IMPORTERS } from '../../../../src/connectors/files/formats.ts'
import { garminConnect } from '../../../../src/connectors/files/garmin-connect/garmin.ts'
import { googleTakeout } from '../../../../src/connectors/files/google-takeout/takeout.ts'
import type { Importer } from '../../../../src/connectors/files/importer.ts'
import { buildZip, type ZipPart } from '../exports.ts'
import { readContent } from '../record-files.ts'
import { csv, type Parts, zipOf } from './archive.ts'
import { EXAMPLES } from './examples.ts'

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

test('counts a list that has another form than before, and elements that cannot be read', async () => {
  const unknown = await readContent(googleTakeout, zipOf({ [STEPS]: { version: 2, steps: GOOD } }))
  expect(unknown.skipped).toMatchObject({
    'steps records that cannot be read': { count: 1, places: ['steps file 1, entry 1'] },
  })
  const broken = await readContent(googleTakeout, zipOf({ [STEPS]: `[${JSON.stringify(GOOD[0])}, {"a": tru}]` }))
  expect(broken.samples).toHaveLength(1)
  expect(broken.skipped).toMatchObject({
    'steps records that cannot be read': { count: 1, places: ['steps file 1, entry 2'] },
  })
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

// databases are one file, and have tests of their own
const archives = IMPORTERS.filter(each => each.recognizesArchive && !each.recognizesDatabase)

test('there is an example of each archive', () => {
  expect(archives.map(({ format }) => format).sort()).toEqual(Object.keys(EXAMPLES).sort())
})

describe.each(archives)('an archive of $format', importer => {
  const parts = EXAMPLES[importer.format] ?? {}
  /** A part that is read, and its name. */
  const [read] = Object.keys(parts).filter(name =>
    /(?:steps-|UDSFile|oxygen|workouts|activities\.csv|heartrate|raw_|247ohr)/.test(name),
  )

  test('is recognized by no other format, also in another folder and case', () => {
    const names = Object.keys(parts).map(name => `Wrapper/${name.toUpperCase()}`)
    expect(archives.filter(each => each.recognizesArchive?.(names)).map(({ format }) => format)).toEqual([
      importer.format,
    ])
  })

  test('gives the same data in each import, whatever the order of its parts is', async () => {
    const first = await readContent(importer, zipOf(parts))
    const second = await readContent(importer, zipOf(Object.fromEntries(Object.entries(parts).reverse())))
    expect(first.error).toBeUndefined()
    expect(first.samples.length + first.summaries.length).toBeGreaterThan(0)
    expect(second).toEqual(first)
    expect(JSON.stringify(first)).not.toContain('ada@')
  })

  test('is refused if a part is damaged', async () => {
    const cut = read?.endsWith('.json') ? '[{"a": 1' : Buffer.from([0x61, 0x0a, 0x22, 0xff])
    const { error } = await readContent(importer, zipOf({ ...parts, [read ?? '']: cut }))
    expect(error).toMatchObject({
      code: 'invalid_file',
      message: expect.stringMatching(/^The part ".+ file \d+" of the archive /),
    })
  })

  test('is refused if it is hostile', async () => {
    const content = (part: Parts[string] | undefined) =>
      typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part)
    const entries = Object.entries(parts).map(([name, part]) => ({ name, content: content(part) }))
    const hostile = [
      { name: `../${read}`, content: '' },
      { name: `${read}x`, content: 'y', mode: 0o120777 },
      { name: `${read}x`, content: '', statedSize: 0xf000_0000 },
    ]
    for (const entry of hostile) {
      const { error, samples, summaries } = await readContent(importer, buildZip([...entries, entry]))
      expect(error?.code).toBe('invalid_file')
      expect([...samples, ...summaries]).toEqual([])
    }
  })
})
