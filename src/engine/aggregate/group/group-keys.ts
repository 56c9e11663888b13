/** Reads the group keys of a block's rows, and says how long a key stays as it is. */
import type { DatePart, PeriodUnit } from '../../../catalogue/query-functions.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'
import { buckets, datePart, type Window } from '../plan/calendar.ts'
import type { GroupKey } from '../plan/keys.ts'
import type { Block } from '../scan/block.ts'

export interface BlockKey {
  /** The key of a row whose floating time is `at`; NaN is null. */
  of(row: number, at: EpochMs): number
  /** The key is the same for all times from `at` up to this one (exclusive); null where it depends on more than time. */
  readonly until: ((at: EpochMs) => EpochMs) | null
}

export type KeyReader = (block: Block) => BlockKey

/** The reader of a key, for the blocks of one query. */
export function keyOf(key: GroupKey, window: Window): KeyReader {
  if (key.kind === 'column') {
    return block => {
      const constant = block.constant?.(key.ref)
      if (constant !== undefined) return { of: () => constant, until: () => Number.POSITIVE_INFINITY }
      const column = block.column(key.ref)
      return { of: row => column[row] as number, until: null }
    }
  }
  const of = key.kind === 'trunc' ? buckets(key.span, window) : datePart(key.part)
  const step = STEP_MS[key.kind === 'trunc' ? key.span.unit : key.part]
  // steps count from 1970 as buckets do: each is a whole part of a day
  const reader: BlockKey = { of: (_row, at) => of(at), until: at => (Math.floor(at / step) + 1) * step }
  return () => reader
}

/** Buckets of any number of units begin and end at whole ones; a week, month and year at a midnight, and so do their parts. */
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
