/** A store that is copied from one data folder to another: the content of the copy, continuing, and refusals. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { TABLES } from '../../../src/store/tables/catalogue.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import {
  copied,
  differences,
  filledFolder,
  findProblems,
  interrupted,
  newFolder,
  openFolder,
  reachedBy,
  readSettings,
  refusal,
  rowsOfFolder,
  runCopy,
} from './stores.ts'

let source: string

beforeAll(async () => {
  source = await filledFolder()
})

/** Returns a copy of the source's files, which a test can change. */
function ownSource(change = ''): string {
  const folder = join(temporaryFolder(), 'source')
  cpSync(source, folder, { recursive: true })
  if (change !== '') changed(folder, change)
  return folder
}

function changed(folder: string, change: string): void {
  const db = new DatabaseSync(join(folder, 'svc.db'))
  db.exec(change)
  db.close()
}

describe('a copy', () => {
  it('includes every table of the store', () => {
    const known = [...TABLES.map(({ name }) => name), 'sqlite_sequence']
    expect([...rowsOfFolder(source).keys()].filter(table => !known.includes(table))).toEqual([])
  })

  it('is tested with data in every table', () => {
    const empty = [...copied(rowsOfFolder(source))].filter(([, rows]) => rows.length === 0)
    expect(empty.map(([table]) => table)).toEqual([])
  })

  it('has the same rows and settings, passes the check, and does not change the source', async () => {
    const to = newFolder()
    const before = rowsOfFolder(source)
    const report = await runCopy(source, to)
    const [users, events] = [before.get('user')?.length, before.get('outbox')?.length]
    expect(report).toMatchObject({ from: source, to, isContinued: false, users, events })
    const after = rowsOfFolder(to)
    expect(differences(copied(after), copied(before))).toEqual([])
    expect(readSettings(after)).toEqual(readSettings(before))
    expect(differences(rowsOfFolder(source), before)).toEqual([])
    const engine = await openFolder(to)
    expect(await findProblems(engine)).toEqual([])
    await engine.close()
  })

  it('includes the master key', async () => {
    const from = ownSource()
    const key = 'ab'.repeat(32)
    writeFileSync(join(from, 'master.key'), `${key}\n`)
    const to = newFolder()
    await withoutKey(() => runCopy(from, to))
    expect(readFileSync(join(to, 'master.key'), 'utf8')).toBe(`${key}\n`)
  })
})

describe('an interrupted copy', () => {
  it('continues from its last position, any number of times', async () => {
    const to = newFolder()
    for (const table of ['team', 'summary', 'chunk', 'outbox']) {
      const { code, message } = await interrupted(source, to, table)
      expect({ table, code, message }).toMatchObject({
        code: 'cancelled',
        message: expect.stringContaining('run the same'),
      })
    }
    expect(await runCopy(source, to)).toMatchObject({ isContinued: true })
    expect(differences(copied(rowsOfFolder(to)), copied(rowsOfFolder(source)))).toEqual([])
  })

  it('cannot be opened before it is finished', async () => {
    const to = newFolder()
    await interrupted(source, to, 'outbox')
    const refused = await refusal(openFolder(to))
    expect(refused).toMatchObject({ code: 'data_folder', message: expect.stringContaining('unfinished copy') })
    expect(refused.suggestions.join(' ')).toContain('svc engine copy')
    expect(await refusal(runCopy(to, newFolder()))).toMatchObject({ code: 'data_folder' })
  })

  it('is not mixed with another source, or with later changes of the source', async () => {
    const [from, to] = [ownSource(), newFolder()]
    await interrupted(from, to, 'outbox')
    const other = ownSource("UPDATE setting SET value='other' WHERE name='store_id'")
    writeFileSync(join(other, 'store.id'), 'other\n')
    expect(await refusal(runCopy(other, to))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('of another store'),
    })
    changed(from, 'DELETE FROM link_token')
    expect(await refusal(runCopy(from, to))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has changed'),
    })
  })

  it('continues after Ctrl-C, whose message says so', async () => {
    const sandbox = new Sandbox()
    const from = ownSource()
    const interrupt = async () => {
      const args = ['engine', 'copy', '--from', from, '--to', newFolder()]
      const running = sandbox.start([...args, '--json'], { input: '' })
      while (reachedBy(args.at(-1) as string) < 2 && running.child.exitCode === null)
        await new Promise(resolve => setTimeout(resolve, 1))
      return { args, status: await running.stop('SIGINT'), stdout: running.stdout(), stderr: running.stderr() }
    }
    // on a busy machine, a copy may end before the signal arrives
    let run = await interrupt()
    for (let tries = 1; tries < 10 && run.status === 0; tries++) run = await interrupt()
    expect(run).toMatchObject({ status: 130, stdout: '' })
    const { error } = JSON.parse(run.stderr) as { error: object }
    expect(error).toMatchObject({
      code: 'cancelled',
      suggestions: [expect.stringContaining('run the same command again')],
    })
    expect(await sandbox.json(run.args)).toMatchObject({ continued: true })
  })
})

