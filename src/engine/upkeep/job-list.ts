/** Lists the jobs of a team's users page by page, earliest first. */
import type { UserId } from '../../core/ids.ts'
import { formatInstant } from '../../core/time.ts'
import type { JobPosition, ListedJob } from '../../store/upkeep.ts'
import { type Handler, ok } from '../context.ts'
import { seal, unseal } from '../sealed-cursor.ts'

/** Size of a cursor's state: the due time, and the user and job name as text padded with zeros. */
const STATE_BYTES = 8 + 36 + 128

export const listJobs: Handler<'job.list'> = async (engine, { query }, call) => {
  const { teamId } = call.team
  const kind = query.kind ?? null
  const pagination = ['jobs', teamId, kind]
  const key = engine.masterKey()
  const after = query.next_cursor
    ? decodePosition(unseal(key, pagination, query.next_cursor, STATE_BYTES, 'list of jobs'))
    : null
  const found = await engine.store.jobs.list(teamId, { kind, after, limit: query.limit + 1 })
  const shown = found.slice(0, query.limit)
  const last = shown.at(-1)
  return ok({
    jobs: shown.map(job => ({
      kind: job.kind,
      user_id: job.userId,
      client_user_id: job.clientUserId,
      subject: job.subject,
      due_at: job.dueAt === 0 ? null : formatInstant(job.dueAt),
      is_due: job.dueAt <= call.now,
    })),
    next_cursor: last && found.length > shown.length ? seal(key, pagination, encodePosition(last)) : null,
  })
}

function encodePosition({ dueAt, userId, kind, subject }: ListedJob): Buffer {
  const state = Buffer.alloc(STATE_BYTES)
  state.writeDoubleBE(dueAt, 0)
  state.write(userId, 8)
  state.write(subject === null ? kind : `${kind}:${subject}`, 8 + 36)
  return state
}

function decodePosition(state: Buffer): JobPosition {
  const [name = ''] = state.toString('utf8', 8 + 36).split('\0')
  // the cursor is genuine, so this was written by stateOf
  return { dueAt: state.readDoubleBE(0), userId: state.toString('utf8', 8, 8 + 36) as UserId, name }
}
