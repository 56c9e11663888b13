/** A salvage of a damaged data folder: all intact data, no damaged data, and a valid store. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { openEngine } from '../../src/engine/open.ts'
import { type SalvageReport, salvage } from '../../src/store/sqlite/salvage/salvage.ts'
import { times } from '../kit/effort.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { openHarness } from '../kit/harness.ts'
import { seed } from '../kit/seed.ts'

/** Tables whose rows own rows of other tables, or contain counts of them. */
const PARENTS = ['user', 'series', 'team', 'import', 'endpoint', 'continuous_query', 'setting', 'outbox', 'directory']
/** Tables that a salvage rebuilds or omits. */
const SETTLED = ['account', 'job', 'directory', 'deliverer', 'sqlite_sequence']

let whole: string
let tables: Map<string, Map<string, string>>
let pages: Map<number, { readonly name: string; readonly kind: string; readonly cells: number }>

/** A day of samples, summaries, events, waiting deliveries, an import, an order, a continuous query. */
beforeAll(async () => {
  const h = await openHarness()
  await h.call('engine.seed', { body: { people: 3, days: 12, seed: 7, first: 1 } })
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
  await h.call('webhook.create', { body: { url: 'http://127.0.0.1:9/hook', event_types: ['*'] } })
  for (let day = 1; day <= 12; day++) {
    const samples = Array.from({ length: 600 }, (_, i) => ({
      resource: 'heartrate',
      timestamp: new Date(Date.UTC(2026, 9, day) + i * 61_000).toISOString(),
      value: 60 + Math.sin(i),
    }))
    const stream = [Buffer.from(JSON.stringify({ samples }))]
    await h.call('samples.push', { params: { user_id }, body: { kind: 'stream', stream: asStream(stream) } })
  }
  h.engine.context.masterKey()
  await h.engine.close()
  whole = withoutLog(h.dataDir)
  pages = readPages(whole)
  tables = readRows(whole)
})

/** Returns a copy of the database and the key, with the content of the log merged into the database. */
function withoutLog(from: string): string {
  const database = new DatabaseSync(join(from, 'svc.db'))
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const folder = join(temporaryFolder(), 'whole')
  mkdirSync(folder)
  for (const name of ['svc.db', 'master.key']) cpSync(join(from, name), join(folder, name))
  database.close()
  return folder
}

async function* asStream(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces
}

function open(folder: string): InstanceType<typeof DatabaseSync> {
  return new DatabaseSync(join(folder, 'svc.db'), { readOnly: true })
}

/** Returns every row of every table by its key, for comparison with the rows that a salvage keeps unchanged. */
function readRows(folder: string): Map<string, Map<string, string>> {
  const database = open(folder)
  const all = (sql: string) => database.prepare(sql).all() as Record<string, unknown>[]
  const found = new Map<string, Map<string, string>>()
  const names = all("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name").map(each => String(each['name']))
  for (const name of names) {
    if (SETTLED.includes(name)) continue
    const rows = new Map<string, string>()
    for (const row of all(`SELECT * FROM "${name}"`)) {
      // event numbers and counts are made consistent
      for (const column of ['event_sequence', 'event_floor', 'counters_checksum', 'user_count', 'leased_by'])
        delete row[column]
      rows.set(JSON.stringify(row, withBytes), `${row['type'] ?? ''}`)
    }
    found.set(name, rows)
  }
  database.close()
  return found
}

/** JSON writes an array of bytes as an object with a key for each. */
function withBytes(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value
}

function readPages(folder: string): typeof pages {
  const database = open(folder)
  const owner = new Map<string, string>()
  for (const { name, tbl_name: table } of database.prepare('SELECT name, tbl_name FROM sqlite_schema').all() as {
    name: string
    tbl_name: string
  }[]) {
    owner.set(name, name === table ? table : `index ${name}`)
  }
  const rows = database.prepare('SELECT name, pageno, pagetype, ncell FROM dbstat').all() as {
    name: string
    pageno: number
    pagetype: string
    ncell: number
  }[]
  database.close()
  return new Map(
    rows.map(each => [
      each.pageno,
      { name: owner.get(each.name) ?? each.name, kind: each.pagetype, cells: each.ncell },
    ]),
  )
}

let copies = 0
function damaged(damage: (file: Buffer) => Buffer): string {
  const folder = join(temporaryFolder(), `damaged-${copies++}`)
  mkdirSync(folder)
  for (const name of ['svc.db', 'master.key']) cpSync(join(whole, name), join(folder, name))
  const file = join(folder, 'svc.db')
  writeFileSync(file, damage(readFileSync(file)))
  return folder
}

function hashes(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
  return files.map(each => {
    const file = join(each.parentPath, each.name)
    return `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`
  })
}

