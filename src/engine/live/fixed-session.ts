/** A session whose token set does not change, because it was just exchanged and is not stored yet, or is about to be revoked. */

import type { AppSession, TokenSession } from '../../connectors/provider-session.ts'
import type { TokenSet } from '../../connectors/token-set.ts'

/** Returns a session that sends the access token with every request and never refreshes it. */
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
