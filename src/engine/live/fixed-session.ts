/** A session with a token set that is used unchanged: just exchanged and not stored yet, or about to be revoked. */

import type { AppSession, TokenSession } from '../../connectors/provider-session.ts'
import type { TokenSet } from '../../connectors/token-set.ts'

/** Returns a session that sends the access token with every request and refreshes nothing. */
export function fixedSession(session: AppSession, tokenSet: TokenSet): TokenSession {
  return {
    app: session.app,
    signal: session.signal,
    tokenSet,
    now: () => session.now(),
    send: request =>
      session.send({ ...request, headers: { authorization: `Bearer ${tokenSet.accessToken}`, ...request.headers } }),
  }
}
