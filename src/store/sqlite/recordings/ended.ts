/** The part of a recording in progress that a copy of the store keeps: its progress, but none of its entries. */
import type { SqliteDatabase } from '../database.ts'

/** Must run inside a write on the copy. */
export function endRecordings(copy: SqliteDatabase): void {
  copy.run('DELETE FROM recording_entry')
  copy.run('UPDATE recording SET alive_until=0')
}
