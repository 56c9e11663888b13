/** Determines the layout of a damaged file's tables from its schema version, whether or not the file's own schema can be read. */
import { DatabaseSync } from '@photostructure/sqlite'
import type { SqlValue } from '../../logic/steps.ts'
import { unreleased } from '../migrations.ts'
import { isKnownVersion, SCHEMA_VERSION, STEPS } from '../schema.ts'
import type { PageFile } from './page-file.ts'
import type { RecordCell } from './record.ts'
import { rowsOfTree, strayPages, type TreeKind } from './tree.ts'

export interface ColumnLayout {
  readonly name: string
  readonly type: string
}

export interface TableLayout {
  readonly name: string
  /** A table without rowid is stored like an index. */
  readonly kind: TreeKind
  /** Columns in record order. */
  readonly columns: readonly ColumnLayout[]
  /** Minimum number of columns in a record, because later columns may be missing at its end. */
  readonly leastColumns: number
  /** The column that is an alias for the rowid and is not in the record, or null. */
  readonly rowidColumn: string | null
  /** The unique index that shows which rows are missing, with its leading columns. Null if the table itself is such an index. */
  readonly key: { readonly index: string; readonly columns: readonly string[] } | null
  readonly indexes: readonly string[]
}

export interface DatabaseLayout {
  readonly version: number
  readonly tables: readonly TableLayout[]
  /** Root pages by table or index name. */
  readonly roots: ReadonlyMap<string, number>
  /** Whether part of the schema could not be read. */
  readonly isSchemaDamaged: boolean
}

/**
 * Returns the layout for the version that the file gives, or otherwise for the newest version whose tables it has. Throws ServiceError
 * `data_folder` for a version that was never released.
 */
export function findLayout(file: PageFile, seen: Set<number>): DatabaseLayout {
  const roots = findRoots(file, seen)
  const said = file.page(1)?.readInt32BE(60) ?? 0
  const isWhole = (tables: readonly TableLayout[]): boolean =>
    tables.every(table => [table.name, ...table.indexes].every(name => roots.has(name)))
  if (isKnownVersion(said)) {
    const tables = tableLayouts(said)
    return { version: said, tables, roots, isSchemaDamaged: !isWhole(tables) }
  }
  if (said > 0 && said < SCHEMA_VERSION) throw unreleased(file.path, said)
  for (const { version } of STEPS.toReversed()) {
    const tables = tableLayouts(version)
    if (isWhole(tables)) return { version, tables, roots, isSchemaDamaged: true }
  }
  return { version: SCHEMA_VERSION, tables: tableLayouts(SCHEMA_VERSION), roots, isSchemaDamaged: true }
}

/** Returns the root pages from the file's schema, or from every page that may belong to the schema if its tree is damaged. */
function findRoots(file: PageFile, seen: Set<number>): Map<string, number> {
  const unreadable = { unreadablePages: 0, unreadableCells: 0 }
  const roots = new Map<string, number>()
  for (const cell of rowsOfTree(file, 1, 'table', seen, unreadable)) addRoot(roots, cell)
  if (unreadable.unreadablePages === 0) return roots
  for (const { kind, number, cells } of strayPages(file, seen)) {
    if (kind === 'table' && cells.filter(cell => addRoot(roots, cell)).length > 0) seen.add(number)
  }
  return roots
}

function addRoot(roots: Map<string, number>, { values }: RecordCell): boolean {
  const [type, name, table, root, sql] = values
  if (type !== 'table' && type !== 'index') return false
  const isRow = typeof name === 'string' && typeof table === 'string' && typeof root === 'bigint'
  if (!isRow || values.length !== 5 || !(sql === null || typeof sql === 'string')) return false
  if (!roots.has(name)) roots.set(name, Number(root))
  return true
}

/** Returns whether the record can belong to the table, based on the number and types of its values. */
export function canBelongTo({ columns, leastColumns }: TableLayout, { values }: RecordCell): boolean {
  if (values.length < leastColumns || values.length > columns.length) return false
  return columns.slice(0, values.length).every(({ type }, i) => fitsType(values[i] ?? null, type))
}

function fitsType(value: SqlValue, type: string): boolean {
  if (value === null || type === 'ANY') return true
  if (type === 'TEXT') return typeof value === 'string'
  if (type === 'INTEGER') return typeof value === 'bigint'
  // whole numbers are stored as integers
  if (type === 'REAL') return typeof value === 'number' || typeof value === 'bigint'
  return value instanceof Uint8Array
}

const TABLES =
  "SELECT name, wr, ncol FROM pragma_table_list WHERE schema='main' AND type='table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

interface TableRow {
  readonly name: string
  readonly wr: number
  readonly ncol: number
}

interface IndexRow {
  readonly name: string
  readonly isUnique: number
  readonly origin: string
}

interface InfoRow {
  readonly name: string
  readonly type: string
  readonly pk: number
}

function tableLayouts(version: number): TableLayout[] {
  const database = new DatabaseSync(':memory:')
  try {
    const all = <T>(sql: string, ...values: readonly string[]): T[] => database.prepare(sql).all(...values) as T[]
    const least = new Map<string, number>()
    // step by step, because a row is shorter if it was written before a column was added
    for (const step of STEPS.filter(each => each.version <= version)) {
      database.exec(step.sql)
      for (const { name, ncol } of all<TableRow>(TABLES)) least.set(name, least.get(name) ?? ncol)
    }
    return all<TableRow>(TABLES).map(({ name, wr, ncol }) => {
      const isRowid = wr === 0
      const info = all<InfoRow>('SELECT name, type, pk FROM pragma_table_info(?)', name)
      const keyed = info.filter(each => each.pk > 0)
      const indexes = all<IndexRow>('SELECT name, "unique" AS isUnique, origin FROM pragma_index_list(?)', name)
      const key = indexes.find(each => isRowid && each.isUnique === 1 && each.name === `${name}_key`)
      const columnsOf = (index: string): string[] =>
        all<{ name: string }>('SELECT name FROM pragma_index_info(?)', index).map(each => each.name)
      return {
        name,
        kind: isRowid ? 'table' : 'index',
        columns: isRowid ? info : keyFirst(info),
        leastColumns: least.get(name) ?? ncol,
        rowidColumn: isRowid && keyed.length === 1 && keyed[0]?.type === 'INTEGER' ? keyed[0].name : null,
        key: key ? { index: key.name, columns: columnsOf(key.name) } : null,
        // the primary key of a table without rowid is the table itself
        indexes: indexes.filter(each => isRowid || each.origin !== 'pk').map(each => each.name),
      }
    })
  } finally {
    database.close()
  }
}

function keyFirst(info: readonly InfoRow[]): InfoRow[] {
  const key = info.filter(each => each.pk > 0).sort((a, b) => a.pk - b.pk)
  return [...key, ...info.filter(each => each.pk === 0)]
}
