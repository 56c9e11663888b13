/** Determines from the whole file how dates and numbers are written in a mapped file, and whether it is about one person. */
import { DateOrderEvidence } from '../csv/date.ts'
import { DecimalEvidence, type Decimals } from '../csv/number.ts'
import { firstPass } from '../first-pass.ts'
import type { DateOrder, DateOrderChoice } from '../importer.ts'
import { PeopleEvidence, type RowIdentity } from './people.ts'

/** The people that a row may be about, and the texts in it that are times or numbers. */
export interface RowTexts {
  /** Null for a row that is not selected. Such a row is not stored, and only shows how the file is written. */
  readonly identity: RowIdentity | null
  readonly times: readonly string[]
  readonly numbers: readonly string[]
  /** The row's position: `line 12`, `entry 3`. */
  readonly position: string
}

/**
 * How a file can write numbers. `shown`: only the numbers show the decimal separator. `shown comma`: the numbers are plain unless they show
 * a decimal comma, which is in quotes if a comma also separates the columns. `plain`: they are JSON numbers.
 */
export type NumberForm = 'shown' | 'shown comma' | 'plain'

export interface Conventions {
  readonly order: DateOrder
  /** The reason for the date order; null if another order would give the same dates. */
  readonly choice: DateOrderChoice | null
  readonly decimals: Decimals
}

/**
 * Reads a file's rows in a separate pass, a few at a time. `given` is the caller's date order. Throws the errors of `PeopleEvidence.check`
 * and `DateOrderEvidence.settle`.
 */
export async function settledConventions(
  rows: AsyncIterable<readonly RowTexts[]>,
  given: DateOrder | null,
  form: NumberForm,
): Promise<Conventions> {
  const dates = new DateOrderEvidence()
  const numbers = new DecimalEvidence()
  const people = new PeopleEvidence()
  await firstPass(async () => {
    for await (const some of rows) {
      for (const row of some) {
        if (row.identity !== null) people.see(row.identity, row.position)
        for (const text of row.times) dates.see(text, row.position)
        for (const text of row.numbers) numbers.see(text)
      }
    }
  })
  people.check()
  const choice = dates.settle(given)
  return { order: choice?.order ?? given ?? 'dmy', choice, decimals: decimalConvention(form, numbers.settle()) }
}

function decimalConvention(form: NumberForm, shown: Decimals): Decimals {
  return form === 'shown' || (form === 'shown comma' && shown === 'comma') ? shown : 'plain'
}
