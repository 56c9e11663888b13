/** Any invalid input results in one message and the documented exit code, and leaves nothing half-written. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildZip, exportXml, record } from '../connectors/files/exports.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { scratchFiles } from '../kit/sandbox.ts'

const sandbox = new InProcessSandbox()
const inSandbox = (...names: string[]) => path.join(sandbox.folder, ...names)

const XML = exportXml(
  [1, 2].map(day => record('HKQuantityTypeIdentifierStepCount', `${day}00`, 'count', day2026(day))).join('\n'),
)
const EXPORT = { name: 'apple_health_export/export.xml', content: XML }

function day2026(day: number): Record<string, string> {
  return { startDate: `2026-11-0${day} 08:00:00 +0100`, endDate: `2026-11-0${day} 08:05:00 +0100` }
}

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada', '--fallback-time-zone', 'Europe/Berlin'])
  writeFileSync(inSandbox('good.xml'), XML)
  await sandbox.json(['import', 'good.xml', '--user', 'ada'])
})

/** Returns all data about the users. */
async function everything(): Promise<unknown[]> {
  return [
    await sandbox.json(['user', 'list']),
    await sandbox.json(['provider', 'list', '--user', 'ada']),
    await sandbox.json(['timeseries', 'get', 'ada', 'steps', '--start', '2026-01-01', '--end', '2026-12-31']),
  ]
}

const QUERY = ['aggregate', 'query', 'ada']
const STEPS = ['timeseries', 'get', 'ada', 'steps']
const LINK = ['--user', 'ada', '--username', 'a', '--password-stdin']
const NOBODY = '0f8fad5b-d9cb-469f-a165-70867728950e'

describe('unknown words are refused', () => {
  test.each<[string, readonly string[], number, RegExp]>([
    ['a flag', ['user', 'list', '--limt', '3'], 2, /Did you mean --limit\?/],
    ['a command', ['usr', 'list'], 2, /Did you mean "user list"/],
    ['a value of a flag', ['user', 'list', '--output', 'yaml'], 2, /table, json, ndjson, csv/],
    ['a resource', ['timeseries', 'get', 'ada', 'stepz', '--start', '2026-11-01'], 2, /Did you mean "steps"\?/],
    ['a provider to link', ['link', 'password', 'whop', ...LINK], 2, /Did you mean "whoop"\?[\s\S]*zwift/],
    [
      'a provider of another kind',
      ['link', 'password', 'oura', ...LINK],
      2,
      /uses OAuth[\s\S]*svc link oauth oura --user/,
    ],
    ['a region', ['link', 'password', 'dexcom', ...LINK, '--region', 'mars'], 2, /\bus\b.*\beu\b/],
    ['a provider to filter by', [...STEPS, '--start', '2026-11-01', '--provider', 'whop'], 2, /"whoop"/],
    ['a user', ['user', 'get', 'nobody'], 3, /svc user list/],
    ['a uuid', ['user', 'get', NOBODY], 3, /ot found/],
    ['a text in the place of a uuid', ['api', 'GET', '/v2/user/nobody'], 2, /must be a UUID/],
    ['a profile', ['user', 'list', '--profile', 'locl'], 2, /Did you mean "local"\?/],
    ['a path', ['api', 'GET', '/v2/users'], 3, /\/v2\/user\b/],
    ['an import format', ['import', 'good.xml', '--user', 'ada', '--format', 'aple_health'], 2, /"apple_health"/],
  ])('%s', async (_what, args, status, says) => {
    expectRefusal(await sandbox.run(args, { input: 'pw\n' }), status, says)
  })
})

describe('invalid dates, zones and numbers are refused', () => {
  const create = ['user', 'create', 'eve']
  test.each<[string, readonly string[], RegExp]>([
    ['a day that the month lacks', [...STEPS, '--start', '2026-02-30'], /YYYY-MM-DD/],
    ['a word for a date', [...STEPS, '--start', '2026-11-01', '--end', 'someday'], /YYYY-MM-DD/],
    ['an end before the start', [...STEPS, '--start', '2026-11-02', '--end', '2026-11-01'], /not be before start_date/],
    ['a time zone', [...create, '--fallback-time-zone', 'Europe/Berln'], /such as Europe\/Berlin/],
    ['a birth date in another order', [...create, '--fallback-birth-date', '17.5.1990'], /YYYY-MM-DD/],
    ['a thirteenth month', [...create, '--ingestion-start', '2026-13-01'], /YYYY-MM-DD/],
    ['a duration without a unit', ['engine', 'clock', 'advance', '7'], /7d or 1w/],
    ['an instant without a date', ['engine', 'clock', 'set', 'noon'], /ISO 8601/],
    ['a page that is too long', ['user', 'list', '--limit', '501'], /500/],
    ['a number that is none', ['user', 'list', '--limit', 'many'], /^Error: --limit: Expected an integer/],
    ['a port that there is not', ['serve', '--port', '70000'], /65535/],
    ['a cursor of nowhere', [...STEPS, '--start', '2026-11-01', '--cursor', 'abc'], /without a cursor/],
    ['an empty user', ['user', 'get', ''], /user_id or a client_user_id/],
  ])('%s', async (_what, args, says) => {
    expectRefusal(await sandbox.run(args), 2, says)
  })

  test('do not create a user', async () => {
    expectRefusal(await sandbox.run(['user', 'get', 'eve']), 3, /ot found/)
  })
})

