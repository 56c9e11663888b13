/** Checks whether a PostgreSQL server can be used, for `svc doctor`. */
import { type StoreUrl, shownStore } from '../../core/store-url.ts'
import { clientConfig } from './client-config.ts'
import { toConnectionError } from './connect-errors.ts'
import { withPassword } from './password.ts'
import { OLDEST_SERVER, serverTooOld } from './store-errors.ts'

/**
 * Connects, and returns the server's version, such as 15.18. Changes nothing. Throws ServiceError `store_unusable`, `store_unreachable` or
 * `usage`.
 */
export async function probeStore(given: StoreUrl, mostMs: number): Promise<string> {
  const shown = shownStore(given)
  const url = await withPassword(given)
  const { default: pg } = await import('pg')
  const client = new pg.Client({ ...clientConfig(url), connectionTimeoutMillis: mostMs, query_timeout: mostMs })
  // a broken connection also makes the query fail
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    // Debian appends the version of its package
    const [version = ''] = rows[0]?.server_version.split(' ') ?? []
    if (Number.parseInt(version, 10) < OLDEST_SERVER) throw serverTooOld(version, shown)
    return version
  } catch (error) {
    throw toConnectionError(error, shown)
  } finally {
    await client.end().catch(() => {})
  }
}
