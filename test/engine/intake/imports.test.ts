/** Imports of any format: reports, stored data and refusals, and how an import is undone. */
import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ByteSource, CallerInput } from '../../../src/contract/kernel/operation.ts'
import type { Operations } from '../../../src/contract/operations.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

let service: Harness
let user_id: string

beforeEach(async () => {
  service = await openHarness()
  user_id = (await service.call('user.create', { body: { client_user_id: 'ada' } })).user_id
})
afterEach(() => service.engine.close())

const files = temporaryFolder()
let written = 0

function file(content: string | Uint8Array): ByteSource {
  const path = join(files, `file-${written++}`)
  writeFileSync(path, content)
  return { kind: 'file', path }
}

function stepsAt(day: string, value: number): string {
  const time = `${day} 08:00:00 +0000`
  return record('HKQuantityTypeIdentifierStepCount', `${value}`, 'count', { startDate: time, endDate: time })
}

/** Returns this many heart rates, one minute apart. */
function heartRates(count: number): string {
  const records = Array.from({ length: count }, (_, i) => {
    const at = new Date(Date.UTC(2026, 9, 1) + i * 60_000).toISOString()
    const time = `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`
    return record('HKQuantityTypeIdentifierHeartRate', '70', 'count/min', { startDate: time, endDate: time })
  })
  return exportXml(records.join('\n'))
}

const TWO_DAYS = exportXml([stepsAt('2026-11-01', 100), stepsAt('2026-11-02', 200)].join('\n'))

type Given = CallerInput<Operations['import.create']>
type Query = NonNullable<Given['query']>
const load = (body: ByteSource, query: Query = {}) =>
  service.call('import.create', { params: { user_id }, query, body })
/** The query may be invalid on purpose. */
const refused = (body: ByteSource, query: object = {}) =>
  service.refusal('import.create', { params: { user_id }, query: query as Query, body })
const scratch = () => readdirSync(join(service.dataDir, 'scratch'))

async function steps(): Promise<number[]> {
  const page = await service.call('timeseries.grouped', {
    params: { user_id, resource: 'steps' },
    query: { start_date: '2026-01-01' },
  })
  const groups = Object.values(page.groups).flat()
  return groups.flatMap(({ data }) => data.map(each => Number((each as { value?: unknown }).value)))
}

async function providers(): Promise<string[]> {
  return (await service.call('user.providers', { params: { user_id } })).providers.map(({ slug }) => slug)
}

