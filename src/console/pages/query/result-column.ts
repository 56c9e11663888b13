/** What a result column contains, in words: `Steps, sum`, with its unit. Also, which of its numbers `svc why` can explain. */
import { formatTitle, resultHeading, unitText } from '../../../catalogue/wording.ts'
import { fieldsOf } from '../../api/body.ts'
import { DAY, floatingDate } from '../../parts/floating.ts'
import type { Question } from '../data/why/why-dialog.tsx'
import { expressionKey, type NamedColumn, type NamedColumns } from './query-model.ts'
import { type Cell, cellTime, groupOf } from './result-cell.tsx'

interface ColumnTexts {
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
function selectedOf(name: string, query: unknown, columns: NamedColumns): Selected | null {
  const { select } = fieldsOf(query)
  for (const item of Array.isArray(select) ? select : []) {
    const { func = '', arg, ...plain } = fieldsOf(item)
    const key = expressionKey(func === '' ? plain : fieldsOf(arg))
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

/** Parts of a query that do not change what a number is, or that a question has too. */
const ASKABLE = ['select', 'group_by', 'where', 'merge', 'mixed_kinds', 'timeframe']

/** Returns the question for a number in a column of a result, in the row with a time; null if it cannot be asked. */
export type AskWhy = (name: string, time: Cell, shown: Cell) => Question | null

/** Returns what asks about the numbers of a query (as JSON); null if none of them can be explained. */
export function askWhy(query: unknown, columns: NamedColumns): AskWhy | null {
  const { group_by: groups, where, merge, mixed_kinds: mixedKinds, ...rest } = fieldsOf(query)
  const group = groupOf('group_key.0', query)
  const hasOther = Object.keys(rest).some(part => !ASKABLE.includes(part) && rest[part] != null)
  if (hasOther || !Array.isArray(groups) || groups.length !== 1 || group?.kind !== 'period' || group.value !== 1)
    return null
  if (!(group.unit in PERIODS) || mixedKinds === 'split' || typeof (where ?? '') !== 'string') return null
  return (name, time, shown) => {
    const { func, column } = selectedOf(name, query, columns) ?? {}
    const at = cellTime(time)
    if (!func || !column || 'index' in column.expression || typeof shown !== 'number' || Number.isNaN(at)) return null
    const period = PERIODS[group.unit]?.(at) ?? ''
    return {
      ...{ func, column: column.name, period, shown, of: `${func}(${column.name}), ${period}` },
      // the types that the service accepts, as it did for the query
      ...({
        where: where ?? undefined,
        merge: merge ?? undefined,
        mixedKinds: mixedKinds ?? undefined,
      } as Partial<Question>),
    }
  }
}

/** Returns the period that begins at a floating time, by unit. */
const PERIODS: Readonly<Record<string, (at: number) => string>> = {
  day: floatingDate,
  week: weekText,
  month: at => floatingDate(at).slice(0, 7),
  year: at => floatingDate(at).slice(0, 4),
}

/** Returns the ISO week that begins on a Monday: the week belongs to the year of its Thursday. */
function weekText(monday: number): string {
  const thursday = monday + 3 * DAY
  const year = floatingDate(thursday).slice(0, 4)
  const week = Math.floor((thursday - Date.parse(`${year}-01-01`) / 1_000) / (7 * DAY)) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}
