/**
 * Builds errors about a PostgreSQL store that the user can act on. They contain the store's URL without its password. Over HTTP, they
 * contain no URL.
 */
import { ERROR_CATALOGUE } from '../../core/error-catalogue.ts'
import { ServiceError } from '../../core/errors.ts'
import { UNFINISHED_REMEDIES, UNFINISHED_WHY } from '../logic/unfinished-copy.ts'

/** Oldest supported PostgreSQL version. */
export const OLDEST_SERVER = 15

interface Reason {
  /** Ends the sentence "The store … cannot be used: …". */
  readonly why: string
  readonly suggestions: readonly string[]
  readonly cause?: unknown
}

/**
 * Returns `store_unusable`, which means that the settings, the server or the database must be changed. `shown` is the URL without the
 * password.
 */
export function unusable(shown: string, { why, suggestions, cause }: Reason): ServiceError {
  return describeProblem('store_unusable', `The store ${shown} cannot be used: ${why}.`, suggestions, cause)
}

/** Returns `store_unreachable`, which means that the same call may succeed later. `shown` is the URL without the password. */
export function unreachable(shown: string, { why, suggestions, cause }: Reason): ServiceError {
  return describeProblem('store_unreachable', `The store ${shown} cannot be reached: ${why}.`, suggestions, cause)
}

function describeProblem(
  code: 'store_unusable' | 'store_unreachable',
  message: string,
  suggestions: readonly string[],
  cause: unknown,
): ServiceError {
  // HTTP callers must not learn where the store is
  return new ServiceError(code, message, { body: { detail: ERROR_CATALOGUE[code].meaning }, suggestions, cause })
}

/** Returns the error for a server that is too old. `version` is the server's version, such as 14.9. */
export function serverTooOld(version: string, shown: string): ServiceError {
  return unusable(shown, {
    why: `the server runs PostgreSQL ${version}, and svc needs ${OLDEST_SERVER} or newer`,
    suggestions: [`Upgrade the server, or use one with PostgreSQL ${OLDEST_SERVER} or newer.`],
  })
}

/** Returns the error for a database that contains tables but no svc store. */
export function foreignDatabase(shown: string): ServiceError {
  return unusable(shown, {
    why: 'the database belongs to another application; nothing in it was changed',
    suggestions: ['Create a database for svc alone, for example with: createdb --owner USER svc'],
  })
}

/** Returns the error for a change that a worker of a Citus cluster cannot make. */
export function notCoordinator(shown: string, cause?: unknown): ServiceError {
  return unusable(shown, {
    why: 'it is a worker of a Citus cluster, and only the coordinator can make this change; nothing was changed',
    suggestions: ["Run the command again with the coordinator's URL: --store postgres://…"],
    cause,
  })
}

/** Returns the error for a store that is the target of an unfinished copy. */
export function unfinishedCopy(shown: string): ServiceError {
  return unusable(shown, { why: UNFINISHED_WHY, suggestions: UNFINISHED_REMEDIES })
}

/** Returns the error for a store whose schema was created by a newer svc. */
export function schemaTooNew(shown: string, version: number, newest: number): ServiceError {
  return new ServiceError(
    'data_too_new',
    `The store ${shown} has schema version ${version}, but this svc supports versions up to ${newest}. Nothing was changed.`,
    {
      body: { detail: ERROR_CATALOGUE.data_too_new.meaning },
      suggestions: [
        'Update svc on this machine. All nodes of a store should run the same version.',
        'To go back to this version, restore a backup from before the migration into another database, and use its URL.',
      ],
    },
  )
}

/** Returns the error for a store whose schema belongs to unreleased versions of svc. */
export function schemaUnreleased(shown: string): ServiceError {
  return unusable(shown, {
    why: 'its tables were created by an unreleased version of svc, and order some texts differently; nothing was changed',
    suggestions: [
      'Copy it into a data folder with the svc that created it, and from there into a new database with this one:',
      'svc engine copy --from postgres://… --to DIR, then: svc engine copy --from DIR --to postgres://…',
    ],
  })
}