describe('an import', () => {
  test('is reported and listed, and creates the connection', async () => {
    const report = await load(file(TWO_DAYS))
    expect(report).toEqual({
      import_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      format: 'apple_health',
      user_id,
      records: 2,
      stored: { steps: { samples: 2, replaced: 0, unchanged: 0 } },
      summaries: {},
      streams: { created: 0, updated: 0, unchanged: 0 },
      skipped: [],
      implausible: {},
      days: { steps: { first: '2026-11-01', last: '2026-11-02' } },
      notices: [],
      file: {
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        kept: false,
        not_kept: null,
      },
      date_order: null,
      dry_run: false,
      partial: null,
      seconds: 0,
    })
    expect(await providers()).toEqual(['apple_health_kit'])
    const {
      dry_run: _,
      partial: __,
      seconds: ___,
      date_order: ____,
      implausible: _____,
      days: ______,
      notices: _______,
      file: reportedFile,
      ...kept
    } = report
    const { not_kept: ________, ...listedFile } = reportedFile ?? { not_kept: null }
    const listed = { client_user_id: 'ada', at: '2026-11-20T12:00:00+00:00', undone_at: null, remap: null }
    expect(await service.call('import.list', {})).toEqual({
      imports: [{ ...kept, ...listed, file: listedFile }],
      next_cursor: null,
    })
  })

  test('with dry_run reports the same and stores nothing', async () => {
    const newer = exportXml([stepsAt('2026-11-01', 100), stepsAt('2026-11-02', 7), stepsAt('2026-11-03', 8)].join('\n'))
    const dry = await load(file(TWO_DAYS), { dry_run: 'true' })
    expect(dry).toMatchObject({ import_id: null, dry_run: true, records: 2, stored: { steps: { samples: 2 } } })
    expect(await service.call('import.list', {})).toEqual({ imports: [], next_cursor: null })
    expect(await providers()).toEqual([])
    await load(file(TWO_DAYS))
    const second = await load(file(newer), { dry_run: true })
    expect(second.stored).toEqual({ steps: { samples: 3, replaced: 1, unchanged: 1 } })
    expect(await steps()).toEqual([100, 200])
    expect(scratch()).toEqual([])
  })

  test('of a file with nothing to store creates no connection', async () => {
    const report = await load(file(exportXml('')))
    expect(report).toMatchObject({ records: 0, stored: {}, summaries: {}, skipped: [] })
    expect(await providers()).toEqual([])
  })

  test('of which nothing can be stored is refused with the reasons, also as a dry run', async () => {
    const at = '2026-11-01 08:00:00 +0000'
    const other = (type: string) => record(type, '4711', 'count', { startDate: at, endDate: at })
    const body = () => file(exportXml([stepsAt('1960-01-01', 1), other('A'), other('A')].join('\n')))
    for (const query of [{}, { dry_run: true }]) {
      const error = await refused(body(), query)
      expect(error).toMatchObject({ code: 'invalid_file', status: 422 })
      expect(error.message).toMatch(/^Nothing in the file could be stored\. All of its 3 records were skipped: /)
      expect(error.message).toMatch(/\(2: byte \d+, byte \d+\); .* before 1970 \(1: byte \d+\)\.$/)
      expect(error.message).not.toContain('4711')
    }
    expect(await service.call('import.list', {})).toEqual({ imports: [], next_cursor: null })
    expect(await providers()).toEqual([])
    expect(scratch()).toEqual([])
  })

  test('with all data outside the ingestion bounds is refused', async () => {
    const { user_id } = await service.call('user.create', {
      body: { client_user_id: 'eve', ingestion_start: '2026-11-10' },
    })
    const body = file(TWO_DAYS)
    expect(await service.refusal('import.create', { params: { user_id }, body })).toMatchObject({
      code: 'invalid_file',
      message: expect.stringMatching(/2 records were skipped: outside the user's ingestion bounds \(2\)/),
    })
  })

  test('of data that is already stored is not an error', async () => {
    await load(file(TWO_DAYS))
    const again = await load(file(TWO_DAYS))
    expect(again.stored).toEqual({ steps: { samples: 2, replaced: 0, unchanged: 2 } })
  })

  test('reports the order of day and month', async () => {
    const mapping = '{"columns":{"start":"Time","value":"Steps"},"resource":"steps"}'
    const days = (...rows: string[]) => file(`Time,Steps\n${rows.map(day => `${day},1\n`).join('')}`)
    const order = async (body: ByteSource, query: Query = {}) => (await load(body, { mapping, ...query })).date_order
    expect(await order(days('6/2/20', '6/13/20'))).toEqual({ order: 'mdy', basis: 'file', place: 'line 3' })
    await expect(order(days('6/2/20'))).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await order(days('6/2/20'), { date_order: 'dmy' })).toEqual({ order: 'dmy', basis: 'given', place: null })
    expect(await order(days('2020-06-02'))).toBeNull()
  })

  test('counts data dropped by the ingestion bounds', async () => {
    const bounded = await service.call('user.create', {
      body: { client_user_id: 'eve', ingestion_start: '2026-11-10' },
    })
    const body = file(exportXml([stepsAt('2026-11-01', 1), stepsAt('2026-11-12', 2)].join('\n')))
    const report = await service.call('import.create', { params: { user_id: bounded.user_id }, body })
    expect(report).toMatchObject({
      records: 2,
      stored: { steps: { samples: 1 } },
      skipped: [{ reason: "outside the user's ingestion bounds", count: 1, places: [] }],
    })
  })

  test('accepts a stream, a gzip file, and both, and leaves no scratch file', async () => {
    const streamed = (bytes: Uint8Array): ByteSource => ({
      kind: 'stream',
      stream: (async function* () {
        for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
      })(),
    })
    for (const body of [streamed(Buffer.from(TWO_DAYS)), file(gzipSync(TWO_DAYS)), streamed(gzipSync(TWO_DAYS))]) {
      expect(await load(body)).toMatchObject({ format: 'apple_health', records: 2 })
      expect(scratch()).toEqual([])
    }
    expect(await steps()).toEqual([100, 200])
  })

  test('from a stream that fails stores nothing and leaves no scratch file', async () => {
    const failing = (async function* () {
      yield Buffer.from(TWO_DAYS)
      throw new ServiceError('timeout', 'Nothing came.')
    })()
    expect(await refused({ kind: 'stream', stream: failing })).toMatchObject({ code: 'timeout' })
    expect(scratch()).toEqual([])
    expect(await steps()).toEqual([])
  })
})

