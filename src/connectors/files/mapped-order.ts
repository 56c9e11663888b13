/** The order of day and month in a mapped file: looked for in the whole file, where its dates leave it open. */
import { ServiceError } from '../../core/errors.ts'
import { DateOrderEvidence, needsDateOrder } from './csv-date.ts'
import type { DateOrder } from './importer.ts'

/** The texts of a row that are times. */
export interface RowTimes {
  readonly texts: readonly string[]
  readonly line: number
}

/** Where none of so many rows has a date that needs an order, none is looked for. */
const TRIED_ROWS = 1000

/**
 * Reads the rows of a file, a pass of its own, for the order of their dates; null where they need none and nobody gives one.
 * Throws what `DateOrderEvidence.settle` throws.
 */
export async function settledOrder(rows: AsyncIterable<RowTimes>, given: DateOrder | null): Promise<DateOrder | null> {
  const evidence = new DateOrderEvidence()
  let isNeeded = false
  let tried = 0
  try {
    for await (const { texts, line } of rows) {
      isNeeded ||= texts.some(needsDateOrder)
      if (!isNeeded && ++tried === TRIED_ROWS) break
      for (const text of texts) evidence.see(text, line)
    }
  } catch (error) {
    // a damaged file is read to its damage again, and that says what is wrong with it
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
  }
  return isNeeded ? evidence.settle(given) : given
}
