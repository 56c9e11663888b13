/** Events that no entry on the tape causes (a test of an endpoint, the end of the attempts to deliver): they are put on it themselves. */
import type { UserId } from '../../../core/ids.ts'
import { storedJson } from '../checksums/damage.ts'
import { OUTBOX } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { appendEntry, isTaping } from './entries.ts'

/**
 * Must run inside a write, after events of a user were written. If a recording is in progress and the change is not on the tape, the events
 * are put on it, because those that follow are numbered after them.
 */
export function tapeEvents(db: Connection, userId: UserId, after: number): void {
  if (isTaping(db)) return
  const recording = db.get<{ recording_id: string }>(
    'SELECT recording_id FROM recording WHERE alive_until>=? LIMIT 1',
    db.realNow(),
  )
  if (!recording) return
  for (const row of OUTBOX.all(db, 'WHERE user_id=? AND sequence>? ORDER BY sequence', userId, after)) {
    const { team_id, type, at } = row
    if (row.document === null) continue
    const document = storedJson<object>(row.document, () => OUTBOX.placeOf(row))
    const event = { user_id: userId, team_id, type, at, document }
    const line = { real: db.realNow(), event }
    appendEntry(db, { recordingId: recording.recording_id, line, upload: null, withTeams: false })
  }
}