describe('a damaged file', () => {
  const cut = () => heartRates(10_000).slice(0, -30_000)

  test('is refused as a whole', async () => {
    expect(await refused(file(cut()))).toMatchObject({ code: 'invalid_file', status: 422 })
    expect(await service.call('import.list', {})).toEqual({ imports: [], next_cursor: null })
    expect(scratch()).toEqual([])
  })

  test('is stored up to the damage on request, and reported as partial', async () => {
    const report = await load(file(cut()), { keep_partial: true })
    expect(report.partial?.message).toMatch(/cut off/)
    const samples = report.stored['heartrate']?.samples ?? 0
    expect(samples).toBeGreaterThan(4_000)
    expect(samples).toBeLessThan(10_000)
    expect(report.records).toBe(samples)
    expect(await providers()).toEqual(['apple_health_kit'])
  })

  test('stores nothing if nothing precedes the damage', async () => {
    expect(await refused(file('<HealthData><Rec'), { keep_partial: true })).toMatchObject({ code: 'invalid_file' })
    expect(await service.call('import.list', {})).toEqual({ imports: [], next_cursor: null })
  })

  test('can be a truncated gzip file', async () => {
    // hard to compress, so that much of it precedes the end
    const noise = randomBytes(60_000).toString('hex')
    const packed = gzipSync(`${heartRates(9_000).replace('</HealthData>', `<!--${noise}--></HealthData>`)}`)
    const bytes = packed.subarray(0, -20_000)
    expect(await refused(file(bytes))).toMatchObject({ message: 'The gzip file is cut off.' })
    const report = await load(file(bytes), { keep_partial: true })
    expect(report).toMatchObject({ partial: { message: 'The gzip file is cut off.' } })
    expect(report.stored['heartrate']?.samples).toBeGreaterThan(4_000)
    expect(scratch()).toEqual([])
  })
})

describe('invalid parameters and formats', () => {
  test.each<[string, object, string, RegExp]>([
    ['an unknown provider', { provider: 'whop' }, 'unknown_provider', /Did you mean "whoop"/],
    ['an unknown source type', { source_type: 'wach' }, 'invalid_request', /Did you mean "watch"/],
    ['an unknown format', { format: 'aple_health' }, 'invalid_request', /Did you mean "apple_health"/],
    ['a date order that there is not', { date_order: 'ymd' }, 'invalid_request', /dmy, mdy/],
    ['a mapping that is no JSON', { mapping: 'start=Time' }, 'invalid_request', /mapping/],
    ['a zone that there is not', { mapping: '{"time_zone":"Mars"}' }, 'invalid_request', /Europe\/Berlin/],
    [
      'a date order for no open date',
      { date_order: 'dmy' },
      'invalid_request',
      /dates in apple_health are not ambiguous/,
    ],
    ['a mapping for no table', { mapping: '{"resource":"steps"}', format: 'apple_health' }, 'invalid_request', /csv/],
    ['a target that there is not', { mapping: '{"columns":{"strat":"Time"}}' }, 'invalid_request', /"start"|strat/],
  ])('are refused: %s', async (_what, query, code, says) => {
    const error = await refused(file(TWO_DAYS), query)
    expect(error).toMatchObject({ code, status: 422, message: expect.stringMatching(says) })
    expect(scratch()).toEqual([])
  })

  test('are refused inside gzip too: another gzip file, an unknown format', async () => {
    const twice = await refused(file(gzipSync(gzipSync(TWO_DAYS))))
    expect(twice).toMatchObject({ code: 'invalid_file', message: expect.stringMatching(/another gzip/) })
    const other = await refused(file(gzipSync(randomBytes(5_000))))
    expect(other).toMatchObject({ code: 'invalid_file', message: expect.stringMatching(/no format/) })
    expect(scratch()).toEqual([])
  })
})

