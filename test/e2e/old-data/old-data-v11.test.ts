/** This version migrates, opens and writes a data folder of schema 11. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root, Sandbox } from '../../kit/sandbox.ts'

const FIXTURES = path.join(root, 'test', 'fixtures')
const sandbox = new Sandbox()

beforeAll(async () => {
  cpSync(path.join(FIXTURES, 'data-folder-v11'), sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
})

interface Listed {
  readonly imports: readonly { readonly import_id: string; readonly format: string; readonly file: unknown }[]
}

test('is migrated, and every row in it is valid', async () => {
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})

test('salvages every row', async () => {
  const to = path.join(sandbox.folder, 'salvaged')
  const salvage = await sandbox.run(['engine', 'salvage', '--to', to, '--json'])
  expect(salvage.status, salvage.stderr).toBe(0)
  expect(JSON.parse(salvage.stdout)).toMatchObject({ left_out: [], problems: [] })
})

test('keeps the team’s defaults, and keeps no files until the team says so', async () => {
  expect(await sandbox.json(['engine', 'team', 'list'])).toMatchObject({
    teams: [{ merge: true, mixed_kinds: 'split', keep_import_days: null }],
  })
})

test('undoes its imports, whose files are unknown', async () => {
  const { imports } = await sandbox.json<Listed>(['import', 'list', '--user', 'alice'])
  expect(imports.map(({ format, file }) => [format, file])).toEqual([
    ['apple_health', null],
    ['svc_items', null],
    ['svc_items', null],
  ])
  const undone = await sandbox.json(['import', 'undo', ...imports.map(({ import_id }) => import_id)])
  expect(undone).toMatchObject({ imports: [{}, {}, {}] })
  expect(await sandbox.json(['engine', 'status'])).toMatchObject({ samples: 0 })
})
