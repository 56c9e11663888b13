/** Describes a data folder's state, as far as it can be determined without opening the store. */

/**
 * Whether a store can be opened. `older` and `newer` mean that it was created by another version of svc. `damaged` means that it is damaged
 * or not an svc database.
 */
export type Readiness = 'absent' | 'ready' | 'locked' | 'older' | 'newer' | 'unreleased' | 'damaged'

/** A copy of a database that a migration has kept. `version` is its schema version. */
export interface SchemaCopy {
  readonly path: string
  readonly version: number
  readonly bytes: number
}

/** The schema version of a store, null if it is unknown, and the newest one that this svc supports. */
export interface StoreSchema {
  readonly version: number | null
  readonly newest: number
  /** Newest schema first. Empty for a PostgreSQL store, which is not copied. */
  readonly copies: readonly SchemaCopy[]
}

/** A data folder's state. `lost` means that there was a database, but it was removed or emptied. `file` is the database. */
export type FolderState =
  | { readonly kind: Exclude<Readiness, 'ready'> | 'lost'; readonly file: string; readonly schema: StoreSchema }
  | {
      readonly kind: 'ready'
      readonly file: string
      readonly schema: StoreSchema
      readonly bytes: number
      /** Whether the database's pages were read and are intact. False if the database is too large. */
      readonly isRead: boolean
    }
