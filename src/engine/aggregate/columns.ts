/** Lists the tables, columns and functions for aggregate queries. See docs/interface/aggregates.md. */
import { VALUE_MACROS } from '../../catalogue/query/macros.ts'
import { LISTED_TABLES, type ListedColumn, listedColumns } from '../../catalogue/query-columns.ts'
import { AGGREGATE_FUNCTIONS, DATE_PARTS, PERIOD_UNITS } from '../../catalogue/query-functions.ts'
import { type Handler, ok } from '../context.ts'

export const listQueryColumns: Handler<'aggregate.columns'> = async () =>
  ok({
    tables: LISTED_TABLES.map(({ table, meaning, indexMeaning }) => {
      const columns = listedColumns(table)
      const lists = columns.filter(({ type }) => type === 'list').map(({ column }) => `${column}.`)
      return {
        table,
        meaning,
        index_meaning: indexMeaning,
        columns: columns.map(each => ({
          column: each.column,
          type: each.type,
          meaning: each.meaning,
          unit: each.unit,
          expression:
            each.type === 'list' || lists.some(list => each.column.startsWith(list)) ? null : columnExpression(each),
        })),
      }
    }),
    functions: AGGREGATE_FUNCTIONS.map(({ name, meaning, takes }) => ({ name, meaning, takes: [...takes] })),
    period_units: [...PERIOD_UNITS],
    date_parts: [...DATE_PARTS],
  })

/** Returns the JSON for a column in a query. */
function columnExpression({ table, column }: ListedColumn): Record<string, string> {
  if (column === 'index') return { index: table }
  if (VALUE_MACROS.some(({ name }) => name === column)) return { value_macro: column, version: 'automatic' }
  if (table !== 'timeseries') return { [table]: column }
  const dot = column.indexOf('.')
  return { timeseries: column.slice(0, dot), field: column.slice(dot + 1) }
}
