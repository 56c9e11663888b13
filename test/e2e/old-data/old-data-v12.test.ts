/** This version migrates, opens and writes a data folder of schema 12. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root, Sandbox } from '../../kit/sandbox.ts'

const FIXTURES = path.join(root, 'test', 'fixtures')
const sandbox = new Sandbox()

beforeAll(async () => {
  cpSync(path.join(FIXTURES, 'data-folder-v12'), sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
})

test('is migrated, and every row in it is valid', async () => {
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})

test('salvages every row', async () => {
  const to = path.join(sandbox.folder, 'salvaged')
  const salvage = await sandbox.run(['engine', 'salvage', '--to', to, '--json'])
  expect(salvage.status, salvage.stderr).toBe(0)
  expect(JSON.parse(salvage.stdout)).toMatchObject({ left_out: [], problems: [] })
})

test('finds its connections by provider, and begins to count', async () => {
  await sandbox.json(['user', 'create', 'carol'])
  expect(await sandbox.json(['api', 'GET', '/svc/v1/overview'])).toMatchObject({
    users: 3,
    connections: [
      { provider: 'manual', count: 1, in_error: 0 },
      { provider: 'whoop', count: 1, in_error: 1 },
    ],
    attention: [{ kind: 'connections_in_error', count: 1 }],
  })
})

test('has no people, until one is added, who also survives a salvage', async () => {
  expect(await sandbox.json(['engine', 'person', 'list'])).toEqual({ people: [] })
  expect(await sandbox.json(['engine', 'session', 'list'])).toEqual({ sessions: [] })
  await sandbox.json(['engine', 'person', 'add', 'Ana', '--role', 'reader'])
  const people = { people: [{ name: 'Ana', role: 'reader' }] }
  expect(await sandbox.json(['engine', 'person', 'list'])).toMatchObject(people)
  const to = path.join(sandbox.folder, 'salvaged-people')
  expect((await sandbox.run(['engine', 'salvage', '--to', to])).status).toBe(0)
  expect(await sandbox.json(['--data-dir', to, 'engine', 'person', 'list'])).toMatchObject(people)
})
