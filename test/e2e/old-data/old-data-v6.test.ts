/** This version opens and writes a data folder of schema 6. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, test } from 'vitest'
import { root, Sandbox } from '../../kit/sandbox.ts'
import { openSink } from '../../kit/sink.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'data-folder-v6')
/** The values that `webhook create` and `engine team create` showed when the folder was created. */
const SECRET = 'whsec_jh0ywL1vwU2HsCbbNE3VaPOSjRzvy29SZARPsCLTSlE='
const SECOND_TEAM_KEY = 'sk_us_kwdaQ7zNq7Rpe1u8jOMKYHnLmutIW4kZ75nIqnH-z6I'
const sandbox = new Sandbox()

beforeAll(async () => {
  cpSync(FIXTURE, sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
})

test('verifies and salvages every row', async () => {
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
  const to = path.join(sandbox.folder, 'salvaged')
  const salvage = await sandbox.run(['engine', 'salvage', '--to', to, '--json'])
  expect(salvage.status, salvage.stderr).toBe(0)
  const users = await sandbox.json<{ total: number }>(['user', 'list', '--data-dir', to])
  expect(users).toMatchObject({ total: 2 })
})

test('delivers failed events to a loopback endpoint that the operator created', async () => {
  const { endpoints } = await sandbox.json<{ endpoints: readonly { endpoint_id: string; waiting: number }[] }>([
    'webhook',
    'list',
  ])
  expect(endpoints).toMatchObject([{ state: 'enabled', waiting: 5, target_problem: null }])
  const sink = await openSink()
  await sandbox.json(['webhook', 'update', endpoints[0]?.endpoint_id as string, '--url', `${sink.url}/hooks`])
  expect(await sandbox.json(['event', 'deliver'])).toMatchObject({ delivered: 5, failed: 0, waiting: 0 })
  for (const { body, headers } of sink.received) {
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toMatchObject({
      event_type: expect.stringMatching(/^daily/),
    })
  }
})

test('keeps the quotas of the second team', async () => {
  const env = { SVC_API_KEY: SECOND_TEAM_KEY }
  expect((await sandbox.run(['user', 'create', 'dora'], { env })).status).toBe(0)
  const refused = await sandbox.run(['user', 'create', 'eve', '--json'], { env })
  expect(refused.status).not.toBe(0)
  expect(refused.stderr).toContain('quota_exceeded')
})

test('continues a linked account and its data', async () => {
  const refresh = await sandbox.run(['user', 'refresh', 'bob', '--json'])
  expect(refresh.status, refresh.stderr).toBe(0)
  const get = ['timeseries', 'get', 'bob', 'heartrate', '--start', '2026-11-20', '--limit', '5']
  const { groups } = await sandbox.json<{ groups: Record<string, unknown[]> }>(get)
  expect(Object.entries(groups)).toEqual([['whoop', [expect.anything()]]])
})
