/** Changes databases so that they are damaged or hostile. */
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'

const PAGE_BYTES = 4096
/** The type of a page that lists other pages of a table, and where such a page lists them. */
const TABLE_INTERIOR = 5
const HEADER_BYTES = 12
const LEVELS = 10
/** Where the first page has the number of pages. */
const PAGES_AT = 28

/** Runs statements on a database. */
export function alter(path: string, ...statements: readonly string[]): void {
  const db = new DatabaseSync(path)
  for (const statement of statements) db.exec(statement)
  db.close()
}

/** Replaces the text of a table or index in the schema. */
export function disguise(path: string, name: string, sql: string): void {
  const db = new DatabaseSync(path)
  db.enableDefensive(false)
  db.exec('PRAGMA writable_schema=ON')
  db.prepare('UPDATE sqlite_schema SET sql=? WHERE name=?').run(sql, name)
  db.close()
}

/**
 * Changes the pages below a table's root. `first`: all are the first one. `root`: all are the root itself. `levels`: between the root and
 * the first one are ten more levels, in which every page is listed hundreds of times.
 */
export function repeatPages(path: string, table: string, how: 'first' | 'root' | 'levels'): void {
  const db = new DatabaseSync(path)
  const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name=?').get(table)
  db.close()
  const bytes = readFileSync(path)
  const at = (rootpage - 1) * PAGE_BYTES
  const root = bytes.subarray(at, at + PAGE_BYTES)
  if (root.readUInt8(0) !== TABLE_INTERIOR) throw new Error('the table is too small')
  const first = root.readUInt32BE(root.readUInt16BE(HEADER_BYTES))
  const pages = bytes.length / PAGE_BYTES
  const added = how === 'levels' ? Array.from({ length: LEVELS }, () => Buffer.from(root)) : []
  for (const [i, page] of added.entries()) pointTo(page, i === LEVELS - 1 ? first : pages + i + 2)
  pointTo(root, how === 'root' ? rootpage : how === 'first' ? first : pages + 1)
  bytes.writeUInt32BE(pages + added.length, PAGES_AT)
  writeFileSync(path, Buffer.concat([bytes, ...added]))
}

/** Makes a page list another one everywhere. */
function pointTo(page: Buffer, target: number): void {
  for (let i = 0; i < page.readUInt16BE(3); i++) page.writeUInt32BE(target, page.readUInt16BE(HEADER_BYTES + 2 * i))
  page.writeUInt32BE(target, 8)
}

/** Adds this many tables to the schema, without pages of their own, each with a text of this length. */
export function addTables(path: string, count: number, textLength = 0): void {
  const db = new DatabaseSync(path)
  db.enableDefensive(false)
  db.exec('PRAGMA writable_schema=ON; BEGIN')
  const insert = db.prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, 2, ?)')
  const text = 'x'.repeat(textLength)
  for (let i = 0; i < count; i++) insert.run('table', `t${i}`, `t${i}`, `CREATE TABLE t${i}(a DEFAULT '${text}')`)
  db.exec('COMMIT')
  db.close()
}
