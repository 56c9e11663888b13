/** Sign-in tokens: what an application on the user's own device is given instead of the team's key (interface-gaps 5). */
import { randomToken } from '../../core/random.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser } from './users.ts'

/** Random and not kept: nothing here takes such a token, for there is no SDK for devices (docs/users.md). */
export const createSignInToken: Handler<'user.sign_in_token'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  return ok({ user_id: user.userId, sign_in_token: randomToken(engine.random) })
}
