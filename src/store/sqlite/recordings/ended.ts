/** What a copy of the store keeps of a recording in progress: how far it had got, and none of its entries. */
import type { SqliteDatabase } from '../database.ts'

/** Must run inside a write on the copy. */
export function endRecordings(copy: SqliteDatabase): void {
  copy.run('DELETE FROM recording_entry')
  copy.run('UPDATE recording SET alive_until=0')
}
