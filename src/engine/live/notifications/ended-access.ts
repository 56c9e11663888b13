/** Removes a person's subscriptions before their access is revoked. */
import { ProviderError, type TokenSession } from '../../../connectors/provider-session.ts'
import { parseUrl } from '../../../core/web-host.ts'
import type { EngineContext } from '../../context.ts'
import { buildNotificationPath, type LiveApp } from '../oauth-apps/live-app.ts'

/**
 * Removes all subscriptions that send notifications to this service, at any public URL, while the access is still valid. Any remaining
 * subscriptions may end with the access.
 */
export async function removePersonSubscriptions(
  engine: EngineContext,
  { oauthApp, connector }: LiveApp,
  session: TokenSession,
): Promise<void> {
  const calls = connector.notifications?.subscriptions
  if (!calls?.removeAll) return
  const path = buildNotificationPath(engine, oauthApp)
  try {
    await calls.removeAll(session, callbackUrl => parseUrl(callbackUrl)?.pathname.endsWith(path) === true)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
  }
}
