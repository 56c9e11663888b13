/** Errors of a PostgreSQL store that the user can act on. They contain the store's URL without its password, and over HTTP no URL. */
import { ERROR_CATALOGUE } from '../../core/error-catalogue.ts'
import { ServiceError } from '../../core/errors.ts'
import { UNFINISHED_REMEDIES, UNFINISHED_WHY } from '../logic/unfinished-copy.ts'

/** The oldest version of PostgreSQL that can hold a store. */
export const OLDEST_SERVER = 15

interface Reason {
  /** Ends the sentence "The store … cannot be used: …". */
  readonly why: string
  readonly suggestions: readonly string[]
  readonly cause?: unknown
}

/** Returns `store_unusable`: the settings, the server or the database must be changed. `shown` is the URL without the password. */
export function unusable(shown: string, { why, suggestions, cause }: Reason): ServiceError {
  return problemOf('store_unusable', `The store ${shown} cannot be used: ${why}.`, suggestions, cause)
}

/** Returns `store_unreachable`: the same call may succeed later. `shown` is the URL without the password. */
export function unreachable(shown: string, { why, suggestions, cause }: Reason): ServiceError {
  return problemOf('store_unreachable', `The store ${shown} cannot be reached: ${why}.`, suggestions, cause)
}

function problemOf(
  code: 'store_unusable' | 'store_unreachable',
  message: string,
  suggestions: readonly string[],
  cause: unknown,
): ServiceError {
  // callers over HTTP do not learn where the store is
  return new ServiceError(code, message, { body: { detail: ERROR_CATALOGUE[code].meaning }, suggestions, cause })
}

/** Returns the error for an old server. `version` is the server's version, such as 14.9. */
export function serverTooOld(version: string, shown: string): ServiceError {
  return unusable(shown, {
    why: `the server runs PostgreSQL ${version}, and svc needs ${OLDEST_SERVER} or newer`,
    suggestions: [`Upgrade the server, or name one with PostgreSQL ${OLDEST_SERVER} or newer.`],
  })
}

/** Returns the error for a database that has tables, but none of svc. */
export function foreignDatabase(shown: string): ServiceError {
  return unusable(shown, {
    why: 'the database belongs to another application; nothing in it was changed',
    suggestions: ['Create a database for svc alone, for example with: createdb --owner USER svc'],
  })
}

/** Returns the error for a store that a copy is filling. */
export function unfinishedCopy(shown: string): ServiceError {
  return unusable(shown, { why: UNFINISHED_WHY, suggestions: UNFINISHED_REMEDIES })
}

/** Returns the error for a store whose schema a newer svc has created. */
export function schemaTooNew(shown: string, version: number, newest: number): ServiceError {
  return new ServiceError(
    'data_too_new',
    `The store ${shown} has schema version ${version}, and this svc knows versions up to ${newest}. Nothing was changed.`,
    {
      body: { detail: ERROR_CATALOGUE.data_too_new.meaning },
      suggestions: ['Update svc on this machine. All nodes of a store should run the same version.'],
    },
  )
}

/** Returns the error for a store whose schema belongs to unreleased versions of svc. */
export function schemaUnreleased(shown: string): ServiceError {
  return unusable(shown, {
    why: 'its tables were made by a version of svc between two releases, and order some texts in another way; nothing was changed',
    suggestions: [
      'Copy it into a data folder with the svc that made it, and from there into a new database with this one:',
      'svc engine copy --from postgres://… --to DIR, then: svc engine copy --from DIR --to postgres://…',
    ],
  })
}
