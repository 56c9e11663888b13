/** Which numbers of a result `svc why` can explain: those of a day, a week, a month or a year. */
import { DAY, floatingDate } from '../../parts/floating.ts'
import type { Question } from '../data/why/why-dialog.tsx'
import { fields, type NamedColumns } from './query-model.ts'
import { type Cell, cellTime, groupOf } from './result-cell.tsx'
import { selectedOf } from './result-column.ts'

/** Parts of a query that do not change what a number is, or that a question has too. */
const ASKABLE = ['select', 'group_by', 'where', 'merge', 'mixed_kinds', 'timeframe']

/** Returns the question for a number in a column of a result, in the row with a time; null if it cannot be asked. */
export type AskWhy = (name: string, time: Cell, shown: Cell) => Question | null

/** Returns what asks about the numbers of a query (as JSON); null if none of them can be explained. */
export function askWhy(query: unknown, columns: NamedColumns): AskWhy | null {
  const { group_by: groups, where, merge, mixed_kinds: mixedKinds, ...rest } = fields(query)
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
