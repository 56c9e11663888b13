/** Copies the rows that are readable and trustworthy from a damaged file to a new file with the same schema version. */
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite'
import { UNCHECKED_ROWS } from '../../logic/rows/checked-rows.ts'
import type { SqlValue } from '../../logic/steps.ts'
import { STORE_ID } from '../../logic/teams/settings.ts'
import { TABLES } from '../../tables/catalogue.ts'
import { APPLICATION_ID } from '../migrations.ts'
import { schemaStatements } from '../schema.ts'
import { canBelongTo, type DatabaseLayout, type TableLayout } from './layout.ts'
import type { Losses } from './losses.ts'
import type { PageFile } from './page-file.ts'
import type { FoundRow, RecordCell } from './record.ts'
import { rebuildTeams } from './teams.ts'
import { freePages, rowsOfTree, strayPages, type UnreadableCounts } from './tree.ts'
import { describeFoundRow, findRowFault, readUserId } from './verify.ts'

/** Tables about running processes and sessions, and tables that are useless in another folder. */
const LEFT_BEHIND: readonly string[] = TABLES.filter(
  ({ life, isSalvaged }) => ['process', 'session', 'passing'].includes(life) && !isSalvaged,
).map(({ name }) => name)
/** Time after which other work can run, and Ctrl-C takes effect. */
const SLICE_MS = 20

export interface Copying {
  readonly file: PageFile
  readonly layout: DatabaseLayout
  readonly losses: Losses
  /** Pages that have been reached so far. */
  readonly seen: Set<number>
  readonly onPages: (done: number, total: number) => void
  readonly signal: AbortSignal | undefined
}

/** Fills the empty file at this path. Throws the signal's reason, and SQLite's errors about the new file. */
export async function copyRows(path: string, copying: Copying): Promise<void> {
  const copy = new RowCopy(path, copying)
  try {
    await copy.run()
  } finally {
    copy.close()
  }
}

class RowCopy {
  private readonly target: DatabaseSyncInstance
  private readonly copying: Copying
  private readonly statements = new Map<string, StatementSyncInstance>()
  /** Keys that were left out, by table, because they are found again in the index. */
  private readonly leftOut = new Set<string>()
  private readonly damaged: TableLayout[] = []
  private pausedAt = performance.now()
  private needsChecksum = false

  constructor(path: string, copying: Copying) {
    this.copying = copying
    this.target = new DatabaseSync(path)
    // an unfinished file is deleted
    this.target.exec('PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF')
    for (const sql of schemaStatements(copying.layout.version)) this.target.exec(sql)
    // the schema's initial rows come from the old file
    this.target.exec('DELETE FROM setting')
    this.target.exec(`PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${copying.layout.version}; BEGIN`)
  }

  close(): void {
    this.statements.clear()
    this.target.close()
  }

  async run(): Promise<void> {
    const tables = this.copying.layout.tables
      .filter(({ name }) => !LEFT_BEHIND.includes(name))
      .sort((a, b) => order(a) - order(b))
    for (const table of tables) await this.copyTable(table)
    // read indexes before stray pages, so that index pages are not mistaken for rows
    const keys = new Map<TableLayout, RecordCell[]>()
    for (const table of tables) keys.set(table, await this.readIndexes(table))
    if (this.damaged.length > 0) await this.copyStrays()
    for (const [table, cells] of keys) this.reportMissing(table, cells)
    rebuildTeams(this.target, this.copying.losses)
    this.target.exec('COMMIT')
  }

  private async copyTable(table: TableLayout): Promise<void> {
    const { layout, losses } = this.copying
    const root = layout.roots.get(table.name)
    const unreadable: UnreadableCounts = { unreadablePages: root === undefined ? 1 : 0, unreadableCells: 0 }
    if (root !== undefined) {
      for (const cell of this.rows(root, table, unreadable)) {
        this.copyRow(table, cell)
        await this.pause()
      }
    }
    if (unreadable.unreadablePages > 0) this.damaged.push(table)
    if (table.name === 'setting') this.needsChecksum = unreadable.unreadableCells === 0 && this.isAllChecked()
    losses.pages(table.name, unreadable.unreadablePages)
    // if the table has a key, these rows are found in the index
    if (unreadable.unreadableCells > 0 && table.key === null) {
      losses.add({
        table: table.name,
        userId: null,
        place: 'rows',
        reason: 'they cannot be read',
        count: unreadable.unreadableCells,
      })
    }
  }

  /** Returns whether all settings could be read and no rows were written before checksums existed. */
  private isAllChecked(): boolean {
    const has = (name: string): boolean => this.prepare('SELECT 1 FROM setting WHERE name=?').get(name) !== undefined
    return this.damaged.length + this.leftOut.size === 0 && has(STORE_ID) && !has(UNCHECKED_ROWS)
  }

  private doubts({ isDoubtful }: RecordCell) {
    return { isDoubtful, needsChecksum: this.needsChecksum }
  }

  private rows(root: number, table: Pick<TableLayout, 'kind'>, unreadable: UnreadableCounts): Generator<RecordCell> {
    return rowsOfTree(this.copying.file, root, table.kind, this.copying.seen, unreadable)
  }

  private copyRow(table: TableLayout, cell: RecordCell): void {
    const row = canBelongTo(table, cell) ? toRow(table, cell) : undefined
    const fault = row === undefined ? 'it cannot be read' : findRowFault(table.name, row, this.doubts(cell))
    const refusal = fault ?? this.insert(table, cell)
    if (refusal === null) this.copying.losses.copied(table.name, 1)
    else this.leaveOut(table, row ?? {}, refusal)
  }

