/** The state of a data folder, as far as it is visible without opening the store. */

/** `older` and `newer`: created by another version of svc. `damaged`: damaged, or not a database of svc. */
export type Readiness = 'absent' | 'ready' | 'locked' | 'older' | 'newer' | 'unreleased' | 'damaged'

/** `lost`: there was a database, and it was removed or emptied. `file` is the database. */
export type FolderState =
  | { readonly kind: Exclude<Readiness, 'ready'> | 'lost'; readonly file: string }
  | {
      readonly kind: 'ready'
      readonly file: string
      readonly bytes: number
      /** Whether its pages were read, and are intact; false if it is too large. */
      readonly isRead: boolean
    }
