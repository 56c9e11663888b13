/**
 * Snapshots with the built binary: a restore without space changes nothing, and on a terminal it asks for confirmation.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { svcCommand } from '../kit/sandbox.ts'
import { hasSmallDisks, smallDisk } from '../kit/small-disk.ts'
import { Terminal } from '../kit/terminal.ts'

const sandbox = new InProcessSandbox()
const dataDir = path.join(sandbox.folder, 'data')
interface Status {
  readonly users: number
  readonly samples: number
  readonly epoch: number
}
const status = () => sandbox.json<Status>(['engine', 'status'])

beforeAll(async () => {
  for (const name of ['ada', 'bob', 'cleo']) {
    await sandbox.json(['user', 'create', name])
    await sandbox.json(['link', 'demo', name, 'oura'])
  }
  await sandbox.json(['engine', 'snapshot', 'save', 'three'])
  await sandbox.json(['engine', 'reset', '--yes'])
  await sandbox.json(['user', 'create', 'dan'])
  await sandbox.json(['engine', 'snapshot', 'save', 'one'])
})

describe('on a terminal', () => {
  test.each([
    [['engine', 'snapshot', 'restore', 'one'], /Replace everything in the store with the snapshot one\?/],
    [['engine', 'snapshot', 'delete', 'one'], /Delete the snapshot one\?/],
    [['engine', 'reset'], /Delete every user, all data, events, endpoints and faults\?/],
  ])('svc %j asks for confirmation, and changes nothing after a no', async (args, question) => {
    // the length of the log depends on which process closed the database last, not on its content
    const before = { ...(await status()), wal_bytes: expect.any(Number) }
    const terminal = new Terminal(sandbox, args)
    await terminal.sees(question)
    terminal.types('n')
    expect(await terminal.ended()).toBe(130)
    expect(await status()).toEqual(before)
    expect(readdirSync(path.join(dataDir, 'snapshots')).sort()).toEqual(['one.db', 'three.db'])
  })

  test('a restore runs after a yes, and reports the replaced users', async () => {
    await sandbox.json(['engine', 'snapshot', 'restore', 'three', '--yes'])
    const terminal = new Terminal(sandbox, ['engine', 'snapshot', 'restore', 'one'])
    await terminal.sees(/Replace everything/)
    terminal.types('y')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text).toMatch(/users_before\W+3[\s\S]*users_after\W+1/)
    expect((await status()).users).toBe(1)
  })
})

test.skipIf(!hasSmallDisks)('a restore changes nothing on a full disk, and works when there is room', () => {
  const disk = smallDisk(8 << 20)
  const svc = '"$@"'
  const script = [
    `${svc} user create ada > /dev/null`,
    `${svc} link demo ada oura > /dev/null`,
    `${svc} engine snapshot save base > /dev/null`,
    `${svc} user create bob > /dev/null`,
    'dd if=/dev/zero of="$SVC_DATA_DIR/filler" bs=4k 2> /dev/null; truncate -s -160K "$SVC_DATA_DIR/filler"',
    `${svc} engine snapshot restore base --yes; echo "restore: $?" >&2`,
    `${svc} engine snapshot save more; echo "save: $?" >&2`,
    `${svc} user list --output csv; ls "$SVC_DATA_DIR/snapshots" "$SVC_DATA_DIR/scratch"`,
    'rm "$SVC_DATA_DIR/filler"',
    `${svc} engine snapshot restore base --yes --output csv`,
    `${svc} engine check --json`,
  ].join('\n')
  const [command, args] = disk.on('/bin/sh', ['-c', script, 'sh', ...svcCommand])
  const run = spawnSync(command, args, {
    env: { ...sandbox.env, SVC_DATA_DIR: disk.path },
    cwd: sandbox.folder,
    encoding: 'utf8',
  })
  expect(run.stderr.match(/The disk that holds .* is full\. Nothing was partially written/g)?.length, run.stderr).toBe(
    2,
  )
  expect(run.stderr).toMatch(/restore: 7[\s\S]*save: 7/)
  expect(run.stdout).toMatch(/,bob,[\s\S]*,ada,[\s\S]*scratch:\n\n[\s\S]*snapshots:\nbase\.db\n/)
  expect(run.stdout).toMatch(/base,2,1,1,/)
  expect(run.stdout).toContain('"ok":true')
})

test('a restore without a terminal needs --yes', async () => {
  expectRefusal(await sandbox.run(['engine', 'snapshot', 'restore', 'one']), 2, /--yes/)
  expectRefusal(await sandbox.run(['engine', 'reset', '--no-input']), 2, /--yes/)
})
