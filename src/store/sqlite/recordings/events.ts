/** Records events that no entry causes (an endpoint test, or the end of the attempts to deliver) as separate entries. */
import { storedJson } from '../../logic/rows/damage.ts'
import { OUTBOX } from '../../logic/rows/tables.ts'
import { facts, many, one, query, type Steps } from '../../logic/steps.ts'
import { appendEntry } from './entries.ts'

const IN_PROGRESS = query<{ readonly recording_id: string }>(
  'SELECT recording_id FROM recording WHERE alive_until>=? LIMIT 1',
)
const EVENTS_AFTER = OUTBOX.query('WHERE user_id=? AND sequence>? ORDER BY sequence')

/**
 * Adds the events that were just written for a user to the recording in progress, if there is one, because later events are numbered after
 * them. Must run inside a write.
 */
export function* recordEvents(userId: string, after: number): Steps<void> {
  const { realNow } = yield* facts()
  const recording = yield* one(IN_PROGRESS, [realNow])
  if (!recording) return
  for (const row of yield* many(EVENTS_AFTER, [userId, after])) {
    const { team_id, type, at } = row
    if (row.document === null) continue
    const document = storedJson<object>(row.document, () => OUTBOX.damageLocation(row))
    const event = { user_id: userId, team_id, type, at, document }
    const line = { real: realNow, event }
    yield* appendEntry({ recordingId: recording.recording_id, line, upload: null, withTeams: false })
  }
}
