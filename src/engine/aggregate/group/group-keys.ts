/**
 * Reads the group keys of a block's rows, and determines how long a key stays the same. Indexed reads are unchecked (`as number`) because
 * the loops are hot and the indices are always in range.
 */
import type { DatePart, PeriodUnit } from '../../../catalogue/query-functions.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'
import { buckets, datePart, type Window } from '../plan/calendar.ts'
import type { GroupKey } from '../plan/keys.ts'
import type { Block } from '../scan/block.ts'

export interface BlockKey {
  /** Returns the key of a row whose floating time is `at`. NaN means null. */
  of(row: number, at: EpochMs): number
  /** Returns the exclusive end of the time in which the key at `at` stays the same, or null if the key depends on more than time. */
  readonly until: ((at: EpochMs) => EpochMs) | null
}

export type KeyReader = (block: Block) => BlockKey

/** Returns the reader that reads a key from one query's blocks. */
export function keyReader(key: GroupKey, window: Window): KeyReader {
  if (key.kind === 'column') {
    return block => {
      const constant = block.constant?.(key.ref)
      if (constant !== undefined) return { of: () => constant, until: () => Number.POSITIVE_INFINITY }
      const column = block.column(key.ref)
      return { of: row => column[row] as number, until: null }
    }
  }
  const of = key.kind === 'trunc' ? buckets(key.span, window) : datePart(key.part)
  const step = keyStepMs(key)
  // steps counted from 1970 still align with bucket boundaries, because each step divides a day evenly
  const reader: BlockKey = { of: (_row, at) => of(at), until: at => (Math.floor(at / step) + 1) * step }
  return () => reader
}

/** Returns the shortest interval at which a key of time can change, at most a day. Returns a day for other keys. */
export function keyStepMs(key: GroupKey): number {
  if (key.kind === 'column') return DAY_MS
  return STEP_MS[key.kind === 'trunc' ? key.span.unit : key.part]
}

/**
 * The shortest interval at which a key can change. Buckets of any number of units start and end at whole units. Weeks, months, years and
 * their parts start at midnight.
 */
const STEP_MS: Readonly<Record<DatePart | PeriodUnit, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: DAY_MS,
  month: DAY_MS,
  year: DAY_MS,
  weekday: DAY_MS,
  week_of_year: DAY_MS,
  day_of_year: DAY_MS,
}
