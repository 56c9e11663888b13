/** The tables of a database from a file, and queries that read them by column name. */
import { type DescribedColumn, type DescribedTable, PAGE_ROWS } from './child.ts'

/** A table whose columns can be read. */
export interface Table {
  readonly name: string
  /** Columns that can be read: those that are stored. Generated columns are computed by the file's own expressions. */
  readonly columns: ReadonlySet<string>
  /** Columns that ascend when the table is read: the row number, or else the primary key. */
  readonly keys: readonly string[]
  /** The column that is another name of the row number; null if there is none. */
  readonly rowNumber: string | null
}

/** Returns a table from its description. */
export function toTable({ name, columns, hasRowid }: DescribedTable): Table {
  const stored = columns.filter(({ hidden }) => hidden === 0)
  const primary = stored.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  return {
    name,
    columns: new Set(stored.map(each => each.name)),
    keys: hasRowid ? ['rowid'] : primary.map(each => each.name),
    rowNumber: hasRowid ? rowNumberOf(primary) : null,
  }
}

function rowNumberOf(primary: readonly DescribedColumn[]): string | null {
  const [only, ...others] = primary
  return only !== undefined && others.length === 0 && only.type.toUpperCase() === 'INTEGER' ? only.name : null
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A table that rows refer to: by `key`, a column of theirs, which contains row numbers of the parent. */
export interface ParentOf {
  readonly table: Table
  readonly key: string
  readonly columns: readonly string[]
}

/** The SQL of a query, and the number of ascending columns at its start. The requested columns follow them. */
export interface TableQuery {
  readonly sql: string
  readonly keys: number
  /** Whether the query has a parameter, the least row number of a page. */
  readonly isPaged: boolean
}

/**
 * Returns the query for these columns of all rows, followed by those of each row's parent. A column that the table lacks is null. No index
 * is used, because a hostile one may contain other rows than its table.
 */
export function selectRows(table: Table, columns: readonly string[], parent?: ParentOf): TableQuery {
  const from = (alias: string, { columns: known }: Table, names: readonly string[]): string[] =>
    names.map(name => (known.has(name) || name === 'rowid' ? `${alias}.${quoted(name)}` : 'NULL'))
  const cells = [
    ...from('t', table, [...table.keys, ...columns]),
    ...(parent ? from('p', parent.table, parent.columns) : []),
  ]
  const join = parent
    ? ` LEFT JOIN ${quoted(parent.table.name)} AS p NOT INDEXED ON p.rowid = t.${quoted(parent.key)}`
    : ''
  const isPaged = table.keys[0] === 'rowid'
  const page = isPaged ? ` WHERE t.rowid >= ? ORDER BY t.rowid LIMIT ${PAGE_ROWS}` : ''
  return {
    sql: `SELECT ${cells.join(', ')} FROM ${quoted(table.name)} AS t NOT INDEXED${join}${page}`,
    keys: table.keys.length,
    isPaged,
  }
}

/** Returns the query for the number of rows. */
export function countRows({ name }: Table): TableQuery {
  return { sql: `SELECT count(*) FROM ${quoted(name)} NOT INDEXED`, keys: 0, isPaged: false }
}
