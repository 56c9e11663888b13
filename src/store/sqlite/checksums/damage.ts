/** How damage is told: where it is and what to do, and never what was read. */
import { ServiceError } from '../../../core/errors.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import { ChunkView, unpacked } from '../../chunk/view.ts'
import { RESULT, resultCode } from '../result-codes.ts'

/** What is damaged: `the summary sleep/ID`, `samples of heartrate on 2026-01-02`. Holds no value. */
export interface Place {
  readonly what: string
  readonly userId: string | null
}

/** What helps, whatever is damaged. */
export const DAMAGE_REMEDIES: readonly string[] = [
  '`svc engine check` lists all that is damaged.',
  '`svc engine snapshot restore NAME` brings back the state of a snapshot.',
  '`svc engine salvage --to DIR` copies everything that is sound into a new folder.',
]

export function damaged({ what, userId }: Place): ServiceError {
  const owner = userId === null ? '' : ` of user ${userId}`
  return new ServiceError('data_damaged', `Stored data are damaged: ${what}${owner}.`, { suggestions: DAMAGE_REMEDIES })
}

/** Throws ServiceError `data_damaged` where what was read last does not lie behind what was read before: a walk would never end. */
export function requireProgress(isFurther: boolean, what: string): void {
  if (!isFurther) throw damaged({ what: `the order of ${what}`, userId: null })
}

/** Whether a row stands behind another in the order of these columns. */
export function isBehind<Row extends object>(row: Row, before: Row, columns: readonly (keyof Row & string)[]): boolean {
  for (const name of columns) {
    const [a, b]: unknown[] = [row[name], before[name]]
    if (a === b) continue
    if (typeof a === 'number' && typeof b === 'number') return a > b
    // as SQLite compares texts
    return Buffer.compare(Buffer.from(`${a}`), Buffer.from(`${b}`)) > 0
  }
  return false
}

/** A stored JSON text. What a parser says of one that is damaged quotes it, and is dropped. */
export function storedJson<T>(text: string, place: () => Place): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw damaged(place())
  }
}

/** Runs what decodes a stored blob: whatever it throws is damage of this place. */
export function decoding<T>(decode: () => T, place: () => Place): T {
  try {
    return decode()
  } catch {
    throw damaged(place())
  }
}

/** The samples of a stored blob beside the chunks (an event's, or what an import found). Throws ServiceError `data_damaged`. */
export function samplesOf(blob: Uint8Array, place: () => Place): SampleColumns {
  // makes each column: what is wrong with one is seen here
  return decoding(() => unpacked(new ChunkView(blob)), place)
}

/** Whether what SQLite threw at a read says that what it read is damaged. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error)
  if (code === RESULT.corrupt || code === RESULT.notadb) return true
  if (!(error instanceof Error)) return false
  return DAMAGE_WORDS.some(words => error.message.startsWith(words)) || OTHER_COLUMNS.test(error.message)
}

/** Statements are ours and fit the schema: a table that they do not fit is not as it was made. */
const OTHER_COLUMNS = /^table \S+ has (no column named|\d+ columns but)/

/** Errors without a code of their own. What follows these words may be a value. */
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
