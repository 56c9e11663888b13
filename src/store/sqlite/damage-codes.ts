/** Determines which SQLite errors mean that the data is damaged. */
import { RESULT, resultCode } from './result-codes.ts'

/** Returns whether an error that SQLite threw during a read means that the data is damaged. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error)
  if (code === RESULT.corrupt || code === RESULT.notadb) return true
  if (!(error instanceof Error)) return false
  return DAMAGE_WORDS.some(words => error.message.startsWith(words)) || OTHER_COLUMNS.test(error.message)
}

/** Matches errors about columns. Our statements match the schema, so if one does not match a table, the table is damaged. */
const OTHER_COLUMNS = /^table \S+ has (no column named|\d+ columns but)/

/** Messages of errors that have no code of their own. The text after these words may be a value. */
const DAMAGE_WORDS: readonly string[] = [
  'no such table',
  'no such column',
  'no such index',
  'Value is too large to be represented as a JavaScript number',
  'malformed JSON',
  'JSON cannot hold BLOB values',
  'integer overflow',
  'ON CONFLICT clause does not match',
  'ambiguous column name',
  'cannot store ',
  'foreign key mismatch',
  'no query solution',
]
