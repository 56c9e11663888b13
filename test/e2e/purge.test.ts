import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { exportXml, record } from '../connectors/files/exports.ts'
import { Sandbox } from '../kit/sandbox.ts'

let sandbox: Sandbox
let dataDir: string

beforeEach(() => {
  sandbox = new Sandbox()
  dataDir = path.join(sandbox.folder, 'data')
})

const MARK = 'MARK-of-ada'

/** Returns where marks of the deleted user are found in files of the folder and in the copy next to it. */
const traces = (): string[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(name => {
    const file = path.join(dataDir, name)
    return statSync(file).isFile() && readFileSync(file).includes(MARK)
  })

/** Creates a deleted user with some data whose purge is due; bob stays. */
async function dueForPurge(records: number): Promise<void> {
  const xml = exportXml(
    Array.from({ length: records }, (_, i) => {
      const minute = `${String(Math.floor(i / 60) % 24).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}`
      const day = String(1 + (Math.floor(i / 1440) % 28)).padStart(2, '0')
      const month = String(1 + (Math.floor(i / 40_320) % 12)).padStart(2, '0')
      const at = `2025-${month}-${day} ${minute}:00 +0000`
      return record('HKQuantityTypeIdentifierStepCount', `${i % 100}`, 'count', { startDate: at, endDate: at })
    }).join('\n'),
  )
  writeFileSync(path.join(sandbox.folder, 'export.xml'), xml)
  for (const name of [MARK, 'bob']) {
    await sandbox.json(['user', 'create', name])
    await sandbox.json(['import', path.join(sandbox.folder, 'export.xml'), '--user', name])
  }
  await sandbox.json(['user', 'delete', MARK, '--yes'])
  await sandbox.json(['engine', 'clock', 'advance', '7d'])
}

/** Starts a command and kills it after a while. Returns whether it was killed before it ended. */
async function killed(args: readonly string[], afterMs: number): Promise<boolean> {
  const { child, ended } = sandbox.start(args)
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  await ended
  clearTimeout(timer)
  return child.signalCode === 'SIGKILL'
}

describe('svc engine run-due', () => {
  test('purges once with two processes at a time, and leaves nothing behind', async () => {
    await dueForPurge(2_000)
    expect(traces()).not.toEqual([])
    const runs = await Promise.all([1, 2].map(() => sandbox.run(['engine', 'run-due', '--json'])))
    expect(runs.map(({ status, stderr }) => [status, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const purged = runs.flatMap(({ stdout }) => (JSON.parse(stdout) as { ran: { kind: string; count: number }[] }).ran)
    expect(purged.filter(each => each.kind === 'purge')).toEqual([{ kind: 'purge', count: 1 }])
    expect(traces()).toEqual([])
    expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, samples: 2_000 })
    expect(await sandbox.json(['engine', 'status'])).toMatchObject({ users: 1, deleted_users: 0, due_jobs: 0 })
  })

  test('stays due when killed at any point, and the store stays intact', async () => {
    await dueForPurge(20_000)
    const whole = path.join(sandbox.folder, 'whole')
    cpSync(dataDir, whole, { recursive: true })
    let kills = 0
    // wherever a fast or a busy machine is at that time
    for (const afterMs of [60, 100, 140, 200, 350, 500, 800]) {
      cpSync(whole, dataDir, { recursive: true, force: true })
      if (await killed(['engine', 'run-due'], afterMs)) kills++
      await sandbox.json(['engine', 'run-due'])
      expect(traces(), `killed after ${afterMs} ms`).toEqual([])
      expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, samples: 20_000 })
    }
    expect(kills).toBeGreaterThan(0)
  })

  test('exits with 7 while a reader blocks it, and finishes when the reader is gone', async () => {
    await dueForPurge(500)
    const reader = new DatabaseSync(path.join(dataDir, 'svc.db'))
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) AS n FROM user').get()
    const blocked = await sandbox.run(['engine', 'run-due', '--json'])
    expect(blocked.status).toBe(7)
    expect(JSON.parse(blocked.stdout)).toMatchObject({ ran: [{ kind: 'purge', count: 1 }], left: [{ kind: 'scrub' }] })
    expect(JSON.parse(blocked.stderr)).toMatchObject({ error: { code: 'store_busy' } })
    reader.exec('COMMIT')
    reader.close()
    expect(await sandbox.json(['engine', 'run-due'])).toEqual({ ran: [{ kind: 'scrub', count: 1 }], left: [] })
    expect(traces()).toEqual([])
  })
})

describe('svc engine check', () => {
  test('lists the damage and exits with 2', async () => {
    await dueForPurge(500)
    const raw = new DatabaseSync(path.join(dataDir, 'svc.db'))
    raw.exec('UPDATE chunk SET sum=sum+1 WHERE rowid=1')
    raw.close()
    const run = await sandbox.run(['engine', 'check', '--json'])
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: false,
      problem_count: 2,
      problems: [{ what: 'chunk' }, { what: 'chunk' }],
    })
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'data_damaged' } })
  })
})
