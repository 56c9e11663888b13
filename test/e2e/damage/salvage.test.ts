import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../../kit/refusal.ts'
import { root, Sandbox } from '../../kit/sandbox.ts'
import { serve } from '../../kit/serve.ts'
import { until } from '../../kit/until.ts'

const sandbox = new Sandbox()
const database = path.join(sandbox.env['SVC_DATA_DIR'] as string, 'svc.db')
const at = (name: string): string => path.join(sandbox.folder, name)

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'alice'])
  await sandbox.json(['import', path.join(root, 'test/fixtures/items.ndjson'), '--user', 'alice'])
  // its secret is encrypted with the master key
  await sandbox.json(['webhook', 'create', 'https://example.com/hook'])
  await sandbox.json(['engine', 'seed', '--people', '1', '--days', '10'])
})

test('a running server keeps working, and all acknowledged data is in the new folder', async () => {
  const server = await serve(sandbox)
  const names: string[] = []
  let isOver = false
  const writing = (async () => {
    for (let i = 0; !isOver; i++) {
      const { status } = await server.ask('POST', '/v2/user', { client_user_id: `while-${i}` })
      if (status === 200) names.push(`while-${i}`)
    }
  })()
  await until(() => names.length >= 5)
  const before = [...names]
  const run = await sandbox.run(['engine', 'salvage', '--to', 'running', '--json'])
  isOver = true
  await writing
  expect(run.status, run.stderr).toBe(0)
  expect(JSON.parse(run.stdout)).toMatchObject({ ok: true, left_out_count: 0, master_key: true, problems: [] })
  const { users } = await sandbox.json<{ users: { client_user_id: string }[] }>(['user', 'list', '--limit', '500'], {
    env: { SVC_DATA_DIR: at('running') },
  })
  expect(users.map(each => each.client_user_id)).toEqual(expect.arrayContaining(['alice', ...before]))
  expect(await server.stop('SIGTERM')).toBe(0)
})

test('lists lost data and exits with 2; refuses a server, a non-empty folder and a missing one', async () => {
  const source = new DatabaseSync(database)
  source.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const { pageno } = source
    .prepare("SELECT pageno FROM dbstat WHERE name='chunk' AND pagetype='leaf' LIMIT 1")
    .get() as {
    pageno: number
  }
  source.close()
  const file = readFileSync(database)
  writeFileSync(database, file.fill(0, (pageno - 1) * 8192, pageno * 8192))
  const run = await sandbox.run(['engine', 'salvage', '--to', 'damaged', '--json'])
  expect(run.status, run.stderr).toBe(2)
  const report = JSON.parse(run.stdout)
  expect(report).toMatchObject({ ok: false, problems: [] })
  expect(report.left_out[0]).toMatchObject({
    table: 'chunk',
    place: expect.stringMatching(/^samples of \w+ on \d{4}-/),
  })
  expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'data_damaged' } })
  const check = await sandbox.json(['engine', 'check'], { env: { SVC_DATA_DIR: at('damaged') } })
  expect(check).toMatchObject({ ok: true })

  expectRefusal(await sandbox.run(['engine', 'salvage', '--to', 'damaged']), 2, /not empty/)
  expectRefusal(
    await sandbox.run(['engine', 'salvage', '--to', 'x', '--base-url', 'http://127.0.0.1:1']),
    2,
    /cannot use a server/,
  )
  expectRefusal(await sandbox.run(['engine', 'salvage', '--to', 'x', '--data-dir', 'nowhere']), 2, /no .*svc\.db/)
  expect(existsSync(at('x'))).toBe(false)
})

test('Ctrl-C leaves no new folder, or a complete one', async () => {
  for (const afterMs of [150, 300, 450]) {
    const { child, ended } = sandbox.start(['engine', 'salvage', '--to', `cut-${afterMs}`])
    setTimeout(() => child.kill('SIGINT'), afterMs)
    const { status } = await ended
    expect(existsSync(at(`cut-${afterMs}`))).toBe(existsSync(path.join(at(`cut-${afterMs}`), 'svc.db')))
    // before the command handles the signal, the signal itself ends the process
    expect([130, 2, null]).toContain(status)
  }
})