describe('the list of imports', () => {
  test('is newest first, for all users or one, and within the limit', async () => {
    const eve = await service.call('user.create', { body: { client_user_id: 'eve' } })
    const first = await load(file(TWO_DAYS))
    service.time.ms += 1_000
    const second = await service.call('import.create', { params: { user_id: eve.user_id }, body: file(TWO_DAYS) })
    service.time.ms += 1_000
    const third = await load(file(TWO_DAYS))
    const ids = async (query: object) =>
      (await service.call('import.list', { query })).imports.map(each => each.import_id)
    expect(await ids({})).toEqual([third.import_id, second.import_id, first.import_id])
    expect(await ids({ user_id })).toEqual([third.import_id, first.import_id])
    expect(await ids({ limit: '1' })).toEqual([third.import_id])
  })

  test('shows the user’s current name, on every page', async () => {
    const eve = await service.call('user.create', { body: { client_user_id: 'eve' } })
    await load(file(TWO_DAYS))
    service.time.ms += 1_000
    await service.call('import.create', { params: { user_id: eve.user_id }, body: file(TWO_DAYS) })
    await service.call('user.patch', { params: { user_id }, body: { client_user_id: 'ada.lovelace' } })
    const names = async (query: object) =>
      (await service.call('import.list', { query })).imports.map(each => each.client_user_id)
    expect(await names({})).toEqual(['eve', 'ada.lovelace'])
    expect(await names({ user_id })).toEqual(['ada.lovelace'])
    expect(await names({ limit: '1' })).toEqual(['eve'])
  })

  test('continues after its last import, also among simultaneous imports, for the same user only', async () => {
    const all: (string | null)[] = []
    for (let i = 0; i < 3; i++) all.push((await load(file(TWO_DAYS))).import_id)
    const pageAt = (cursor?: string) =>
      service.call('import.list', { query: { limit: '1', ...(cursor === undefined ? {} : { next_cursor: cursor }) } })
    const seen: string[] = []
    let page = await pageAt()
    for (;;) {
      seen.push(...page.imports.map(each => each.import_id))
      const { next_cursor } = page
      if (next_cursor === null) break
      const other = { user_id, next_cursor }
      expect(await service.refusal('import.list', { query: other })).toMatchObject({ code: 'invalid_cursor' })
      page = await pageAt(next_cursor)
    }
    expect(seen.sort()).toEqual([...all].sort())
  })

  test('is a 404 for an unknown user', async () => {
    const nobody = { user_id: '0f8fad5b-d9cb-469f-a165-70867728950e' }
    expect(await service.refusal('import.list', { query: nobody })).toMatchObject({ code: 'user_not_found' })
  })
})

describe('undoing an import', () => {
  const undo = (import_id: string) => service.call('import.undo', { params: { import_id } })

  test('removes the data it added and restores the data it replaced', async () => {
    await load(file(TWO_DAYS))
    service.time.ms += 1_000
    const changed = exportXml([stepsAt('2026-11-02', 7), stepsAt('2026-11-03', 8)].join('\n'))
    const { import_id } = await load(file(changed))
    expect(await steps()).toEqual([100, 7, 8])
    service.time.ms += 1_000
    const report = await undo((import_id as string).toUpperCase())
    expect(report).toEqual({ import_id, removed: { steps: 1 }, restored: { steps: 1 }, kept: {} })
    expect(await steps()).toEqual([100, 200])
    const { imports } = await service.call('import.list', {})
    expect(imports.map(each => each.undone_at)).toEqual(['2026-11-20T12:00:02+00:00', null])
  })

  test('is refused the second time, and for an unknown import', async () => {
    const { import_id } = await load(file(TWO_DAYS))
    await undo(import_id as string)
    const again = await service.refusal('import.undo', { params: { import_id: import_id as string } })
    expect(again).toMatchObject({
      code: 'conflict',
      status: 409,
      message: expect.stringMatching(/already undone at 2026/),
    })
    const other = `${(import_id as string).slice(0, -4)}0000`
    for (const id of [other, '0f8fad5b-d9cb-469f-a165-70867728950e']) {
      expect(await service.refusal('import.undo', { params: { import_id: id } })).toMatchObject({ code: 'not_found' })
    }
  })
})
