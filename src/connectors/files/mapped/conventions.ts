/** How a mapped file writes dates and numbers: looked for in the whole file, where one row leaves it open. */
import { ServiceError } from '../../../core/errors.ts'
import { DateOrderEvidence, needsDateOrder } from '../csv/date.ts'
import { DecimalEvidence, type Decimals } from '../csv/number.ts'
import type { DateOrder } from '../importer.ts'

/** The texts of a row that are times and numbers. */
export interface RowTexts {
  readonly times: readonly string[]
  readonly numbers: readonly string[]
  /** `line 12`, `entry 3`. */
  readonly place: string
}

export interface Conventions {
  /** Null where the dates need none and nobody gives one. */
  readonly order: DateOrder | null
  readonly decimals: Decimals
}

/** Where none of so many rows has a date that needs an order, none is looked for. */
const TRIED_ROWS = 1000

/**
 * Reads the rows of a file, a pass of its own. `given`: the order that the caller says; `decimals`: what stands before the
 * decimals where that is known, null where the numbers have to tell. Throws what `DateOrderEvidence.settle` throws.
 */
export async function settledConventions(
  rows: AsyncIterable<RowTexts>,
  given: DateOrder | null,
  decimals: Decimals | null,
): Promise<Conventions> {
  const dates = new DateOrderEvidence()
  const numbers = new DecimalEvidence()
  let needsOrder = false
  let tried = 0
  try {
    for await (const row of rows) {
      needsOrder ||= row.times.some(needsDateOrder)
      if (!needsOrder && decimals !== null && ++tried === TRIED_ROWS) break
      for (const text of row.times) dates.see(text, row.place)
      for (const text of row.numbers) numbers.see(text)
    }
  } catch (error) {
    // a damaged file is read to its damage again, and that says what is wrong with it
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
  }
  return { order: needsOrder ? dates.settle(given) : given, decimals: decimals ?? numbers.settle() }
}
