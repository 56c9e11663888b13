/** A store that is moved from a data folder to PostgreSQL and back loses nothing. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServiceClient } from '../../../src/client/client.ts'
import { openEmbedded } from '../../../src/client/embedded.ts'
import type { BytesReply, Reply } from '../../../src/contract/kernel/operation.ts'
import { seededRandom } from '../../../src/core/random.ts'
import { parseStoreUrl, type StoreUrl } from '../../../src/core/store-url.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { IS_ON_POSTGRES } from '../../kit/postgres/database.ts'
import { createDatabase, databaseUrl, dropDatabases } from '../../kit/postgres/maintenance.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import {
  AS_FILLED,
  copied,
  differences,
  filledFolder,
  findProblems,
  interrupted,
  newFolder,
  openFolder,
  type Rows,
  readSettings,
  refusal,
  rowsOfDatabase,
  rowsOfFolder,
  runCopy,
} from './stores.ts'

const databases: string[] = []

/** Returns the URL of an empty database. */
function newDatabase(): string {
  const name = `svc_copy_${randomBytes(6).toString('hex')}`
  createDatabase(name)
  databases.push(name)
  return databaseUrl(name)
}

const storeUrl = (url: string): StoreUrl => parseStoreUrl(url)
const openDatabase = (url: string) =>
  openEngine({ dataDir: newFolder(), store: storeUrl(url), waitForLock: 'blocking', ...AS_FILLED })

async function onDatabase<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Returns the rows of a PostgreSQL store as in a data folder, with event positions in the event rows. */
function asInFolder(rows: Rows): Rows {
  const positions = new Map(
    (rows.get('team_event') ?? []).map(row => [`${row['user_id']} ${row['sequence']}`, row['arrival']]),
  )
  const events = (rows.get('outbox') ?? []).map(row => {
    const position = positions.get(`${row['user_id']} ${row['sequence']}`)
    return { ...row, arrival: row['arrival'] === 0 ? 0 : position }
  })
  return new Map([...copied(rows), ['outbox', events]])
}

/** The checksum of an event covers its position. */
function withoutChecksums(rows: Rows): Rows {
  const events = (rows.get('outbox') ?? []).map(({ checksum: _, ...row }) => row)
  return new Map([...rows, ['outbox', inOrder(events)]])
}

const inOrder = <T>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

function readBody<T>(reply: Reply<T>): T {
  if (reply.kind === 'json') return reply.body
  throw new Error('the answer is not JSON')
}

/** Returns a hash of the export of every user. */
async function readExports(dataDir: string, store: StoreUrl | null): Promise<ReadonlyMap<string, string>> {
  const engine = { ...AS_FILLED, random: seededRandom('exports') }
  const client = await openEmbedded({ dataDir, publicUrl: null, store, engine })
  const { users } = readBody(await client.call('user.list', { query: { limit: 100 } }))
  const exports = new Map<string, string>()
  for (const { user_id } of users) {
    const { bytes } = (await client.call('user.export', { params: { user_id } })) as BytesReply
    const pieces: Uint8Array[] = []
    for await (const piece of bytes as AsyncIterable<Uint8Array>) pieces.push(piece)
    // the first line contains the time of the export
    const text = Buffer.concat(pieces)
      .toString('utf8')
      .replace(/"exported_at":"[^"]*"/, '')
    exports.set(user_id, createHash('sha256').update(text).digest('hex'))
  }
  await client.close()
  return exports
}

