/** Small folders with at least one row in every table, all with checksums, made from data folders of older versions. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DatabaseSync } from '@photostructure/sqlite'
import { temporaryFolder } from '../../kit/folder.ts'
import { openHarness } from '../../kit/harness.ts'
import { root } from '../../kit/sandbox.ts'
import { type CellRange, listCells } from './cells.ts'
import type { Base } from './child.ts'
import { listAsks } from './reads.ts'

export interface Field extends Base {
  readonly name: string
  /** The cells of each table with user data. */
  readonly tables: readonly (readonly (readonly CellRange[])[])[]
  /** The table of each page, by its number. Absent: a free page, or the schema, which everything reads. */
  readonly owners: ReadonlyMap<number, string>
  readonly pageSize: number
}

const INSURED = {
  first_name: 'Ada',
  last_name: 'Sample',
  email: 'a@example.test',
  phone_number: '4155550100',
  address: { first_line: '1 Any Street', city: 'Anytown', state: 'CA', zip: '94103', country: 'US' },
  gender: 'female' as const,
  dob: '1990-01-01',
}

/** `hasLog`: the last writes are only in the log. */
export async function openField(fixture: string, { hasLog }: { readonly hasLog: boolean }): Promise<Field> {
  const folder = temporaryFolder()
  cpSync(join(root, 'test', 'fixtures', fixture), folder, { recursive: true })
  const h = await openHarness({ dataDir: folder })
  const { users } = await h.call('user.list', {})
  const [user] = users.filter(each => /^(alice|bob)$/.test(each.client_user_id)).slice(-1)
  if (!user) throw new Error('nobody to write to')
  const { user_id } = user
  await h.call('user.add_insurance', {
    params: { user_id },
    body: { payor_code: 'SVC01', member_id: '1', relationship: 'Self', insured: INSURED },
  })
  await h.call('samples.push', push(user_id, 64, '2026-11-19T08:30:00Z'))
  await h.call('engine.check', { query: { rewrite: true } })
  const read = (name: string): Buffer => readFileSync(join(folder, name))
  const log = hasLog ? { database: read('svc.db'), wal: read('svc.db-wal') } : null
  await h.engine.close()
  const db = new DatabaseSync(join(folder, 'svc.db'))
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const { database, wal } = log ?? { database: read('svc.db'), wal: null }
  const roots = db
    .prepare(
      `SELECT s.name, s.rootpage FROM sqlite_schema AS s WHERE s.type='table' AND s.name IN
        (SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE c.name IN ('checksum'))`,
    )
    .all() as { name: string; rootpage: number }[]
  const asks = listAsks(db)
  const pages = db
    .prepare('SELECT d.pageno, s.tbl_name FROM dbstat AS d JOIN sqlite_schema AS s ON s.name=d.name')
    .all() as { pageno: number; tbl_name: string }[]
  const { page_size: pageSize } = db.prepare('PRAGMA page_size').get() as { page_size: number }
  db.close()
  return {
    name: fixture,
    folder,
    database,
    wal,
    asks,
    owners: new Map(pages.map(({ pageno, tbl_name }) => [pageno, tbl_name])),
    pageSize,
    push: {
      id: 'samples.push',
      params: { user_id },
      body: { resource: 'heartrate', timestamp: '2026-11-19T08:45:00Z', value: 77 },
    },
    tables: hasLog
      ? []
      : roots.map(({ name, rootpage }) => listCells(database, name, rootpage)).filter(cells => cells.length > 0),
  }
}

const push = (user_id: string, value: number, timestamp: string) => ({
  params: { user_id },
  body: {
    kind: 'stream' as const,
    stream: Readable.from([Buffer.from(JSON.stringify({ resource: 'heartrate', timestamp, value }))]),
  },
})
