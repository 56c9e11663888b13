/** An OAuth app as used by the engine: with its connector, and in the form that connectors use to send requests. */
import type { LiveConnector } from '../../../connectors/live/live-connector.ts'
import { liveConnector } from '../../../connectors/live/live-connectors.ts'
import type { ProviderApp } from '../../../connectors/provider-session.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { OAuthAppRecord } from '../../../store/live/oauth-apps.ts'
import type { EngineContext } from '../../context.ts'
import { openAppSecrets } from './app-secrets.ts'

export interface LiveApp {
  readonly oauthApp: OAuthAppRecord
  readonly connector: LiveConnector
  readonly app: ProviderApp
}

/**
 * Returns a provider's OAuth app, or null if the provider is simulated for the team. Throws ServiceError `data_folder` (`openAppSecrets`).
 */
export async function findLiveApp(engine: EngineContext, teamId: TeamId, provider: string): Promise<LiveApp | null> {
  const oauthApp = await engine.store.live.oauthApps.find(teamId, provider)
  const connector = oauthApp && (await liveConnector(provider))
  return oauthApp && connector ? { oauthApp, connector, app: toProviderApp(engine, oauthApp, connector) } : null
}

/** Returns the app, including the client secret and, if there is one, the service account's key. */
export function toProviderApp(engine: EngineContext, oauthApp: OAuthAppRecord, connector: LiveConnector): ProviderApp {
  const { clientSecret, serviceAccount = null } = openAppSecrets(engine, oauthApp)
  const { clientId, scopes } = oauthApp
  return { clientId, clientSecret, scopes, serviceAccount, ...resolveAppSettings(oauthApp, connector) }
}

/** Returns an OAuth app's URLs and settings, each with its configured or default value. */
export function resolveAppSettings(
  oauthApp: OAuthAppRecord,
  { defaults, settings }: LiveConnector,
): Pick<ProviderApp, 'authorizeUrl' | 'tokenUrl' | 'apiUrl' | 'settings'> {
  return {
    authorizeUrl: oauthApp.authorizeUrl ?? defaults.authorizeUrl,
    tokenUrl: oauthApp.tokenUrl ?? defaults.tokenUrl,
    apiUrl: oauthApp.apiUrl ?? defaults.apiUrl,
    settings: { ...Object.fromEntries(settings.map(each => [each.name, each.default])), ...oauthApp.settings },
  }
}

/** Returns the redirect URL to use at the provider, or null if no server is running and none was set. */
export function chooseRedirectUrl(engine: Pick<EngineContext, 'publicUrl'>, oauthApp: OAuthAppRecord): string | null {
  const base = engine.publicUrl()
  return oauthApp.redirectUrl ?? (base === null ? null : `${base}/oauth/${oauthApp.provider}/callback`)
}

/**
 * Returns the URL to which the provider sends notifications, or null if the provider cannot reach this service. A public https URL is
 * required, except for a fake provider on this machine.
 */
export function buildNotificationUrl(engine: EngineContext, oauthApp: OAuthAppRecord, apiUrl: string): string | null {
  const base = engine.publicUrl()
  if (base === null) return null
  const { protocol, hostname } = new URL(base)
  const isReached = isLoopbackHost(hostname) ? isLoopbackHost(new URL(apiUrl).hostname) : protocol === 'https:'
  if (!isReached) return null
  return base + buildNotificationPath(engine, oauthApp)
}

/** Returns the notification URL's path, which stays the same when the public URL changes. The path contains a secret. */
export function buildNotificationPath(engine: Pick<EngineContext, 'masterKey'>, oauthApp: OAuthAppRecord): string {
  return `/providers/${oauthApp.provider}/notifications/${openAppSecrets(engine, oauthApp).notificationToken}`
}

/** Returns whether a parsed URL's host is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}
