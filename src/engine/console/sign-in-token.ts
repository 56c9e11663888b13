/** Creates one-time URLs that sign a browser in to the console. */
import { ServiceError } from '../../core/errors.ts'
import { formatInstant } from '../../core/time.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { issueToken, ownerOf } from './sessions.ts'

/**
 * Returns a URL whose session acts for the calling key or person, or for the owner of the data folder. A URL requested in a session leads
 * to that session. Throws ServiceError `conflict` if there is no console.
 */
export const createSignInUrl: Handler<'console.sign_in_token'> = async (engine, _input, call) => {
  const url = requireConsole(engine)
  const { secret, expiresAt } = await issueToken(engine, ownerOf(call), call.session)
  return ok({ url: signInUrl(url, secret), expires_at: formatInstant(expiresAt) })
}

/** Returns the console's URL. Throws ServiceError `conflict` if no server serves it. */
export function requireConsole(engine: EngineContext): string {
  const url = engine.consoleUrl()
  if (url !== null) return url
  throw new ServiceError('conflict', 'No server with a console is running here.', {
    suggestions: [
      'Run `svc serve` on a loopback address, or `svc serve --console` with TLS; see `svc docs serve`.',
      '`svc open` starts a server if none runs on the data folder.',
    ],
  })
}

/** Returns the one-time URL with a token. */
export function signInUrl(consoleUrl: string, secret: string): string {
  return `${consoleUrl}/sign-in?token=${secret}`
}
