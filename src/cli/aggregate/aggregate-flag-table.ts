/** Finds the table that a query from flags reads, so that its columns can be named with or without their table. */
import { MACRO_TABLE, VALUE_MACROS } from '../../catalogue/query/macros.ts'
import { QUERY_TABLES, queryResource, SUMMARY_TABLES } from '../../catalogue/query-columns.ts'
import { usageError } from './aggregate-flag-columns.ts'

const CALL = /^\w+\s*\(([\s\S]*)\)$/
const LIST_WHERE = /\s+where\s[\s\S]*$/i

/**
 * Returns the table of the first column that names one, or else the only table that has all columns. If several tables have them, a
 * timeseries or value macro takes precedence. Otherwise, returns undefined, and every column must name its table. Throws ServiceError
 * `usage` if no table has all columns.
 */
export function tableFromColumns(columns: readonly string[]): string | undefined {
  const names = columns.map(parseColumn)
  const named = names.find(name => name.includes('.') && QUERY_TABLES.includes(columnHead(name)))
  if (named !== undefined) return columnHead(named)
  const known = names.filter(name => tablesWith(name).length > 0)
  const [first] = known
  if (first === undefined) return undefined
  const shared = tablesWith(first).filter(table => known.every(name => tablesWith(name).includes(table)))
  if (shared.length === 0)
    throw usageError(`No table has all of these columns: ${known.join(', ')}. A query reads one table.`)
  if (shared.length <= 1) return shared[0]
  if (shared.includes('timeseries')) return 'timeseries'
  return shared.includes(MACRO_TABLE) && names.some(isMacro) ? MACRO_TABLE : undefined
}

/** Returns the column in `mean(sleep.efficiency)` and `count(menstrual_flow where …)`. */
function parseColumn(text: string): string {
  const inner = CALL.exec(text.trim())?.[1]
  return inner === undefined ? text.trim().replace(LIST_WHERE, '') : parseColumn(inner)
}

/**
 * Returns the tables that have a column, a list, a macro or a resource of this name. Returns an empty list for a name that every table has.
 */
function tablesWith(name: string): readonly string[] {
  const head = columnHead(name)
  if (head.startsWith('source_')) return []
  const isBare = head === name
  const summaries = SUMMARY_TABLES.filter(
    table =>
      table.lists.some(list => list.name === head) ||
      (isBare && (table.columns.some(column => column.name === name) || (table.name === MACRO_TABLE && isMacro(name)))),
  )
  return [...(queryResource(head) ? ['timeseries'] : []), ...summaries.map(table => table.name)]
}

function isMacro(name: string): boolean {
  return VALUE_MACROS.some(macro => macro.name === name)
}

function columnHead(name: string): string {
  return name.split('.', 1)[0] ?? name
}
