/** Compares a row that was found with its checksums. */
import { blobChecksum } from '../../logic/rows/chunk-data.ts'
import { CHECKED_ROWS } from '../../logic/rows/tables.ts'
import type { SqlValue } from '../../logic/steps.ts'
import type { FoundRow } from './record.ts'

/**
 * The result of a comparison. `missing` means that part of the row has no checksum, because it was written before checksums existed, so
 * that only the row's content can be checked.
 */
export type ChecksumState = 'matches' | 'differs' | 'missing'

/** Returns the result of comparing a row with its checksums. */
export function checksumState(table: string, row: FoundRow): ChecksumState {
  const sums = CHECKED_ROWS.filter(each => each.table === table).map(each => ({
    kept: row[each.checksum] ?? null,
    own: (): number => each.computeChecksum(row),
  }))
  if (table === 'chunk') sums.push({ kept: row['data_checksum'] ?? null, own: () => blobSum(row) })
  if (sums.some(({ kept, own }) => kept !== null && kept !== own())) return 'differs'
  return sums.length > 0 && sums.every(({ kept }) => kept !== null) ? 'matches' : 'missing'
}

/** Returns whether rows of the table are written with a checksum. */
export function hasChecksum(table: string): boolean {
  return CHECKED_ROWS.some(each => each.table === table)
}

function blobSum(row: FoundRow): number {
  const { user_id: userId, series_id: seriesId, chunk_start: start, data } = row
  const isWhole = typeof userId === 'string' && isNumber(seriesId) && isNumber(start) && data instanceof Uint8Array
  return isWhole ? blobChecksum(userId, seriesId, start, data) : Number.NaN
}

function isNumber(value: SqlValue | undefined): value is number {
  return typeof value === 'number'
}
