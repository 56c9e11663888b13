/** What a copy of the store keeps of a recording that was on: how far it was, and nothing that was on the tape. */
import type { Connection } from '../connection.ts'

/** Inside a write on the copy. */
export function endRecordings(copy: Connection): void {
  copy.run('DELETE FROM recording_entry')
  copy.run('UPDATE recording SET alive_until=0')
}