describe.skipIf(!IS_ON_POSTGRES)('between a data folder and PostgreSQL (needs SVC_TEST_STORE)', () => {
  let source: string
  let url: string
  let folder: string
  /** The rows of the copy before anything opened it. */
  let inDatabase: Rows

  beforeAll(async () => {
    source = await filledFolder()
    url = newDatabase()
    await runCopy(source, storeUrl(url))
    inDatabase = await rowsOfCopy(url)
    folder = newFolder()
    await runCopy(storeUrl(url), folder)
  })

  afterAll(() => dropDatabases(databases))

  it('all rows are the same in PostgreSQL, with event positions in their own table', async () => {
    const rows = await rowsOfDatabase(url)
    expect(differences(withoutChecksums(asInFolder(rows)), withoutChecksums(copied(rowsOfFolder(source))))).toEqual([])
    const settings = Object.entries(readSettings(rowsOfFolder(source)))
    expect(readSettings(rows)).toEqual(Object.fromEntries(settings))
    const last = Math.max(...(rows.get('team_event') ?? []).map(row => Number(row['arrival'])))
    expect(rows.get('team_order')).toContainEqual(expect.objectContaining({ last }))
    expect(rows.get('event_waiting')).toEqual([])
  })

  it('all rows are the same again in the new folder, which has its own ID and the key', () => {
    const [before, after] = [rowsOfFolder(source), rowsOfFolder(folder)]
    expect(differences(copied(after), copied(before))).toEqual([])
    expect(readSettings(after)).toEqual(readSettings(before))
    const idOf = (rows: Rows) => rows.get('setting')?.find(row => row['name'] === 'store_id')?.['value']
    expect(idOf(after)).not.toBe(idOf(before))
    expect(existsSync(join(folder, 'master.key'))).toBe(true)
  })

  it('a copy continues after the process was killed at any point', async () => {
    const to = newDatabase()
    const sandbox = new Sandbox()
    const env = { SVC_MASTER_KEY: `${process.env['SVC_MASTER_KEY']}` }
    const args = ['engine', 'copy', '--from', source, '--to', withoutPassword(to), '--json']
    for (const position of [2, 9, 20]) {
      const running = sandbox.start(args, { input: '', env: { ...env, ...parsePassword(to) } })
      while ((await reachedBy(to)) < position && running.child.exitCode === null);
      await running.stop('SIGKILL')
    }
    const refused = await refusal(openDatabase(to))
    expect(refused).toMatchObject({ code: 'store_unusable', message: expect.stringContaining('unfinished copy') })
    const run = await sandbox.start(args, { input: '', env: { ...env, ...parsePassword(to) } }).ended
    expect(run).toMatchObject({ status: 0 })
    expect(JSON.parse(run.stdout)).toMatchObject({ continued: true, users: rowsOfFolder(source).get('user')?.length })
    expect(differences(await rowsOfCopy(to), inDatabase)).toEqual([])
  })

  it('a copy back continues after an interruption', async () => {
    const to = newFolder()
    for (const table of ['team', 'chunk', 'outbox']) await interrupted(storeUrl(url), to, table)
    await runCopy(storeUrl(url), to)
    expect(differences(copied(rowsOfFolder(to)), copied(rowsOfFolder(source)))).toEqual([])
  })

  it('events that wait for their position get it in the copy, after the others', async () => {
    const from = newDatabase()
    await runCopy(source, storeUrl(from))
    await onDatabase(
      from,
      `WITH last AS (DELETE FROM team_event WHERE (team_id, arrival, sequence) IN
         (SELECT team_id, arrival, sequence FROM team_event ORDER BY arrival DESC, sequence DESC LIMIT 3) RETURNING *)
       INSERT INTO event_waiting (user_id, sequence, team_id, since) SELECT user_id, sequence, team_id, 1 FROM last`,
    )
    const to = newFolder()
    await runCopy(storeUrl(from), to)
    const eventOrder = (rows: Rows) =>
      (rows.get('outbox') ?? [])
        .filter(row => Number(row['arrival']) > 0)
        .sort((a, b) => Number(a['arrival']) - Number(b['arrival']) || Number(a['sequence']) - Number(b['sequence']))
        .map(row => `${row['user_id']} ${row['sequence']}`)
    const [before, after] = [eventOrder(rowsOfFolder(source)), eventOrder(rowsOfFolder(to))]
    expect(after.slice(0, -3)).toEqual(before.slice(0, -3))
    expect(after.slice(-3).sort()).toEqual(before.slice(-3).sort())
  })

  it('a copy can also go from one database to another', async () => {
    const to = newDatabase()
    await runCopy(storeUrl(url), storeUrl(to))
    expect(differences(await rowsOfCopy(to), inDatabase)).toEqual([])
  })

  it('a copy is refused into a store with data, for damaged data, and without the key', async () => {
    expect(await refusal(runCopy(source, storeUrl(url)))).toMatchObject({ code: 'conflict' })
    const from = newDatabase()
    expect(await refusal(runCopy(storeUrl(from), newFolder()))).toMatchObject({ code: 'store_unusable' })
    await runCopy(source, storeUrl(from))
    await onDatabase(
      from,
      `UPDATE chunk SET data=data || '\\x00' WHERE chunk_start=(SELECT max(chunk_start) FROM chunk)`,
    )
    expect(await refusal(runCopy(storeUrl(from), newFolder()))).toMatchObject({ code: 'data_damaged' })
    const key = process.env['SVC_MASTER_KEY']
    process.env['SVC_MASTER_KEY'] = 'cd'.repeat(32)
    const otherKey = await refusal(runCopy(storeUrl(url), newFolder()))
    delete process.env['SVC_MASTER_KEY']
    const noKey = await refusal(runCopy(storeUrl(url), newFolder()))
    const keyed = temporaryFolder()
    writeFileSync(join(keyed, 'master.key'), `${'ef'.repeat(32)}\n`)
    process.env['SVC_MASTER_KEY'] = key
    const keyOfTarget = await refusal(runCopy(storeUrl(url), keyed))
    expect([otherKey.code, noKey.code, keyOfTarget.code]).toEqual(['master_key', 'master_key', 'master_key'])
  })

  // from here on, stores are opened, which runs their due work

  it('the check finds no problem on either side', async () => {
    for (const engine of [await openDatabase(url), await openFolder(folder, AS_FILLED)]) {
      expect(await findProblems(engine)).toEqual([])
      await engine.close()
    }
  })

  it('the exports of every user are equal', async () => {
    const before = await readExports(source, null)
    expect(before.size).toBeGreaterThan(6)
    expect(await readExports(newFolder(), storeUrl(url))).toEqual(before)
    expect(await readExports(folder, null)).toEqual(before)
  })

  it('a client that follows the events continues with its cursor', async () => {
    const to = newDatabase()
    await runCopy(source, storeUrl(to))
    const page = (client: ServiceClient, next?: string) =>
      client.call('event.list', { query: { limit: 10, order: 'asc', ...(next && { next_cursor: next }) } })
    const first = await openEmbedded({ dataDir: source, publicUrl: null, store: null, engine: AS_FILLED })
    const begun = readBody(await page(first))
    const rest = readBody(await page(first, `${begun.next_cursor}`))
    await first.close()
    const second = await openEmbedded({ dataDir: newFolder(), publicUrl: null, store: storeUrl(to), engine: AS_FILLED })
    expect(readBody(await page(second, `${begun.next_cursor}`))).toEqual(rest)
    expect(rest.data.length).toBe(10)
    await second.close()
  })
})

async function rowsOfCopy(url: string): Promise<Rows> {
  const rows = await rowsOfDatabase(url)
  return new Map([
    ...copied(rows),
    ['team_event', rows.get('team_event') ?? []],
    ['team_order', rows.get('team_order') ?? []],
  ])
}

/** Returns how many tables a running copy has completed. */
async function reachedBy(url: string): Promise<number> {
  try {
    const [row] = await onDatabase<{ value: string }>(url, "SELECT value FROM setting WHERE name='unfinished_copy'")
    return row === undefined ? -1 : ((JSON.parse(row.value) as { tables: number | null }).tables ?? -1)
  } catch {
    // its tables are being created
    return -1
  }
}

function withoutPassword(text: string): string {
  const url = new URL(text)
  url.password = ''
  return url.href
}

function parsePassword(text: string): Record<string, string> {
  const { password } = new URL(text)
  return password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) }
}
