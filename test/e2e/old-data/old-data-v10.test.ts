/** This version migrates, opens and writes a data folder of schema 10. See test/fixtures/README.md for how it was made. */
import { cpSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, expect, test } from 'vitest'
import { root, Sandbox } from '../../kit/sandbox.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'data-folder-v10')
const sandbox = new Sandbox()

beforeAll(async () => {
  cpSync(FIXTURE, sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
})

test('is migrated after it was copied, and every row in it is valid', async () => {
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
  const names = readdirSync(sandbox.env['SVC_DATA_DIR'] as string)
  expect(names.filter(name => name.includes('.schema-10-'))).toHaveLength(1)
})

test('salvages every row', async () => {
  const to = path.join(sandbox.folder, 'salvaged')
  const salvage = await sandbox.run(['engine', 'salvage', '--to', to, '--json'])
  expect(salvage.status, salvage.stderr).toBe(0)
  expect(JSON.parse(salvage.stdout)).toMatchObject({ left_out: [], problems: [] })
})

test('continues a linked account and a continuous query’s results', async () => {
  const refresh = await sandbox.run(['user', 'refresh', 'bob', '--json'])
  expect(refresh.status, refresh.stderr).toBe(0)
  const read = ['aggregate', 'watch', 'result', 'alice', 'heart-by-day']
  expect(JSON.stringify(await sandbox.json(read))).toContain('2026-')
})

test.each([7, 8, 9])('a folder of schema %i, which was never released, is refused with advice', async version => {
  const other = new Sandbox()
  const folder = other.env['SVC_DATA_DIR'] as string
  cpSync(FIXTURE, folder, { recursive: true })
  const db = new DatabaseSync(path.join(folder, 'svc.db'))
  db.exec(`PRAGMA user_version=${version}`)
  db.close()
  for (const command of [
    ['user', 'list'],
    ['engine', 'salvage', '--to', path.join(other.folder, 'salvaged')],
  ]) {
    const run = await other.run([...command, '--json'])
    expect(run.status).not.toBe(0)
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: {
        code: 'data_folder',
        message: expect.stringContaining(`has schema ${version}`),
        suggestions: expect.arrayContaining([expect.stringContaining('svc engine copy')]),
      },
    })
  }
  expect((await other.run(['doctor'])).stdout).toContain('between two releases')
})
