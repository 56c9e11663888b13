/**
 * Builds the URL of a live provider's sign-in page and the PKCE verifier, which is derived from the state so that nothing has to be stored.
 */
import { createHash } from 'node:crypto'
import type { EngineContext } from '../../context.ts'
import { Sealing } from '../../sealing.ts'
import { chooseRedirectUrl, type LiveApp } from '../oauth-apps/live-app.ts'

const verifiers = new Sealing('oauth code verifiers')

/** Returns the page's URL. Returns null if there is no redirect URL, because no server is running and none was set. */
export function authorizationUrl(
  engine: EngineContext,
  { oauthApp, connector, app }: LiveApp,
  state: string,
): string | null {
  const redirectUrl = chooseRedirectUrl(engine, oauthApp)
  if (redirectUrl === null) return null
  const codeChallenge = createHash('sha256').update(deriveCodeVerifier(engine, state)).digest('base64url')
  return connector.authorizationUrl(app, { state, codeChallenge, redirectUrl }).href
}

/** Returns 43 characters that can only be computed with the master key and the state. */
export function deriveCodeVerifier(engine: Pick<EngineContext, 'masterKey'>, state: string): string {
  return verifiers.mac(engine, state).toString('base64url')
}