  private leaveOut(table: TableLayout, row: FoundRow, reason: string): void {
    if (table.key)
      this.leftOut.add(
        keyText(
          table.name,
          table.key.columns.map(name => row[name] ?? null),
        ),
      )
    const position = describeFoundRow(table.name, row, (userId, seriesId) => this.findResource(userId, seriesId))
    this.copying.losses.add({ table: table.name, userId: readUserId(row), place: position, reason, count: 1 })
  }

  /** Inserts a row. Returns null, or the reason why the new file does not accept the row. */
  private insert(table: TableLayout, { values, rowid }: RecordCell): string | null {
    const names = table.columns.slice(0, values.length).map(each => `"${each.name}"`)
    const marks = names.map(() => '?').join(',')
    const statement = this.prepare(`INSERT INTO "${table.name}" (${names.join(', ')}) VALUES (${marks})`)
    // the column that is an alias for the rowid is empty in the record
    const bound = values.map((value, i) => (table.columns[i]?.name === table.rowidColumn ? rowid : value))
    try {
      statement.run(...bound)
      return null
    } catch (error) {
      const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
      if (code !== CONSTRAINT) throw error
      return 'it does not fit the table, or another row has its key'
    }
  }

  /** Returns the keys in a table's index. Traverses all of the table's indexes, so that their pages are known. */
  private async readIndexes(table: TableLayout): Promise<RecordCell[]> {
    const keys: RecordCell[] = []
    for (const index of table.indexes) {
      const root = this.copying.layout.roots.get(index)
      if (root === undefined) continue
      const isKey = table.key?.index === index
      for (const cell of this.rows(root, { kind: 'index' }, { unreadablePages: 0, unreadableCells: 0 })) {
        if (isKey) keys.push(cell)
        await this.pause()
      }
    }
    return keys
  }

  /** Copies rows from pages that no longer belong to any tree. */
  private async copyStrays(): Promise<void> {
    const { file, seen } = this.copying
    const known = new Set([...seen, ...freePages(file)])
    for (const { kind, cells } of strayPages(file, known)) {
      for (const cell of cells) {
        for (const table of this.damaged) {
          if (table.kind === 'index' && UNTOLD.includes(table.name)) continue
          const row = table.kind === kind && canBelongTo(table, cell) ? toRow(table, cell) : undefined
          if (
            row === undefined ||
            findRowFault(table.name, row, this.doubts(cell)) !== null ||
            this.insert(table, cell) !== null
          )
            continue
          this.copying.losses.copied(table.name, 1)
          break
        }
      }
      await this.pause()
    }
  }

  /** Reports index entries that have no row in the new table. */
  private reportMissing(table: TableLayout, cells: readonly RecordCell[]): void {
    const { key, name } = table
    if (key === null) return
    const find = this.prepare(`SELECT 1 FROM "${name}" WHERE ${key.columns.map(each => `"${each}"=?`).join(' AND ')}`)
    for (const { values } of cells) {
      const own = values.slice(0, key.columns.length)
      if (own.includes(null) || find.get(...own) !== undefined) continue
      const row = Object.fromEntries(key.columns.map((column, i) => [column, plain(own[i] ?? null)]))
      if (this.leftOut.has(keyText(name, Object.values(row)))) continue
      const position = describeFoundRow(name, row, (userId, seriesId) => this.findResource(userId, seriesId))
      this.copying.losses.add({
        table: name,
        userId: readUserId(row),
        place: position,
        reason: 'it cannot be read',
        count: 1,
      })
    }
  }

  private findResource(userId: string, seriesId: number): string | undefined {
    const found = this.prepare('SELECT resource FROM series WHERE user_id=? AND series_id=?').get(userId, seriesId)
    return (found as { resource: string } | undefined)?.resource
  }

  private prepare(sql: string): StatementSyncInstance {
    let statement = this.statements.get(sql)
    if (!statement) {
      statement = this.target.prepare(sql)
      this.statements.set(sql, statement)
    }
    return statement
  }

  private async pause(): Promise<void> {
    if (performance.now() - this.pausedAt < SLICE_MS) return
    this.copying.signal?.throwIfAborted()
    this.copying.onPages(this.copying.seen.size, this.copying.file.count)
    await new Promise(setImmediate)
    this.pausedAt = performance.now()
  }
}

const CONSTRAINT = 19
/** Tables that are stored like an index and whose rows look like other index entries. */
const UNTOLD: readonly string[] = TABLES.filter(({ looksLikeIndex }) => looksLikeIndex).map(({ name }) => name)

/** Determines the order of tables. Tables that others refer to come first, and tables that exist only in an older schema come last. */
function order({ name }: TableLayout): number {
  const position = TABLES.findIndex(table => table.name === name)
  return position === -1 ? TABLES.length : position
}

function toRow({ columns, rowidColumn }: TableLayout, { values, rowid }: RecordCell): FoundRow {
  return Object.fromEntries(
    values.map((value, i) => {
      const name = columns[i]?.name ?? ''
      return [name, plain(name === rowidColumn ? rowid : value)]
    }),
  )
}

function plain(value: SqlValue): SqlValue {
  return typeof value === 'bigint' ? Number(value) : value
}

function keyText(table: string, key: readonly (SqlValue | undefined)[]): string {
  return JSON.stringify([table, ...key.map(each => (each instanceof Uint8Array ? null : each))])
}
