/** This version finds the accounts of a data folder of schema 6. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'data-folder-v6-accounts')
const sandbox = new InProcessSandbox()
const folder = sandbox.env['SVC_DATA_DIR'] as string

beforeAll(async () => {
  cpSync(FIXTURE, folder, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
})

test('lists the accounts of both teams, without the deleted user’s', async () => {
  const database = new DatabaseSync(path.join(folder, 'svc.db'), { readOnly: true })
  const rows = database
    .prepare(
      `SELECT team.name, client_user_id, provider, external_user_id FROM account
       JOIN user USING (team_id, user_id) JOIN team USING (team_id) ORDER BY client_user_id`,
    )
    .all() as object[]
  database.close()
  expect(rows.map(row => Object.values(row))).toEqual([
    ['local', 'alice', 'whoop', 'shared@example.com'],
    ['local', 'bob', 'whoop', 'bob@example.com'],
    ['second', 'dora', 'whoop', 'shared@example.com'],
  ])
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})

test('refuses only an account that another user of the team has', async () => {
  await sandbox.json(['engine', 'team', 'set', 'local', '--reject-duplicate-connection'])
  await sandbox.json(['user', 'create', 'emil'])
  const link = (username: string) =>
    sandbox.run(['link', 'password', 'whoop', '--user', 'emil', '--username', username, '--password-stdin', '--json'], {
      input: 'secret\n',
    })
  const refused = await link('bob@example.com')
  expect(refused.status).not.toBe(0)
  expect(refused.stderr).toContain('duplicate_connection')
  const linked = await link('carol@example.com')
  expect(linked.status, linked.stderr).toBe(0)
})

test('finds an event by its ID', async () => {
  const { data } = await sandbox.json<{ data: readonly { event_id: string }[] }>(['event', 'list', '--user', 'alice'])
  const [event] = data as [{ event_id: string }]
  expect(await sandbox.json(['event', 'get', event.event_id])).toMatchObject({ event_id: event.event_id })
})
