/** Declares sessions the same or different, and undoes that. See docs/interface/merging.md#merging-16. */
import { SLEEP } from '../../catalogue/query/sleep.ts'
import { WORKOUT } from '../../catalogue/query/workout.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { formatCount } from '../../core/text.ts'
import { DAY_MS, formatInstant } from '../../core/time.ts'
import type { StoredSummary } from '../../store/sample.ts'
import { MOST_SESSION_MATCHES, SESSION_KINDS, type SessionKind, type SessionMatch } from '../../store/session-match.ts'
import type { UserRecord } from '../../store/user.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { hasEnds, storedSession, usableEnds } from './merge/sessions/session.ts'
import { sessionRules } from './merge/sessions/session-blocks.ts'

type Correction = ReplyBody<Operations['aggregate.correct']>

const TABLES = { sleep: SLEEP, workouts: WORKOUT } as const
/** Sessions that are further apart are not read together by every query that reads one of them. */
const MOST_APART_MS = DAY_MS

const LISTED = ['`svc aggregate corrections USER` lists the corrections.']

export const listCorrections: Handler<'aggregate.corrections'> = async (engine, { params, query }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const corrections: Correction[] = []
  for (const match of await engine.store.sessionMatches.list(user.userId)) {
    const { kind, firstId, secondId } = match
    if (query.table !== undefined && TABLES[kind].name !== query.table) continue
    const [first, second] = [
      await engine.store.summaries.find(user.userId, kind, firstId),
      await engine.store.summaries.find(user.userId, kind, secondId),
    ]
    corrections.push(correctionView(match, [first, second]))
  }
  return ok({ corrections })
}

export const correctSessions: Handler<'aggregate.correct'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const { session_id, other_session_id } = params
  if (session_id === other_session_id) throw refuseOther('must be the ID of another session')
  const session = await requireSession(engine, user.userId, session_id, 'first')
  const other = await requireSession(engine, user.userId, other_session_id, 'second')
  if (session.kind !== other.kind) {
    throw refuseOther(`is in the ${nameOf(other)} table, but the first session is in the ${nameOf(session)} table`)
  }
  const isSame = body.verdict === 'same'
  if (isSame) checkTimes(session, other, user)
  const sessions = session.id < other.id ? ([session, other] as const) : ([other, session] as const)
  const [{ id: firstId }, { id: secondId }] = sessions
  const match = { kind: session.kind as SessionKind, firstId, secondId, isSame, declaredAt: call.now }
  return call.settle(
    () => engine.store.sessionMatches.declare(user.userId, match),
    outcome => {
      if (outcome.kind === 'declared') return ok(correctionView(outcome.match, sessions))
      if (outcome.kind === 'full') throw tooManyCorrections()
      const opposite = isSame ? 'different' : 'the same'
      throw new ServiceError('conflict', `Together, other corrections say that these sessions are ${opposite}.`, {
        suggestions: ['Undo one of them first.', ...LISTED],
      })
    },
  )
}

export const undoCorrection: Handler<'aggregate.undo_correction'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const [firstId, secondId] = [params.session_id, params.other_session_id].sort() as [string, string]
  if (await engine.store.sessionMatches.remove(user.userId, { firstId, secondId })) return ok({ success: true })
  throw new ServiceError('not_found', 'There is no correction of these two sessions.', { suggestions: LISTED })
}

async function requireSession(
  { store }: EngineContext,
  userId: UserId,
  id: string,
  which: string,
): Promise<StoredSummary> {
  for (const kind of SESSION_KINDS) {
    const found = await store.summaries.find(userId, kind, id)
    if (found) return found
  }
  throw new ServiceError('not_found', `The ${which} ID is not the ID of a night or workout of this user.`, {
    suggestions: [
      '`svc aggregate conflicts USER --json` and `svc aggregate explain` show the IDs of sessions.',
      '`svc summary get USER sleep --start DATE` and `svc summary get USER workouts --start DATE` list all of them.',
    ],
  })
}

/** Throws a 422 if a merge could not join two sessions in every query that reads one of them. */
function checkTimes(session: StoredSummary, other: StoredSummary, { fallbackTimeZone }: UserRecord): void {
  const { ends } = sessionRules(TABLES[session.kind as SessionKind])
  const zone = fallbackTimeZone?.value ?? 'UTC'
  const [a, b] = [usableEnds(session, ends, zone), usableEnds(other, ends, zone)]
  if (!hasEnds(a) || !hasEnds(b)) {
    const which = hasEnds(a) ? 'other_session_id' : 'session_id'
    const msg =
      'does not end after its start, or is longer than 24 hours, so that it cannot be the same as another session'
    throw invalid([{ loc: ['path', which], msg, type: 'value_error' }])
  }
  if (Math.max(a.start, b.start) - Math.min(a.end, b.end) > MOST_APART_MS)
    throw refuseOther('is more than 24 hours away from the first session, so that it cannot be the same')
}

function refuseOther(msg: string): ServiceError {
  return invalid([{ loc: ['path', 'other_session_id'], msg, type: 'value_error' }])
}

function tooManyCorrections(): ServiceError {
  const limit = formatCount(MOST_SESSION_MATCHES)
  return new ServiceError('conflict', `This user already has ${limit} corrections, which is the limit.`, {
    suggestions: ['Undo corrections that are no longer needed.', ...LISTED],
  })
}

const nameOf = ({ kind }: StoredSummary): string => TABLES[kind as SessionKind].name

function correctionView(match: SessionMatch, [first, second]: readonly (StoredSummary | null)[]): Correction {
  return {
    table: TABLES[match.kind].name,
    verdict: match.isSame ? 'same' : 'different',
    sessions: [sessionView(match.firstId, first), sessionView(match.secondId, second)],
    declared_at: formatInstant(match.declaredAt),
  }
}

function sessionView(id: string, stored: StoredSummary | null | undefined): Correction['sessions'][number] {
  if (stored) return storedSession(stored)
  return { id, provider: null, source_type: null, app_id: null, device_id: null, start: null, end: null }
}