/** Salvages, and checks that the source is unchanged and the new folder is a valid store. */
async function salvaged(folder: string): Promise<{ readonly report: SalvageReport; readonly to: string }> {
  const before = hashes(folder)
  const to = join(temporaryFolder(), 'new')
  const report = await salvage({
    from: folder,
    to,
    now: Date.now(),
    onPages: () => {},
    onPhase: () => {},
    signal: undefined,
  })
  expect(hashes(folder)).toEqual(before)
  expect(report.problems).toEqual([])
  return { report, to }
}

/** Tables with rows that a salvage creates anew, such as a pending run of a continuous query. */
const MADE_ANEW = ['continuous_state', 'continuous_task', 'team', 'user', 'setting']

/** Returns the number of rows in the new folder that were not in the old one, by table. */
function strangers(now: ReturnType<typeof readRows>): Map<string, number> {
  const found = new Map<string, number>()
  for (const [table, rows] of now) {
    const original = tables.get(table) ?? new Map()
    const strange = [...rows].filter(([row, type]) => !original.has(row) && type !== 'svc.lost').length
    if (strange > 0 && !MADE_ANEW.includes(table)) found.set(table, strange)
  }
  return found
}

/** Returns the rows that are not in the new folder, by table. New rows there fail the test. */
function lost(to: string): Map<string, number> {
  const now = readRows(to)
  expect([...strangers(now)]).toEqual([])
  const found = new Map<string, number>()
  for (const [table, rows] of now) {
    const original = tables.get(table) ?? new Map()
    const missing = [...original.keys()].filter(row => !rows.has(row)).length
    if (missing > 0) found.set(table, missing)
  }
  return found
}

const zeroed = (number: number) => (file: Buffer) => file.fill(0, (number - 1) * 8192, number * 8192)

