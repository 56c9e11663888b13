/** Creates one-time URLs that sign a browser in to the console. */
import { ServiceError } from '../../core/errors.ts'
import { formatInstant } from '../../core/time.ts'
import { type Handler, ok } from '../context.ts'
import { issueToken, keyOfActor } from './sessions.ts'

/**
 * Returns a URL whose session acts for the calling key, or for the owner of the data folder. A URL requested in a session leads to that
 * session. Throws ServiceError `conflict` if there is no console.
 */
export const createSignInUrl: Handler<'console.sign_in_token'> = async (engine, _input, call) => {
  const url = engine.consoleUrl()
  if (url === null) {
    throw new ServiceError('conflict', 'No server with a console is running here.', {
      suggestions: [
        'Run `svc serve` on a loopback address, or `svc serve --console` with TLS; see `svc docs serve`.',
        '`svc open` starts a server if none runs on the data folder.',
      ],
    })
  }
  const owner = { teamId: call.team.teamId, keyId: keyOfActor(call.actor) }
  const { secret, expiresAt } = await issueToken(engine, owner, call.session)
  return ok({ url: `${url}/sign-in?token=${secret}`, expires_at: formatInstant(expiresAt) })
}
