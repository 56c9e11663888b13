/** Opens the service in the settings, embedded or over HTTP. */
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import type { Settings } from '../../profile/settings.ts'

interface Opening {
  /** The snapshot that replaces a lost database; only the restore command sets it. */
  readonly restoring?: string | undefined
  readonly note?: (line: string) => void
  /** Time limit for a server's response, for a caller that must not wait. An embedded engine must then be ready. */
  readonly mostMs?: number
}

/** Opens the service. The caller closes the client. Throws ServiceError if an embedded engine cannot be opened. */
export async function openService(settings: Settings, opening: Opening): Promise<ServiceClient> {
  const { baseUrl, apiKey, headerPrefix, timeoutMs, dataDir, store, publicUrl } = settings
  const { mostMs, ...embedded } = opening
  if (baseUrl.value === null) {
    const { openEmbedded } = await import('../../client/embedded.ts')
    return openEmbedded({
      dataDir: dataDir.value,
      store: store.value,
      publicUrl: publicUrl.value,
      apiKey: apiKey.value,
      isOnlyLooking: mostMs !== undefined,
      ...embedded,
    })
  }
  const { openHttp } = await import('../../client/http.ts')
  return openHttp({
    baseUrl: baseUrl.value,
    apiKey: apiKey.value,
    ...(mostMs === undefined
      ? { timeoutMs: timeoutMs.value }
      : { timeoutMs: Math.min(timeoutMs.value, mostMs), retries: 0 }),
    ...(headerPrefix.value === null ? {} : { headerPrefix: headerPrefix.value }),
  })
}

/** Returns the engine's time; undefined for another service whose time is unknown. */
export async function engineTime(client: ServiceClient): Promise<EpochMs | undefined> {
  try {
    const reply = await client.call('clock.get', {})
    return reply.kind === 'json' ? Date.parse(reply.body.now) : undefined
  } catch (error) {
    // Any other service runs in real time, unless it has a clock that it does not expose.
    return error instanceof ServiceError && error.status === 404 ? Date.now() : undefined
  }
}
