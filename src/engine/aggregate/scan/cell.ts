/** Converts a value from a document to the number that represents it in a column. */
import type { ColumnType } from '../../../catalogue/query/column.ts'
import { type EpochMs, parseDate } from '../../../core/time.ts'
import type { TextPool } from './text-pool.ts'

/**
 * Returns the number for a value: a text's ID in the pool, a date's midnight, or NaN for null. A value whose type is not the column's type
 * becomes null.
 */
export function encodeCell(type: ColumnType, raw: unknown, pool: TextPool): number {
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

/** Returns a number as its column stores it, rounded for an integer column. A number that does not fit into the column becomes null. */
export function numberCell(type: ColumnType, value: number): number {
  if (type !== 'int') return Number.isFinite(value) ? value : Number.NaN
  const whole = Math.round(value)
  return Number.isSafeInteger(whole) ? whole : Number.NaN
}

/** Returns midnight of a calendar date as a floating time, or NaN if the text is not a date. */
export function dateCell(text: string): EpochMs {
  return parseDate(text) ?? Number.NaN
}
