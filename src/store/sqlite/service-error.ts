/** What SQLite says, in words the user can act on. */
import { ServiceError } from '../../core/errors.ts'
import { RESULT, resultCode } from './result-codes.ts'

/** The error to throw for what SQLite threw about the file at this path. Anything unknown stays as it is: a bug of ours. */
export function serviceErrorOf(error: unknown, path: string): unknown {
  if (error instanceof ServiceError) return error
  switch (resultCode(error)) {
    case RESULT.busy:
    case RESULT.locked:
      return busyError(error)
    case RESULT.full:
      return new ServiceError('disk_full', 'The disk is full; nothing was half-written.', { cause: error })
    case RESULT.readonly:
    case RESULT.cantopen:
    case RESULT.ioerr:
      return new ServiceError(
        'data_folder',
        `The database ${path} cannot be written: check its permissions and its disk.`,
        {
          suggestions: ['Choose another folder with --data-dir or SVC_DATA_DIR.'],
          cause: error,
        },
      )
    case RESULT.corrupt:
    case RESULT.notadb:
      return new ServiceError('data_damaged', `${path} is not a database of svc, or it is damaged.`, {
        suggestions: ['Restore a copy, or choose another folder with --data-dir or SVC_DATA_DIR.'],
        cause: error,
      })
    default:
      return error
  }
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
