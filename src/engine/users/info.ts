/** Reads and sets a user's profile info, a closed-beta feature. See docs/interface/users.md#users-18. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser, graceIsOver, requirePast } from './users.ts'

type UserInfo = ReplyBody<Operations['user.info']>

/** Returns the profile info, which can still be read while a deletion can be undone. */
export const getUserInfo: Handler<'user.info'> = async (engine, { params }, call) => {
  const user = await engine.store.users.find(call.team.teamId, params.user_id)
  if (!user || (user.deletedAt !== null && graceIsOver(user.deletedAt, call.now))) {
    throw new ServiceError('user_not_found', 'User not found')
  }
  const info = await engine.store.profiles.info(user.userId)
  if (info === null) {
    throw new ServiceError('not_found', 'User demographics data not found', {
      suggestions: ['Set it: svc user set-info USER'],
    })
  }
  // validated when it was set
  return ok(info as UserInfo)
}

/** Replaces all profile info. An optional field is returned only if it was sent. */
export const setUserInfo: Handler<'user.set_info'> = async (engine, { params, body }, call) => {
  requirePast(body.dob, ['body', 'dob'], call.now)
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const info = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as UserInfo
  await engine.store.profiles.putInfo(user.userId, info, call.now)
  return ok(info)
}