describe('queries', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['an unknown column', ['--select', 'mean(sleep.eficiency)', '--past', '1w'], /Did you mean "efficiency"\?/],
    ['an unknown table', ['--select', 'mean(sleeps.efficiency)', '--past', '1w'], /Did you mean "sleep"/],
    ['an unknown function', ['--select', 'avg(steps)', '--past', '1w'], /mean, min, max, sum/],
    ['an open bracket', ['--select', 'sum(steps', '--past', '1w'], /func\(column\)/],
    ['an unknown bucket', ['--select', 'sum(steps)', '--past', '1w', '--group-by', 'fortnight'], /15min, 1d/],
    ['an unknown period', ['--select', 'sum(steps)', '--past', '1x'], /1d, 8w/],
    ['a condition on an unknown column', ['--select', 'sum(steps)', '--past', '1w', '--where', 'stepz > 1'], /"steps"/],
    ['a condition that ends early', ['--select', 'sum(steps)', '--past', '1w', '--where', 'steps >'], /where/],
    ['no query at all', [], /--select/],
    ['a file that is not there', ['absent.json'], /absent\.json does not exist/],
  ])('%s', async (_what, flags, says) => {
    expectRefusal(await sandbox.run([...QUERY, ...flags]), 2, says)
  })

  test.each([
    ['text', 'select sum(steps)', /not valid JSON/],
    ['half a document', '{"timeframe":', /not valid JSON/],
    ['a list', '[]', /JSON object/],
    ['an unknown column', document({ sleep: 'eficiency' }), /efficiency/],
    ['an unknown field', document({ slep: 'efficiency' }), /select/],
  ])('from stdin are refused: %s', async (_what, input, says) => {
    expectRefusal(await sandbox.run([...QUERY, '-'], { input }), 2, says)
  })

  test('get a suggestion within the message, which is not repeated below it', async () => {
    const run = await sandbox.run([...QUERY, '--select', 'mean(sleep.efficency)', '--past', '1w'])
    expect(run.stderr).toMatch(/Did you mean "efficiency"\?/)
    expect(run.stderr).not.toMatch(/^\s*[\w.]+$/m)
  })

  test('leave no file if the result cannot be saved', async () => {
    mkdirSync(inSandbox('taken.parquet'))
    const before = readdirSync(sandbox.folder)
    for (const file of ['taken.parquet', 'absent/out.parquet']) {
      const run = await sandbox.run([...QUERY, '--select', 'sum(steps)', '--past', '1w', '-o', file])
      expectRefusal(run, 2, /cannot be written|is a folder|no folder/)
    }
    expect(readdirSync(sandbox.folder)).toEqual(before)
  })
})

function document(column: object): string {
  const query = { select: [{ arg: column, func: 'mean' }], group_by: [] }
  return JSON.stringify({
    timeframe: { type: 'relative', anchor: '2026-11-20', past: { value: 1, unit: 'week' } },
    queries: [query],
  })
}

describe('files to import', () => {
  test('are refused as a whole when damaged, hostile or in another format', async () => {
    const before = await everything()
    // each contains a new record, which would show if it were kept
    const xml = XML.replaceAll('2026-11-0', '2026-10-0')
    const files: readonly (readonly [name: string, content: string | Uint8Array, says: RegExp | readonly RegExp[]])[] =
      [
        ['empty.xml', '', /empty/],
        ['cut.xml', xml.slice(0, -20), /cut off/],
        ['cut-in-a-record.xml', xml.slice(0, xml.lastIndexOf('value=')), /cut off/],
        ['text.csv', 'date,steps\n2026-01-01,4711\n', [/columns: "date", "steps"/, /--map start=/]],
        ['other.xml', '<?xml version="1.0"?><recipe/>', /apple_health/],
        ['malformed.xml', xml.replace('</HealthData>', '</Health>'), /well-formed/],
        ['smaller.zip', buildZip([{ ...EXPORT, content: xml, statedSize: 100 }]), /size that it states/],
        ['larger.zip', buildZip([{ ...EXPORT, content: xml, statedSize: 100_000 }]), /size that it states/],
        [
          'climbs.zip',
          buildZip([
            { ...EXPORT, content: xml },
            { name: '../../climbed', content: 'x' },
          ]),
          /leads out/,
        ],
        ['cut.zip', buildZip([{ ...EXPORT, content: xml }]).subarray(0, 200), /damaged or cut off/],
        ['checksum.zip', buildZip([{ ...EXPORT, content: xml, statedCrc: 1 }]), /checksum/],
      ]
    for (const [name, content, says] of files) {
      writeFileSync(inSandbox(name), content)
      expectRefusal(await sandbox.run(['import', name, '--user', 'ada']), 2, says)
      expect(scratchFiles(sandbox), name).toEqual([])
    }
    expect(existsSync(inSandbox('climbed')) || existsSync(inSandbox('..', 'climbed'))).toBe(false)
    expect(await everything()).toEqual(before)
  })

  test.each<[string, readonly string[], number, RegExp]>([
    ['that are not there', ['import', 'absent.xml', '--user', 'ada'], 2, /absent\.xml does not exist/],
    ['that are folders', ['import', '.', '--user', 'ada'], 2, /is a folder/],
    ['of a user who is not there', ['import', 'good.xml', '--user', 'nobody'], 3, /ot found/],
  ])('%s', async (_what, args, status, says) => {
    expectRefusal(await sandbox.run(args), status, says)
  })
})
