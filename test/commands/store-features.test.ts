/** Commands that a PostgreSQL store refuses end before they prompt, open or write anything: here the store's server does not even exist. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { freePort } from '../kit/free-port.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'

const sandbox = new InProcessSandbox()
let store = ''

beforeAll(async () => {
  store = `postgres://svc@127.0.0.1:${await freePort()}/svc`
  writeFileSync(path.join(sandbox.folder, 'bug.ndjson'), '')
})

it.each([
  { command: 'snapshot save base', says: /Named snapshots are not supported.*pg_dump.*svc engine copy/s },
  { command: 'snapshot list', says: /Named snapshots/ },
  { command: 'snapshot restore base', says: /Named snapshots/ },
  { command: 'snapshot delete base', says: /Named snapshots/ },
  { command: 'record session.ndjson', says: /Recording and replaying are not supported.*svc engine copy/s },
  { command: 'replay bug.ndjson', says: /Recording and replaying/ },
  { command: 'salvage --to rescued', says: /Salvaging is not supported.*from a backup.*unset SVC_STORE/s },
  { command: 'check --rewrite', says: /Adding missing checksums is not supported.*without --rewrite/s },
])('svc engine $command', async ({ command, says }) => {
  const env = { SVC_STORE: store, SVC_DATA_DIR: path.join(sandbox.folder, 'unused') }
  expectRefusal(await sandbox.run(['engine', ...command.split(' ')], { env }), 2, says)
  for (const name of ['unused', 'session.ndjson', 'rescued']) {
    expect(existsSync(path.join(sandbox.folder, name)), name).toBe(false)
  }
})

it('svc serve ends at once if the store’s server is unreachable', async () => {
  const env = { SVC_STORE: store, SVC_MASTER_KEY: '0f'.repeat(32) }
  const run = await sandbox.run(['serve', '--port', '0'], { env })
  expectRefusal(run, 7, /cannot be reached: nothing listens there.*Check host and port/s)
})
