/** Removes a person's subscriptions before their access is revoked. */
import { type GrantSession, ProviderError } from '../../../connectors/provider-session.ts'
import { parseUrl } from '../../../core/web-host.ts'
import type { EngineContext } from '../../context.ts'
import { buildNotificationPath, type LiveSetup } from '../setups/live-setup.ts'

/**
 * Removes all subscriptions that send to this service, at any public URL, while the access lasts. Any remaining subscriptions may end with
 * the access.
 */
export async function removePersonSubscriptions(
  engine: EngineContext,
  { setup, connector }: LiveSetup,
  session: GrantSession,
): Promise<void> {
  const calls = connector.notifications?.subscriptions
  if (!calls?.removeAll) return
  const path = buildNotificationPath(engine, setup)
  try {
    await calls.removeAll(session, callbackUrl => parseUrl(callbackUrl)?.pathname.endsWith(path) === true)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
  }
}