describe('a salvage', () => {
  it('of an intact folder copies everything, and the new one continues as the same store', async () => {
    const { report, to } = await salvaged(damaged(file => file))
    expect(report).toMatchObject({ leftOut: 0, unreadablePages: 0, hasKey: true, isSchemaDamaged: false })
    expect(report.rebuilt.size).toBe(0)
    expect(lost(to).size).toBe(0)
    expect(readFileSync(join(to, 'master.key'))).toEqual(readFileSync(join(whole, 'master.key')))
    expect(statSync(join(to, 'svc.db')).mode & 0o777).toBe(0o600)
    const engine = await openEngine({ dataDir: to, waitForLock: 'blocking' })
    expect((await engine.context.store.upkeep.statistics()).users).toBe(4)
    await engine.close()
  })

  it('of a folder with zeroed pages loses only the data on them', async () => {
    const random = numbers(seed)
    const byName = new Map<string, number[]>()
    for (const [number, { name, kind }] of pages) {
      if (number > 1) byName.set(`${name} ${kind}`, [...(byName.get(`${name} ${kind}`) ?? []), number])
    }
    // one page of each kind of tables and indexes: 30 of them, with enough effort all
    const kinds = [...byName].map(each => ({ each, order: random() })).sort((a, b) => a.order - b.order)
    for (const {
      each: [what, of],
    } of kinds.slice(0, times(30))) {
      const number = of[Math.floor(random() * of.length)] as number
      const { name, kind, cells } = pages.get(number) as { name: string; kind: string; cells: number }
      const { report, to } = await salvaged(damaged(zeroed(number)))
      const missing = lost(to)
      const where = `${what}, page ${number}, seed ${seed}`
      const isRowPage = kind !== 'internal' || isKeyed(name)
      const bound = isRowPage && !name.startsWith('index ') && name !== 'sqlite_schema' ? Math.max(1, cells) : 0
      for (const [table, count] of missing) {
        if (table === name) expect(count, where).toBeLessThanOrEqual(bound)
        else expect(PARENTS.includes(name) && bound > 0, `${where}: ${table} lost ${count}`).toBe(true)
      }
      const isSaid = report.leftOut + report.unreadablePages + report.rebuilt.size > 0
      if (missing.size > 0) expect(isSaid, where).toBe(true)
      // lost rows whose key is in an index are named
      if (['chunk', 'summary', 'stream'].includes(name) && bound > 0) {
        expect(
          report.losses.reduce((sum, each) => sum + (each.table === name ? each.count : 0), 0),
          where,
        ).toBe(missing.get(name))
      }
    }
  }, 300_000)

  it('reports a lost day by user and resource, without a value', async () => {
    const number = [...pages].find(([, each]) => each.name === 'chunk' && each.kind === 'leaf')?.[0] as number
    const { report } = await salvaged(damaged(zeroed(number)))
    expect(report.losses.length).toBeGreaterThan(0)
    for (const { table, userId, place } of report.losses) {
      expect(table).toBe('chunk')
      expect(userId).toMatch(/^[\da-f-]{36}$/)
      expect(place).toMatch(/^samples of [a-z_]+ on \d{4}-\d\d-\d\d$/)
    }
  })

  it('of a folder with flipped bits omits damaged rows, and never copies a wrong value', async () => {
    const random = numbers(seed + 1)
    const own = [...pages].filter(([, { name }]) =>
      ['chunk', 'summary', 'stream', 'outbox', 'user', 'series'].includes(name),
    )
    for (let i = 0; i < times(10); i++) {
      const [number, { name }] = own[Math.floor(random() * own.length)] as (typeof own)[number]
      const at = (number - 1) * 8192 + Math.floor(random() * 8192)
      const bit = 1 << Math.floor(random() * 8)
      const { to } = await salvaged(
        damaged(file => {
          file[at] = (file[at] as number) ^ bit
          return file
        }),
      )
      const where = `${name}, byte ${at}, bit ${bit}, seed ${seed}`
      for (const [table, strange] of strangers(readRows(to))) {
        // a row without a checksum may contain another value of the same form
        const most = hasChecksum(table) || table !== name ? 0 : 1
        expect(strange, `${where}: ${table}`).toBeLessThanOrEqual(most)
      }
    }
  }, 240_000)

  it.each([
    ['the head of the file', (file: Buffer) => file.fill(0, 0, 100)],
    ['the first page', (file: Buffer) => file.fill(0, 0, 8192)],
    ['the version', (file: Buffer) => file.fill(0xff, 60, 64)],
    ['the number of pages', (file: Buffer) => file.fill(1, 28, 32)],
  ])('works without %s', async (_what, damage) => {
    const { report, to } = await salvaged(damaged(damage))
    expect(lost(to).size).toBe(0)
    expect(report.leftOut).toBe(0)
  })

  it('of a truncated file keeps the data before its end', async () => {
    for (const share of [0.9, 0.5, 0.1]) {
      const { to } = await salvaged(damaged(file => file.subarray(0, Math.floor(file.length * share))))
      const there = [...readRows(to).values()].reduce((sum, rows) => sum + rows.size, 0)
      if (share === 0.9) expect(there).toBeGreaterThan(100)
      lost(to)
    }
    const { to } = await salvaged(damaged(() => Buffer.alloc(0)))
    expect(existsSync(join(to, 'svc.db'))).toBe(true)
  })

  it('of a folder without an index or a table keeps the rest', async () => {
    const folder = damaged(file => file)
    const database = new DatabaseSync(join(folder, 'svc.db'))
    database.exec('DROP INDEX chunk_key; DROP INDEX summary_by_date; DROP TABLE device; DROP TABLE pull')
    database.close()
    const { report, to } = await salvaged(folder)
    expect([...lost(to).keys()].filter(name => name !== 'device' && name !== 'pull')).toEqual([])
    expect(report.isSchemaDamaged).toBe(true)
  })

  it('reads a killed process’s log', async () => {
    const h = await openHarness({ chance: 'log' })
    for (let i = 0; i < 20; i++) await h.call('user.create', { body: { client_user_id: `user-${i}` } })
    const folder = join(temporaryFolder(), 'killed')
    cpSync(h.dataDir, folder, { recursive: true })
    const running = join(temporaryFolder(), 'running')
    const report = await salvage({
      from: h.dataDir,
      to: running,
      now: Date.now(),
      onPages: () => {},
      onPhase: () => {},
      signal: undefined,
    })
    expect(report.problems).toEqual([])
    await h.engine.close()
    const { to } = await salvaged(folder)
    for (const each of [to, running]) {
      const engine = await openEngine({ dataDir: each, waitForLock: 'blocking' })
      expect((await engine.context.store.upkeep.statistics()).users).toBe(20)
      await engine.close()
    }
  })

  it('leaves nothing behind when cancelled, and refuses a target that is not empty or is inside the source', async () => {
    const controller = new AbortController()
    const options = { from: whole, now: Date.now(), onPhase: () => {} }
    const to = join(temporaryFolder(), 'cancelled')
    const cancelled = salvage({ ...options, to, onPages: () => controller.abort(), signal: controller.signal })
    controller.abort(new Error('Ctrl-C'))
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    expect(existsSync(to)).toBe(false)
    const quiet = { ...options, onPages: () => {}, signal: undefined }
    mkdirSync(to)
    writeFileSync(join(to, 'mine'), 'x')
    await expect(salvage({ ...quiet, to })).rejects.toMatchObject({ code: 'usage' })
    expect(readdirSync(to)).toEqual(['mine'])
    await expect(salvage({ ...quiet, to: join(whole, 'inside') })).rejects.toMatchObject({ code: 'usage' })
    await expect(salvage({ ...quiet, from: temporaryFolder(), to: `${to}2` })).rejects.toMatchObject({
      code: 'data_folder',
    })
  })
})

function hasChecksum(table: string): boolean {
  const database = open(whole)
  const row = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name='checksum'").get(table)
  database.close()
  return row !== undefined
}

/** Returns whether a table has rows on inner pages too. */
function isKeyed(name: string): boolean {
  const database = open(whole)
  const row = database.prepare("SELECT wr FROM pragma_table_list WHERE schema='main' AND name=?").get(name) as
    | { wr: number }
    | undefined
  database.close()
  return row?.wr === 1
}

function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
