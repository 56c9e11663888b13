/** This version opens and writes a data folder of schema 4. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'data-folder-v4')
const sandbox = new InProcessSandbox()

beforeAll(async () => {
  cpSync(FIXTURE, sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
})

interface Orders {
  readonly orders: readonly { readonly id: string; readonly status: string }[]
}

test('keeps a failed connection and reconnects it', async () => {
  const providers = async () =>
    (await sandbox.json<{ providers: { slug: string; status: string }[] }>(['provider', 'list', '--user', 'bob']))
      .providers
  expect(await providers()).toMatchObject([
    { slug: 'whoop', status: 'error' },
    { slug: 'manual', status: 'connected' },
  ])
  const link = ['link', 'password', 'whoop', '--user', 'bob', '--username', 'bob@example.com', '--password-stdin']
  await sandbox.json(link, { input: 'secret\n' })
  expect(await providers()).toMatchObject([{ slug: 'whoop', status: 'connected' }, { slug: 'manual' }])
})

test('keeps profile info, orders and their results', async () => {
  expect(await sandbox.json(['user', 'info', 'bob'])).toMatchObject({ first_name: 'Bob', dob: '1990-05-17' })
  const { orders } = await sandbox.json<Orders>(['order', 'list', '--user', 'bob'])
  expect(orders).toHaveLength(2)
  const done = orders.find(each => each.status.startsWith('completed')) as { id: string }
  const { results } = await sandbox.json<{ results: unknown[] }>(['order', 'result', done.id])
  expect(results.length).toBeGreaterThan(5)
})

test('keeps teams with their settings', async () => {
  const teams = await sandbox.json<{ data: { name: string }[] }>(['engine', 'team', 'list'])
  expect(JSON.stringify(teams)).toContain('2024-01-01')
})

test('ends the demo and purges the deleted user when due', async () => {
  await sandbox.json(['engine', 'clock', 'advance', '15d'])
  await sandbox.json(['engine', 'run-due'])
  const { users } = await sandbox.json<{ users: { client_user_id: string }[] }>(['user', 'list'])
  expect(users.map(each => each.client_user_id)).toEqual(['bob'])
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})
