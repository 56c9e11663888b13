/** An OAuth app as the engine uses it: with its connector, and in the form that connectors use to send requests. */
import type { LiveConnector } from '../../../connectors/live/live-connector.ts'
import { liveConnector } from '../../../connectors/live/live-connectors.ts'
import type { ProviderApp } from '../../../connectors/provider-session.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { SetupRecord } from '../../../store/live/setups.ts'
import type { EngineContext } from '../../context.ts'
import { openSetupSecrets } from './setup-secrets.ts'

export interface LiveSetup {
  readonly setup: SetupRecord
  readonly connector: LiveConnector
  readonly app: ProviderApp
}

/** Returns a provider's OAuth app, or null if the provider is simulated for the team. Throws ServiceError `data_folder`
 * (`openSetupSecrets`). */
export async function liveSetup(engine: EngineContext, teamId: TeamId, provider: string): Promise<LiveSetup | null> {
  const setup = await engine.store.live.setups.find(teamId, provider)
  const connector = setup && (await liveConnector(provider))
  return setup && connector ? { setup, connector, app: toProviderApp(engine, setup, connector) } : null
}

/** Returns the app, including the client secret, and the service account's key if there is one. */
export function toProviderApp(engine: EngineContext, setup: SetupRecord, connector: LiveConnector): ProviderApp {
  const { clientSecret, serviceAccount = null } = openSetupSecrets(engine, setup)
  const { clientId, scopes } = setup
  return { clientId, clientSecret, scopes, serviceAccount, ...resolveSetup(setup, connector) }
}

/** Returns an OAuth app's URLs and settings, each as set or with its default. */
export function resolveSetup(
  setup: SetupRecord,
  { defaults, settings }: LiveConnector,
): Pick<ProviderApp, 'authorizeUrl' | 'tokenUrl' | 'apiUrl' | 'settings'> {
  return {
    authorizeUrl: setup.authorizeUrl ?? defaults.authorizeUrl,
    tokenUrl: setup.tokenUrl ?? defaults.tokenUrl,
    apiUrl: setup.apiUrl ?? defaults.apiUrl,
    settings: { ...Object.fromEntries(settings.map(each => [each.name, each.default])), ...setup.settings },
  }
}

/** Returns the redirect URL to use at the provider, or null if no server is running and none was set. */
export function chooseRedirectUrl(engine: Pick<EngineContext, 'publicUrl'>, setup: SetupRecord): string | null {
  const base = engine.publicUrl()
  return setup.redirectUrl ?? (base === null ? null : `${base}/oauth/${setup.provider}/callback`)
}

/**
 * Returns the URL to which the provider sends notifications, or null if the provider cannot reach this service, which requires a public
 * https URL. A fake provider on this machine reaches the service without one.
 */
export function buildNotificationUrl(engine: EngineContext, setup: SetupRecord, apiUrl: string): string | null {
  const base = engine.publicUrl()
  if (base === null) return null
  const { protocol, hostname } = new URL(base)
  const isReached = isLoopbackHost(hostname) ? isLoopbackHost(new URL(apiUrl).hostname) : protocol === 'https:'
  if (!isReached) return null
  return base + buildNotificationPath(engine, setup)
}

/** Returns the notification URL's path, which stays the same when the public URL changes. It contains a secret. */
export function buildNotificationPath(engine: Pick<EngineContext, 'masterKey'>, setup: SetupRecord): string {
  return `/providers/${setup.provider}/notifications/${openSetupSecrets(engine, setup).notificationToken}`
}

/** Whether a parsed URL's host is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}
