/** Checks whether a PostgreSQL server can be used, for `svc doctor`. */
import { type StoreUrl, shownStore } from '../../core/store-url.ts'
import type { StoreSchema } from '../folder/folder-state.ts'
import { clientConfig } from './client-config.ts'
import { toConnectionError } from './connect-errors.ts'
import { POSTGRES_SCHEMA, schemaIn } from './migrations.ts'
import { withPassword } from './password.ts'
import { OLDEST_SERVER, schemaTooNew, serverTooOld } from './store-errors.ts'

export interface ProbedStore {
  /** The server's version, such as 15.18. */
  readonly server: string
  readonly schema: StoreSchema
}

/** Connects and changes nothing. Throws ServiceError `store_unusable`, `store_unreachable`, `data_too_new` or `usage`. */
export async function probeStore(given: StoreUrl, mostMs: number): Promise<ProbedStore> {
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
    const [server = ''] = rows[0]?.server_version.split(' ') ?? []
    if (Number.parseInt(server, 10) < OLDEST_SERVER) throw serverTooOld(server, shown)
    const version = await schemaIn(client)
    if (version !== null && version > POSTGRES_SCHEMA) throw schemaTooNew(shown, version, POSTGRES_SCHEMA)
    return { server, schema: { version, newest: POSTGRES_SCHEMA, copies: [] } }
  } catch (error) {
    throw toConnectionError(error, shown)
  } finally {
    await client.end().catch(() => {})
  }
}
