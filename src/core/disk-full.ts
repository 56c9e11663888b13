/** Detects a full disk and reports it to the user. */
import { ServiceError } from './errors.ts'

/** System error codes. EDQUOT means that the disk has space, but not for this user. */
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

/** Returns whether a write failed because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.has(error.code)
}

/** Returns the error for a file in the configuration folder that could not be written. */
export function configIsFull(file: string, cause: unknown): ServiceError {
  return new ServiceError('disk_full', `The disk is full: ${file} was not written.`, {
    suggestions: ['Free some space on that disk, or choose another folder with SVC_CONFIG_DIR.'],
    cause,
  })
}

/** Returns the error for a folder of the service. Its path is not revealed to callers over HTTP. */
export function folderIsFull(folder: string, cause: unknown): ServiceError {
  return new ServiceError('disk_full', `The disk that holds ${folder} is full. Nothing was partially written.`, {
    body: { detail: 'The disk of the service is full. Nothing was partially written.' },
    suggestions: [
      'Free some space on that disk and try again, or choose another folder with --data-dir or SVC_DATA_DIR.',
    ],
    cause,
  })
}
