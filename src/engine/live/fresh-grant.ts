/** A session with a token set that is used unchanged: just exchanged and not stored yet, or about to be revoked. */
import type { Grant } from '../../connectors/grant.ts'
import type { AppSession, GrantSession } from '../../connectors/provider-session.ts'

/** Returns a session that sends the access token with every request and refreshes nothing. */
export function sessionWith(session: AppSession, grant: Grant): GrantSession {
  return {
    app: session.app,
    signal: session.signal,
    grant,
    now: () => session.now(),
    send: request =>
      session.send({ ...request, headers: { authorization: `Bearer ${grant.accessToken}`, ...request.headers } }),
  }
}
