/** Shows the numbers of a column as cells of a response. */
import type { ColumnType } from '../../../catalogue/query/column.ts'
import { formatDate, formatFloating, formatTimeOfDay } from '../../../core/time.ts'
import type { ResultType } from '../result.ts'
import type { TextPool } from '../scan/text-pool.ts'

export type Cell = string | number | boolean | null

/** Returns a value of a column, or of a result. NaN is null. */
export function cellOf(type: ColumnType | ResultType, value: number, pool: TextPool): Cell {
  if (Number.isNaN(value)) return null
  switch (type) {
    case 'text':
      return pool.text(value)
    case 'bool':
      return value === 1
    case 'time':
      return formatFloating(value)
    case 'date':
      return formatDate(value)
    case 'time_of_day':
      return formatTimeOfDay(value)
    default:
      // JSON has no infinity and no negative zero
      return Number.isFinite(value) ? value + 0 : null
  }
}
