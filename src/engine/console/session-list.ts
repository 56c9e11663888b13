/** Lists and ends console sessions. */
import { ServiceError } from '../../core/errors.ts'
import { hashSecret } from '../../core/ids.ts'
import { formatInstant } from '../../core/time.ts'
import type { ListedSession } from '../../store/console/session.ts'
import { done, type EngineContext, type Handler, ok } from '../context.ts'
import { endOfSession, sessionIdOf } from './sessions.ts'

export const listSessions: Handler<'session.list'> = async (engine, _input, call) => {
  const own = call.session === null ? null : hashSecret(call.session)
  return ok({
    sessions: (await openSessions(engine)).map(session => ({
      session_id: sessionIdOf(session.hash),
      team_id: session.teamId,
      person_id: session.personId,
      key_id: session.keyId,
      name: session.name,
      browser: session.browser,
      created_at: formatInstant(session.createdAt),
      last_seen_at: formatInstant(session.lastSeenAt),
      expires_at: formatInstant(endOfSession({ session })),
      is_current: session.hash === own,
    })),
  })
}

export const endSession: Handler<'session.end'> = async (engine, { params }) => {
  const session = (await openSessions(engine)).find(({ hash }) => sessionIdOf(hash) === params.session_id)
  if (session === undefined || (await engine.store.console.end(session.hash)) === 0) {
    throw new ServiceError('not_found', 'There is no open session with this id.', {
      suggestions: ['`svc engine session list` lists the open sessions.'],
    })
  }
  return done()
}

async function openSessions(engine: EngineContext): Promise<ListedSession[]> {
  const now = engine.wall.now()
  return (await engine.store.console.all()).filter(session => now < endOfSession({ session }))
}
