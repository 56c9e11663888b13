/** One value of a document as the number that stands for it in a column. */
import type { ColumnType } from '../../../catalogue/query/column.ts'
import { type EpochMs, parseDate } from '../../../core/time.ts'
import type { TextPool } from './text-pool.ts'

/** NaN is null; a text is its id in the pool, a date its midnight. A value of another type than the column's is null. */
export function cellOf(type: ColumnType, raw: unknown, pool: TextPool): number {
  switch (type) {
    case 'text':
      return typeof raw === 'string' ? pool.id(raw) : Number.NaN
    case 'bool':
      return typeof raw === 'boolean' ? Number(raw) : Number.NaN
    case 'date':
      return typeof raw === 'string' ? dateCell(raw) : Number.NaN
    default:
      return typeof raw === 'number' ? numberCell(type, raw) : Number.NaN
  }
}

/** A number in a column of its type: whole in one of integers. What the column cannot hold is null. */
export function numberCell(type: ColumnType, value: number): number {
  if (type !== 'int') return Number.isFinite(value) ? value : Number.NaN
  const whole = Math.round(value)
  return Number.isSafeInteger(whole) ? whole : Number.NaN
}

/** Midnight of a calendar date as floating time, or NaN when the text is none. */
export function dateCell(text: string): EpochMs {
  return parseDate(text) ?? Number.NaN
}
