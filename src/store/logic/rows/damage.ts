/** Reports damage: where it is and what to do, but never the damaged values. */
import { ServiceError } from '../../../core/errors.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import { buildColumns, ChunkView } from '../../chunk/view.ts'

/** Description of the damaged object, such as `the summary sleep/ID` or `samples of heartrate on 2026-01-02`. Contains no values. */
export interface DamageLocation {
  readonly what: string
  readonly userId: string | null
}

/** Suggestions for all kinds of damage. */
export const DAMAGE_REMEDIES: readonly string[] = [
  'To list everything that is damaged, run: svc engine check',
  'To return to an earlier state, restore a snapshot (svc engine snapshot restore NAME), or a backup of the PostgreSQL database.',
  'To copy everything that is intact in a data folder into a new one, run: svc engine salvage --to DIR',
]

export function damaged({ what, userId }: DamageLocation): ServiceError {
  const owner = userId === null ? '' : ` of user ${userId}`
  return new ServiceError('data_damaged', `Stored data is damaged: ${what}${owner}.`, { suggestions: DAMAGE_REMEDIES })
}

/** Returns whether an error reports damaged data. */
export function isDamageError(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'data_damaged'
}

/**
 * Throws ServiceError `data_damaged` if the last row that was read does not come after the previous one, because the traversal would never
 * end.
 */
export function requireProgress(isFurther: boolean, what: string): void {
  if (!isFurther) throw damaged({ what: `the order of ${what}`, userId: null })
}

/** Returns whether a row comes after another one in the order of these columns. */
export function isBehind<Row extends object>(row: Row, before: Row, columns: readonly (keyof Row & string)[]): boolean {
  for (const name of columns) {
    const [a, b]: unknown[] = [row[name], before[name]]
    if (a === b) continue
    if (typeof a === 'number' && typeof b === 'number') return a > b
    // compare texts in the same way as the database
    return Buffer.compare(Buffer.from(`${a}`), Buffer.from(`${b}`)) > 0
  }
  return false
}

/** Parses stored JSON text. The parser's error message is dropped, because it quotes the text. */
export function storedJson<T>(text: string, location: () => DamageLocation): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw damaged(location())
  }
}

/** Decodes a stored blob. Any error counts as damage at this position. */
export function decoding<T>(decode: () => T, location: () => DamageLocation): T {
  try {
    return decode()
  } catch {
    throw damaged(location())
  }
}

/**
 * Returns the samples in a stored blob outside the chunks: the blob of an event, or of data that an import replaced. Throws ServiceError
 * `data_damaged`.
 */
export function unpackSamples(blob: Uint8Array, location: () => DamageLocation): SampleColumns {
  // build every column, so that a fault in any of them is found here
  return decoding(() => buildColumns(new ChunkView(blob)), location)
}
