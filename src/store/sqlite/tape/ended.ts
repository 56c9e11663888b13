/** What a copy of the store keeps of a recording in progress: how far it had got, and nothing that was on the tape. */
import type { Connection } from '../connection.ts'

/** Must run inside a write on the copy. */
export function endRecordings(copy: Connection): void {
  copy.run('DELETE FROM recording_entry')
  copy.run('UPDATE recording SET alive_until=0')
}
