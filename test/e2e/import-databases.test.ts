/** `svc import` of databases as users run it: embedded and over HTTP, again and undone, interrupted and killed. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { HealthConnectExport } from '../connectors/files/sqlite/health-connect-export.ts'
import { alter, repeatPages } from '../connectors/files/sqlite/hostile-databases.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { type Running, scratchFiles, svcCommand } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'
import { hasSmallDisks, smallDisk } from '../kit/small-disk.ts'
import { until } from '../kit/until.ts'

const sandbox = new InProcessSandbox()
const inSandbox = (name: string) => path.join(sandbox.folder, name)
const T = Date.UTC(2025, 5, 1, 8)
const MINUTE_MS = 60_000

let user = ''
let made = 0
beforeEach(async () => {
  user = `user-${made++}`
  await sandbox.json(['user', 'create', user])
})

/** Writes an export with steps of two apps, a night and a workout. `steps` is the last count. */
function writeExport(name: string, steps: number): void {
  const file = new HealthConnectExport()
  const other = file.app('com.example.fit')
  file.during('sleep_session_record_table', T - 480 * MINUTE_MS, T)
  file.during('exercise_session_record_table', T, T + 60 * MINUTE_MS, { exercise_type: 53 })
  file.during('steps_record_table', T, T + MINUTE_MS, { count: 100 })
  file.during('steps_record_table', T, T + MINUTE_MS, { count: 90, app_info_id: other })
  file.during('steps_record_table', T + MINUTE_MS, T + 2 * MINUTE_MS, { count: steps })
  writeFileSync(inSandbox(name), file.zip())
}

/** Writes a database in which counting the rows of a table has no end. */
function writeEndless(name: string): void {
  const file = new HealthConnectExport(17, inSandbox(name))
  file.db.close()
  alter(
    file.path,
    'CREATE TABLE later_record_table (a)',
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO later_record_table SELECT randomblob(90) FROM n',
  )
  repeatPages(file.path, 'later_record_table', 'levels')
}

describe('an export of Health Connect', () => {
  test('is imported, changes nothing the second time, is corrected by a newer one, and is undone', async () => {
    writeExport('old.zip', 42)
    writeExport('new.zip', 43)
    const dry = await sandbox.json(['import', 'old.zip', '--user', user, '--dry-run'])
    expect(dry).toMatchObject({
      format: 'health_connect',
      import_id: null,
      records: 5,
      stored: { steps: { samples: 3 } },
    })
    const first = await sandbox.json<{ import_id: string }>(['import', 'old.zip', '--user', user])
    expect(first).toMatchObject({
      ...{ records: 5, stored: { steps: { samples: 3, replaced: 0, unchanged: 0 } } },
      summaries: { sleep: { created: 1 }, workouts: { created: 1 } },
    })
    const again = await sandbox.json(['import', 'old.zip', '--user', user])
    expect(again).toMatchObject({
      ...{ stored: { steps: { samples: 3, replaced: 0, unchanged: 3 } } },
      summaries: { sleep: { created: 0, unchanged: 1 }, workouts: { created: 0, unchanged: 1 } },
    })
    const newer = await sandbox.json<{ import_id: string }>(['import', 'new.zip', '--user', user])
    expect(newer).toMatchObject({ stored: { steps: { samples: 3, replaced: 1, unchanged: 2 } } })
    const undone = await sandbox.json(['import', 'undo', newer.import_id])
    expect(undone).toMatchObject({ restored: { steps: 1 } })
    const all = await sandbox.json(['import', 'undo', first.import_id])
    expect(all).toMatchObject({ removed: { steps: 3, sleep: 1, workouts: 1 } })
    expect(scratchFiles(sandbox)).toEqual([])
  })

  test('is imported by a server, which refuses to keep a part', async () => {
    writeExport('old.zip', 42)
    const server = await serve(sandbox)
    const remote = { env: { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key } }
    try {
      const report = await sandbox.json(['import', 'old.zip', '--user', user], remote)
      expect(report).toMatchObject({ format: 'health_connect', records: 5, stored: { steps: { samples: 3 } } })
      const partial = await sandbox.run(['import', 'old.zip', '--user', user, '--keep-partial'], remote)
      expectRefusal(partial, 2, /^Error: --keep-partial: a damaged health_connect file cannot be imported in part/)
    } finally {
      await server.stop('SIGTERM')
    }
  })

  test('that is damaged is refused, without a hint to keep a part', async () => {
    const file = new HealthConnectExport()
    file.db.exec('BEGIN')
    for (let i = 0; i < 20_000; i++) file.during('steps_record_table', T + i, T + i, { count: 1 })
    file.db.exec('COMMIT')
    file.db.close()
    repeatPages(file.path, 'steps_record_table', 'first')
    const run = await sandbox.run(['import', file.path, '--user', user])
    expectRefusal(
      run,
      2,
      /^Error: The database is damaged: a table contains the same rows again\. Nothing was stored\./,
    )
    expect(run.stderr).not.toContain('--keep-partial')
    expect(scratchFiles(sandbox)).toEqual([])
    expect(await sandbox.json(['import', 'list', '--user', user])).toEqual({ imports: [], next_cursor: null })
  })
})

test.skipIf(!hasSmallDisks)('a disk without room for the copy of a database ends the import, and nothing stays', () => {
  const file = new HealthConnectExport(17, inSandbox('large.db'))
  file.db.exec('CREATE TABLE padding (a); INSERT INTO padding VALUES (zeroblob(5000000))')
  file.db.close()
  const disk = smallDisk(1500 << 10)
  const script = ['user create bob > /dev/null', 'import large.db --user bob']
    .map((line, i) => `"$@" ${line}; echo "${i}: $?" >&2`)
    .concat('ls -A "$SVC_DATA_DIR/scratch" >&2')
  const [command, args] = disk.on('/bin/sh', ['-c', script.join('\n'), 'sh', ...svcCommand])
  const env = { ...sandbox.env, SVC_DATA_DIR: disk.path }
  const run = spawnSync(command, args, { env, cwd: sandbox.folder, encoding: 'utf8' })
  expect(run.stderr).toMatch(
    /^0: 0\nError: The disk that holds \S* is full\. Nothing was partially written\.\n.*\n1: 7\n$/,
  )
})

describe.skipIf(process.platform !== 'linux')('while SQLite works without an end', () => {
  /** Starts an import, and returns it and its child process as soon as the database is copied. */
  async function started(): Promise<{ readonly running: Running; readonly child: number }> {
    const name = `endless-of-${user}.db`
    writeEndless(name)
    const running = sandbox.start(['import', name, '--user', user])
    const children = () =>
      spawnSync('ps', ['-o', 'pid=', '--ppid', `${running.child.pid}`])
        .stdout.toString()
        .split('\n')
    // the first child only finds the format
    await until(() => scratchFiles(sandbox).length > 0 && children().some(each => each.trim() !== ''))
    return { running, child: Number(children()[0]) }
  }

  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  test('Ctrl-C ends the command and the process that reads', async () => {
    const { running, child } = await started()
    expect(await running.stop('SIGINT')).toBe(130)
    await until(() => !isRunning(child))
    expect(scratchFiles(sandbox)).toEqual([])
  })

  test('a killed command ends the process that reads, and the next command removes the copy', async () => {
    const { running, child } = await started()
    await running.stop('SIGKILL')
    await until(() => !isRunning(child))
    await sandbox.json(['user', 'list'])
    expect(scratchFiles(sandbox)).toEqual([])
  })
})
