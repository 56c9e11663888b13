/** What a result column contains, in words: `Steps, sum`, with its unit. */
import { formatTitle, resultHeading, unitText } from '../../../catalogue/wording.ts'
import { expressionKey, fields, type NamedColumn, type NamedColumns } from './query-model.ts'

export interface ColumnTexts {
  readonly title: string
  /** Empty if there is none. */
  readonly unit: string
}

/** A selected column with its function, which is empty for the column itself. */
interface Selected {
  readonly func: string
  readonly column: NamedColumn
  /** Name of the column without its table. */
  readonly short: string
}

/** Returns what a result column is of; null if the query (as JSON) does not name it. It decides the names (docs/aggregate.md#column-names). */
export function selectedOf(name: string, query: unknown, columns: NamedColumns): Selected | null {
  const { select } = fields(query)
  for (const item of Array.isArray(select) ? select : []) {
    const { func = '', arg, ...plain } = fields(item)
    const key = expressionKey(func === '' ? plain : fields(arg))
    const column = [...columns.values()].find(({ expression }) => expressionKey(expression) === key)
    if (column === undefined) continue
    const { table, expression } = column
    const short =
      'index' in expression ? 'index' : column.name.replace(table === 'timeseries' ? /\.value$/ : `${table}.`, '')
    if ((func === '' ? [short] : [func, `${func}.${short}`]).includes(name)) return { func: `${func}`, column, short }
  }
  return null
}

/** Returns the title and the unit of a result column. */
export function columnTexts(name: string, query: unknown, columns: NamedColumns): ColumnTexts {
  const selected = selectedOf(name, query, columns)
  if (selected === null) return { title: formatTitle(resultHeading(name, query).replaceAll('.', ' ')), unit: '' }
  const { func, column, short } = selected
  const subject = short !== 'index' ? short : func === '' ? 'time' : column.table
  return {
    title: [formatTitle(subject.replaceAll('.', ' ')), func].filter(Boolean).join(', '),
    unit: func === 'count' ? '' : unitText(column.unit ?? ''),
  }
}
