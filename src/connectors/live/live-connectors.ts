/** The live connectors by provider slug. Each one is loaded when first used. */
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

/** Slugs of providers that can be set up. */
export const LIVE_PROVIDERS: readonly string[] = Object.keys(LOADERS)

const loaded = new Map<string, Promise<LiveConnector>>()

/** Returns a provider's live connector, or null if there is none. The connector throws only errors that guarded.ts allows. */
export async function liveConnector(provider: string): Promise<LiveConnector | null> {
  const load = LOADERS[provider]
  if (load === undefined) return null
  const known = loaded.get(provider) ?? load().then(guardConnector)
  loaded.set(provider, known)
  return known
}
