/** The PostgreSQL adapter of the store's port. */
import type { RealTime } from '../../core/clock.ts'
import type { StoreUrl } from '../../core/store-url.ts'
import type { DataFolder } from '../folder/data-folder.ts'
import type { Store } from '../port.ts'
import type { SnapshotSharing } from '../sharing.ts'

export interface PostgresOptions {
  /** With its password, wherever that came from. */
  readonly url: StoreUrl
  readonly folder: DataFolder
  /** The fingerprint of the master key (master-key-check.ts). */
  readonly masterKeyCheck: string
  readonly time?: RealTime | undefined
  readonly note?: ((line: string) => void) | undefined
}

export interface PostgresStore extends Store {
  readonly sharing: SnapshotSharing
}

/** Opens or creates the store in a PostgreSQL database. */
export async function openPostgresStore(_options: PostgresOptions): Promise<PostgresStore> {
  throw new Error('replaced when the adapter is merged')
}
