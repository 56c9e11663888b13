/** Changes a user. Null clears a field, and an absent field is left unchanged. See docs/interface/users.md#users-7. */
import { invalid, ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { usualSpelling } from '../../core/zones.ts'
import type { UserPatch } from '../../store/user.ts'
import { done, type EngineContext, type Handler, type TeamCall } from '../context.ts'
import { fallback, graceIsOver, requirePast } from './users.ts'

export const patchUser: Handler<'user.patch'> = async (engine, { params, body }, call) => {
  if (Object.values(body).every(value => value === undefined)) {
    throw new ServiceError('bad_request', 'Nothing to patch', {
      suggestions: [
        'Set at least one of client_user_id, fallback_time_zone, fallback_birth_date, ingestion_start, ingestion_end.',
      ],
    })
  }
  requirePast(body.fallback_birth_date, ['body', 'fallback_birth_date'], call.now)
  const zone = body.fallback_time_zone
  const patch: UserPatch = {
    ...(body.client_user_id ? { clientUserId: body.client_user_id } : {}),
    ...(zone === undefined ? {} : { fallbackTimeZone: fallback(zone && usualSpelling(zone), call.now) }),
    ...(body.fallback_birth_date === undefined
      ? {}
      : { fallbackBirthDate: fallback(body.fallback_birth_date, call.now) }),
    ...(body.ingestion_start === undefined ? {} : { ingestionStart: body.ingestion_start }),
    ...(body.ingestion_end === undefined ? {} : { ingestionEnd: body.ingestion_end }),
  }
  switch (await engine.store.users.patch(call.team.teamId, params.user_id, patch, call.now)) {
    case 'patched':
      return done()
    case 'unknown':
      throw noSuchUser()
    case 'deleted':
      if (await isGone(engine, call, params.user_id)) throw noSuchUser()
      throw new ServiceError('user_deleted', 'The user has been scheduled for deletion as per your previous request')
    case 'taken':
      throw new ServiceError('conflict', 'Client user id already exists')
    case 'bounds': {
      const field = body.ingestion_end === undefined ? 'ingestion_start' : 'ingestion_end'
      const msg = field === 'ingestion_end' ? 'must not be before ingestion_start' : 'must not be after ingestion_end'
      throw invalid([{ loc: ['body', field], msg, type: 'value_error' }])
    }
  }
}

function noSuchUser(): ServiceError {
  return new ServiceError('user_not_found', 'The user does not or no longer exists in this team')
}

/** Returns whether the deletion can no longer be undone. */
async function isGone(engine: EngineContext, { team, now }: TeamCall, userId: UserId): Promise<boolean> {
  const user = await engine.store.users.find(team.teamId, userId)
  return !user || (user.deletedAt !== null && graceIsOver(user.deletedAt, now))
}
