/** This version opens and writes a data folder of schema 2. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'

const FIXTURES = path.join(root, 'test', 'fixtures')
const DAY = ['--start', '2026-11-19', '--end', '2026-11-19']

const sandbox = new InProcessSandbox()

beforeAll(async () => {
  cpSync(path.join(FIXTURES, 'data-folder-v2'), sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:10:00Z'])
})

interface Page {
  readonly groups: Readonly<Record<string, readonly { readonly data: readonly Record<string, unknown>[] }[]>>
}
const read = async (resource: string) => {
  const page = await sandbox.json<Page>(['timeseries', 'get', 'alice', resource, ...DAY])
  return page.groups['manual']?.flatMap(group => group.data) ?? []
}
const values = async () => (await read('heartrate')).map(each => each['value'])
const stream = async () => {
  const { workouts } = await sandbox.json<{ workouts: { id: string; distance: number }[] }>([
    'summary',
    'get',
    'alice',
    'workouts',
    ...DAY,
  ])
  expect(workouts).toMatchObject([{ distance: 5000 }])
  return sandbox.json<object>(['timeseries', 'stream', workouts[0]?.id ?? ''])
}

test('reads its samples, summaries and streams bit by bit', async () => {
  expect(await values()).toEqual([97, 99.5, 101])
  expect(await read('blood_pressure')).toMatchObject([{ systolic: 121, diastolic: 79, timezone_offset: 3600 }])
  expect(await read('note')).toMatchObject([{ value: 'Möhren & <Kraut>', tags: ['food'] }])
  expect(await stream()).toMatchObject({ time: [1_795_071_600], heartrate: [97], lat: [] })
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, samples: 14 })
})

test('undoes its last import, and restores the data that it replaced', async () => {
  const { imports } = await sandbox.json<{ imports: { import_id: string; format: string }[] }>([
    'import',
    'list',
    '--user',
    'alice',
  ])
  expect(imports.map(each => each.format)).toEqual(['svc_items', 'svc_items'])
  expect(await sandbox.json(['import', 'undo', imports[0]?.import_id ?? ''])).toMatchObject({
    removed: { heartrate: 1 },
    restored: { heartrate: 1, workout_stream: 1 },
    kept: {},
  })
  expect(await values()).toEqual([98, 99.5])
  expect(await stream()).toMatchObject({
    time: [1_795_071_600, 1_795_071_601],
    heartrate: [98, null],
    lat: [47.1234567, 47.1234568],
  })
})

test('changes nothing when the same file is imported again', async () => {
  const report = await sandbox.json<object>(['import', path.join(FIXTURES, 'items.ndjson'), '--user', 'alice'])
  expect(report).toMatchObject({
    stored: { heartrate: { samples: 2, unchanged: 2 }, blood_pressure: { unchanged: 1 }, note: { unchanged: 1 } },
    summaries: { workouts: { unchanged: 1 } },
    streams: { unchanged: 1 },
  })
})

test('purges its deleted user at the end of the grace period, and not before', async () => {
  expect(await sandbox.json(['engine', 'run-due'])).toMatchObject({ ran: [] })
  expect(await sandbox.json(['engine', 'status'])).toMatchObject({ users: 2, deleted_users: 1 })
  await sandbox.json(['engine', 'clock', 'advance', '8d'])
  await sandbox.json(['engine', 'run-due'])
  expect(await sandbox.json(['engine', 'status'])).toMatchObject({ users: 2, deleted_users: 0 })
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true })
})
