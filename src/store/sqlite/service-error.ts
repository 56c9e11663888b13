/** Translates SQLite's errors into errors that the user can act on. */
import { dirname } from 'node:path'
import { folderIsFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { hasRoom } from '../folder/disk-room.ts'
import { DAMAGE_REMEDIES } from '../logic/rows/damage.ts'
import { isDamage } from './damage-codes.ts'
import { RESULT, resultCode } from './result-codes.ts'

/**
 * Returns the error to throw for a SQLite error about the file at this path. An unknown error is returned unchanged, because it is a bug.
 */
export function toServiceError(error: unknown, path: string): unknown {
  if (error instanceof ServiceError) return error
  if (isDamage(error)) return fileDamaged(path)
  switch (resultCode(error)) {
    case RESULT.busy:
    case RESULT.locked:
      return busyError(error)
    case RESULT.full:
      return folderIsFull(dirname(path), error)
    case RESULT.readonly:
    case RESULT.cantopen:
    case RESULT.ioerr:
      // SQLite has a code for a write to a full disk, but not for a lock file or an exceeded quota
      if (!hasRoom(dirname(path))) return folderIsFull(dirname(path), error)
      return new ServiceError(
        'data_folder',
        `The database ${path} cannot be written. Check its permissions and its disk.`,
        {
          suggestions: ['Choose another folder with --data-dir or SVC_DATA_DIR.'],
          cause: error,
        },
      )
    // our writes cannot cause this, so an index does not match the data; triggers have their own message
    case RESULT.constraint:
      return / constraint failed/.test((error as Error).message) ? fileDamaged(path) : error
    default:
      return error
  }
}

/** Returns the error for a damaged file. Its path is not shown over HTTP. */
function fileDamaged(path: string): ServiceError {
  return new ServiceError('data_damaged', `${path} is damaged, or is not an svc database.`, {
    body: { detail: 'Stored data is damaged: a page or an index of the database.' },
    suggestions: DAMAGE_REMEDIES,
  })
}

export function busyError(cause?: unknown): ServiceError {
  return new ServiceError(
    'store_busy',
    'Another process held the data folder for more than 10 s; nothing was written.',
    {
      suggestions: ['Try again.'],
      cause,
    },
  )
}
