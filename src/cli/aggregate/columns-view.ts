/** Shows the queryable tables, or the columns of one table. */
import {
  LISTED_TABLES,
  type ListedColumn,
  type ListedTable,
  listedColumns,
  QUERY_RESOURCES,
  queryResource,
} from '../../catalogue/query-columns.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { fields, type View, view } from '../../output/view.ts'

/** Returns the tables with their descriptions. */
export function tablesView(): { readonly body: unknown; readonly view: View<TableLine> } {
  const rows = LISTED_TABLES.map(
    (listed: ListedTable): TableLine => ({
      table: listed.table,
      meaning: listed.meaning,
      index: listed.indexMeaning,
      columns: listedColumns(listed.table).length,
    }),
  )
  return { body: { tables: rows }, view: view(rows, fields<TableLine>('table', 'meaning', 'index', 'columns')) }
}

export interface TableLine {
  readonly table: string
  readonly meaning: string
  /** Meaning of the index. */
  readonly index: string
  readonly columns: number
}

/**
 * Returns the columns of a table, or of one resource of the timeseries table. Throws a ServiceError `usage` that suggests the nearest
 * names.
 */
export function columnsView(name: string): { readonly body: unknown; readonly view: View<ListedColumn> } {
  const rows = listColumns(name)
  const columns = fields<ListedColumn>('column', 'type', 'unit', 'meaning')
  return { body: { table: rows[0]?.table ?? name, columns: rows }, view: view(rows, columns) }
}

function listColumns(name: string): readonly ListedColumn[] {
  const own = listedColumns(name)
  if (own.length > 0) return own
  const resource = queryResource(name)
  if (resource) {
    const prefix = `${resource.queryName}.`
    return listedColumns('timeseries').filter(({ column }) => column === 'index' || column.startsWith(prefix))
  }
  const tables = LISTED_TABLES.map(({ table }) => table)
  const known = [...tables, ...QUERY_RESOURCES.map(each => each.queryName)]
  throw new ServiceError('usage', `There is no table "${name}".${didYouMean(name, known)}`, {
    suggestions: [`Tables: ${tables.join(', ')}. Use a timeseries resource such as glucose to list its fields.`],
  })
}
