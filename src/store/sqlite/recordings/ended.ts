/** Ends recordings in a copy of the store. The copy contains a recording's progress, but none of its entries. */
import type { SqliteDatabase } from '../database.ts'

/** Ends the recording in progress. Must run inside a write on the copy. */
export function endRecordings(copy: SqliteDatabase): void {
  copy.run('DELETE FROM recording_entry')
  copy.run('UPDATE recording SET alive_until=0')
}
