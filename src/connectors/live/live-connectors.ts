/** The live connectors by provider slug. Each is loaded when it is first used. */
import { guardConnector } from './guarded.ts'
import type { LiveConnector } from './live-connector.ts'

const LOADERS: Readonly<Record<string, () => Promise<LiveConnector>>> = {
  oura: async () => (await import('./oura/connector.ts')).ouraConnector,
  withings: async () => (await import('./withings/connector.ts')).withingsConnector,
  polar: async () => (await import('./polar/connector.ts')).polarConnector,
  whoop_v2: async () => (await import('./whoop/connector.ts')).whoopConnector,
  google_health: async () => (await import('./google-health/connector.ts')).googleHealthConnector,
  dexcom_v3: async () => (await import('./dexcom/connector.ts')).dexcomConnector,
}

/** Slugs of the providers that can be set up. */
export const LIVE_PROVIDERS: readonly string[] = Object.keys(LOADERS)

const loaded = new Map<string, Promise<LiveConnector>>()

/** Returns the live connector of a provider, or null if there is none. It throws only the errors that guarded.ts allows. */
export async function liveConnector(provider: string): Promise<LiveConnector | null> {
  const load = LOADERS[provider]
  if (load === undefined) return null
  const known = loaded.get(provider) ?? load().then(guardConnector)
  loaded.set(provider, known)
  return known
}
