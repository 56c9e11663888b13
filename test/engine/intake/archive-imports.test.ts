/** Archives of providers in the service: what a dry run shows, what a second or a newer archive changes, and what undoing restores. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ByteSource } from '../../../src/contract/kernel/operation.ts'
import { type Parts, zipOf } from '../../connectors/files/archives/archive.ts'
import { EXAMPLES } from '../../connectors/files/archives/examples.ts'
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

function archive(parts: Parts): ByteSource {
  const path = join(files, `archive-${written++}`)
  writeFileSync(path, zipOf(parts))
  return { kind: 'file', path }
}
const load = (parts: Parts, query = {}) =>
  service.call('import.create', { params: { user_id }, query, body: archive(parts) })
const undo = (import_id: string | null) => service.call('import.undo', { params: { import_id: import_id ?? '' } })

async function steps(): Promise<number[]> {
  const page = await service.call('timeseries.grouped', {
    params: { user_id, resource: 'steps' },
    query: { start_date: '2024-01-01' },
  })
  return Object.values(page.groups)
    .flat()
    .flatMap(({ data }) => data.map(each => Number((each as { value?: unknown }).value)))
}

const minute = (time: string, value: string) => ({ dateTime: `07/01/24 ${time}:00`, value })
const takeout = (...minutes: readonly object[]): Parts => ({
  'Takeout/Fitbit/Global Export Data/steps-2024-07-01.json': minutes,
  'Takeout/Fitbit/Global Export Data/calories-2024-07-01.json': [{ dateTime: '07/01/24 08:00:00', value: '1.5' }],
  'Takeout/Fitbit/Global Export Data/weight-2024-07-01.json': [
    { logId: 1, weight: 150, bmi: 22, date: '07/03/24', time: '08:00:00' },
  ],
})
const OLD = takeout(minute('08:00', '10'), minute('08:01', '20'))
const NEW = takeout(minute('08:01', '25'), minute('08:02', '30'))

test('a dry run of an archive shows its days, what is skipped and how times were read, and stores nothing', async () => {
  const report = await load(OLD, { dry_run: 'true', mapping: JSON.stringify({ time_zone: 'Europe/Berlin' }) })
  expect(report).toMatchObject({
    import_id: null,
    format: 'google_takeout',
    records: 5,
    stored: { steps: { samples: 2 }, body_mass_index: { samples: 1 } },
    summaries: { activity: { created: 1 } },
    skipped: [
      {
        reason: expect.stringContaining("weights in the account's unit"),
        count: 1,
        places: ['weight file 1, entry 1'],
      },
    ],
    days: {
      activity: { first: '2024-07-01', last: '2024-07-01' },
      body_mass_index: { first: '2024-07-03', last: '2024-07-03' },
      steps: { first: '2024-07-01', last: '2024-07-01' },
    },
    notices: [{ text: 'local times without an offset, read in Europe/Berlin', count: 1 }],
  })
  expect(await steps()).toEqual([])
})

test('the same archive changes nothing, and a newer one adds and corrects', async () => {
  await load(OLD)
  expect((await load(OLD)).stored['steps']).toEqual({ samples: 2, replaced: 0, unchanged: 2 })
  const newer = await load(NEW)
  expect(newer.stored['steps']).toEqual({ samples: 2, replaced: 1, unchanged: 0 })
  expect(newer.summaries['activity']).toEqual({ created: 0, updated: 0, unchanged: 1 })
  expect(await steps()).toEqual([10, 25, 30])
})

test('undoing an archive restores the state before, also after another import', async () => {
  const older = await load(OLD)
  const newer = await load(NEW)
  const other = await load(takeout(minute('09:00', '40')))
  await undo(newer.import_id)
  expect(await steps()).toEqual([10, 20, 40])
  await undo(older.import_id)
  expect(await steps()).toEqual([40])
  await undo(other.import_id)
  expect(await steps()).toEqual([])
})

test('leaves no file behind, also if a zip file inside is damaged', async () => {
  const path = 'DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip'
  const day = {
    'DI_CONNECT/DI-Connect-Aggregator/UDSFile_2024-07-01.json': [{ calendarDate: '2024-07-01', totalSteps: 5 }],
  }
  await load({ ...day, [path]: zipOf({ 'settings.txt': 'x' }) })
  const bad = { ...day, [path]: zipOf({ 'a.fit': 'x' }).subarray(0, 50) }
  const input = { params: { user_id }, query: {}, body: archive(bad) }
  expect((await service.refusal('import.create', input)).code).toBe('invalid_file')
  expect(readdirSync(join(service.dataDir, 'scratch'))).toEqual([])
})

test.each(Object.entries(EXAMPLES))(
  'an archive of %s is stored once, and undoing it leaves nothing',
  async (format, parts) => {
    const first = await load(parts)
    expect(first.format).toBe(format)
    expect(Object.keys(first.days ?? {})).toEqual(expect.arrayContaining(Object.keys(first.stored)))
    const again = await load(parts)
    for (const [resource, { samples }] of Object.entries(again.stored)) {
      expect([resource, again.stored[resource]]).toEqual([resource, { samples, replaced: 0, unchanged: samples }])
    }
    for (const counts of [...Object.values(again.summaries), again.streams]) {
      expect(counts).toMatchObject({ created: 0, updated: 0 })
    }
    await undo(again.import_id)
    await undo(first.import_id)
    const { providers } = await service.call('user.providers', { params: { user_id } })
    expect(providers).toEqual([])
  },
)