describe('a copy is refused', () => {
  it('into a store that has data', async () => {
    const to = newFolder()
    await runCopy(source, to)
    expect(await refusal(runCopy(source, to))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('already'),
    })
  })

  it('into a folder with other files, and into itself', async () => {
    const to = newFolder()
    mkdirSync(to)
    writeFileSync(join(to, 'letter.txt'), '')
    expect(await refusal(runCopy(source, to))).toMatchObject({
      code: 'data_folder',
      message: expect.stringContaining('other files'),
    })
    expect(await refusal(runCopy(source, source))).toMatchObject({ code: 'usage' })
  })

  it('from a folder without a store', async () => {
    const from = newFolder()
    expect(await refusal(runCopy(from, newFolder()))).toMatchObject({ code: 'data_folder' })
    expect(existsSync(from)).toBe(false)
  })

  it('while a server runs on one of the folders', async () => {
    const from = ownSource()
    const files = { '': null, '-wal': null, '-shm': null }
    writeFileSync(join(from, 'serve.json'), JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.ppid, files }))
    const running = { code: 'conflict', message: expect.stringContaining(`svc serve (process ${process.ppid})`) }
    expect(await refusal(runCopy(from, newFolder()))).toMatchObject(running)
    expect(await refusal(runCopy(source, from))).toMatchObject(running)
  })

  it('with a master key that differs from the folder’s', async () => {
    const from = ownSource()
    writeFileSync(join(from, 'master.key'), `${'ab'.repeat(32)}\n`)
    const refused = await refusal(runCopy(from, newFolder()))
    expect(refused.code).toBe('master_key')
    expect(refused.suggestions.join(' ')).toContain(`export SVC_MASTER_KEY="$(cat ${join(from, 'master.key')})"`)
  })

  it.each([
    ['a summary', "UPDATE summary SET document=document||' ' WHERE rowid=(SELECT max(rowid) FROM summary)", /summary/],
    [
      'a chunk',
      'UPDATE chunk SET data=zeroblob(length(data)) WHERE rowid=(SELECT max(rowid) FROM chunk)',
      /samples of/,
    ],
    ['figures of a chunk', 'UPDATE chunk SET n=n+1 WHERE rowid=(SELECT max(rowid) FROM chunk)', /the chunk of/],
    ['an event', 'UPDATE outbox SET arrival=arrival+1 WHERE rowid=(SELECT max(rowid) FROM outbox)', /event/],
    ['a checksum', 'UPDATE connection SET checksum=NULL WHERE rowid=1', /connection/],
  ])('at damage: %s', async (_what, damage, position) => {
    const to = newFolder()
    const refused = await refusal(runCopy(ownSource(damage), to))
    expect(refused).toMatchObject({ code: 'data_damaged', message: expect.stringMatching(position) })
    expect(await refusal(openFolder(to))).toMatchObject({ code: 'data_folder' })
  })

  it('from a store with rows that have no checksum yet', async () => {
    const from = ownSource("INSERT INTO setting VALUES ('unchecked_rows', 1)")
    const refused = await refusal(runCopy(from, newFolder()))
    expect(refused.suggestions.join(' ')).toContain('svc engine check --rewrite')
  })
})

async function withoutKey<T>(body: () => Promise<T>): Promise<T> {
  const key = process.env['SVC_MASTER_KEY']
  delete process.env['SVC_MASTER_KEY']
  try {
    return await body()
  } finally {
    if (key !== undefined) process.env['SVC_MASTER_KEY'] = key
  }
}
