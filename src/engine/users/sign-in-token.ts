/** Issues sign-in tokens, which an application on the user's own device uses instead of the team's key. */
import { randomToken } from '../../core/random.ts'
import { type Handler, ok } from '../context.ts'
import { activeUser } from './users.ts'

/** Issues a random token that is not stored. Nothing here accepts it, because there is no device SDK (docs/users.md). */
export const createSignInToken: Handler<'user.sign_in_token'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  return ok({ user_id: user.userId, sign_in_token: randomToken(engine.random) })
}
