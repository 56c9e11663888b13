/** This version opens and writes the data folder of an earlier version. See test/fixtures/README.md for how it was made. */
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'

const FIXTURES = path.join(root, 'test', 'fixtures')
const QUERIES = path.join(FIXTURES, 'queries.json')
const EXPORT = path.join(FIXTURES, 'export.xml')

interface Page {
  readonly groups: Readonly<
    Record<string, readonly { readonly source: { readonly type: string }; readonly data: readonly object[] }[]>
  >
}

const sandbox = new InProcessSandbox()

beforeAll(async () => {
  cpSync(path.join(FIXTURES, 'data-folder-v1'), sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  // the period in which carol can be restored and bob's code is still valid
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:10:00Z'])
})

/** Returns the documents of summaries as they are stored. */
function documents(): unknown[] {
  const db = new DatabaseSync(path.join(sandbox.env['SVC_DATA_DIR'] as string, 'svc.db'))
  const rows = db.prepare('SELECT document FROM summary ORDER BY user_id, kind, id').all() as { document: string }[]
  db.close()
  return rows.map(each => each.document)
}

const read = (resource: string) =>
  sandbox.json<Page>(['timeseries', 'get', 'bob', resource, '--start', '2026-11-18', '--end', '2026-11-20'])

test('keeps its users, except for the deleted one', async () => {
  const page = await sandbox.json<{ total: number; users: object[] }>(['user', 'list'])
  expect(page).toMatchObject({
    total: 2,
    users: [
      {
        client_user_id: 'bob',
        fallback_time_zone: null,
        connected_sources: [{ provider: { slug: 'apple_health_kit' } }],
      },
      {
        client_user_id: 'alice',
        created_on: expect.stringMatching(/^2026-11-20T12:0/),
        fallback_time_zone: { id: 'Europe/Berlin' },
        fallback_birth_date: { value: '1990-05-17' },
        ingestion_start: '2026-11-17',
        connected_sources: [{ provider: { slug: 'whoop' } }],
      },
    ],
  })
})

test('reads its samples bit by bit', async () => {
  const steps = (await read('steps')).groups['apple_health_kit'] ?? []
  expect(steps.map(({ source, data }) => [source.type, data.length]).sort()).toEqual([
    ['app', 1],
    ['phone', 3],
  ])
  expect(steps.flatMap(group => group.data)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        start: '2026-11-18T22:50:00+00:00',
        end: '2026-11-18T23:10:00+00:00',
        timezone_offset: 3600,
        value: 188,
      }),
      expect.objectContaining({ timezone_offset: 0, value: 17.25 }),
    ]),
  )
  expect((await read('hrv')).groups['apple_health_kit']?.[0]?.data).toMatchObject([
    { value: 41.123456789, type: 'sdnn' },
  ])
  expect((await read('blood_pressure')).groups['apple_health_kit']?.[0]?.data).toMatchObject([
    { systolic: 121, diastolic: 79 },
  ])
})

test('gives the same query result as before', async () => {
  const then: unknown = JSON.parse(readFileSync(path.join(FIXTURES, 'data-folder-v1.answer.json'), 'utf8'))
  expect(await sandbox.json(['aggregate', 'query', 'alice', QUERIES])).toEqual(then)
  const sum = ['--select', 'sum(steps)', '--past', '1w', '--anchor', '2026-11-20']
  expect(await sandbox.json(['aggregate', 'query', 'bob', ...sum])).toEqual({
    results: [{ table: { sum: [2517.25] } }],
  })
})

test('adds only what could not be read before when the same file is imported again, although it stored null', async () => {
  expect(documents()).toContainEqual(expect.stringContaining('"steps":null'))
  const before = documents()
  const report = await sandbox.json<object>(['import', EXPORT, '--user', 'bob'])
  expect(report).toMatchObject({
    records: 17,
    stored: {
      steps: { samples: 4, unchanged: 4 },
      hrv: { samples: 1, unchanged: 1 },
      blood_pressure: { unchanged: 1 },
    },
    summaries: {
      // its heart rate variability
      sleep: { updated: 1 },
      sleep_cycle: { unchanged: 1 },
      workouts: { unchanged: 1 },
      activity: { unchanged: 1 },
    },
  })
  const added = documents().filter(each => !before.includes(each))
  expect(added).toEqual([expect.stringContaining('"hrv_mean_sdnn":41.12')])
})

test('completes unfinished work, and accepts new data', async () => {
  const mfa = ['link', 'complete-mfa', 'peloton', '--user', 'bob', '--mfa-code', '123456']
  expect(await sandbox.json(mfa)).toMatchObject({ state: 'success', connected: true })
  expect(await sandbox.json(['user', 'undo-delete', 'carol'])).toEqual({ success: true })
  expect(await sandbox.json(['user', 'create', 'dora'])).toMatchObject({ client_user_id: 'dora' })
  const { users } = await sandbox.json<{ users: { client_user_id: string }[] }>(['user', 'list'])
  expect(users.map(each => each.client_user_id).sort()).toEqual(['alice', 'bob', 'carol', 'dora'])
})

test('no longer stores null for a field without a value', async () => {
  const before = new Set(documents())
  await sandbox.json(['import', EXPORT, '--user', 'dora'])
  const added = documents().filter(each => !before.has(each))
  // the night is equal to that of the other user
  expect(added).toHaveLength(3)
  expect(added.filter(each => String(each).includes('null'))).toEqual([])
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})
