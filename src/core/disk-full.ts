/** A disk without room: how the system says so, and how the user is told. */
import { ServiceError } from './errors.ts'

/** EDQUOT: there is room, but not for this user. */
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

/** Whether a file could not be written for want of room. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.has(error.code)
}

/** The error for a file of the configuration folder. */
export function configIsFull(file: string, cause: unknown): ServiceError {
  return new ServiceError('disk_full', `The disk is full: ${file} was not written.`, {
    suggestions: ['Free some space on that disk, or name another folder with SVC_CONFIG_DIR.'],
    cause,
  })
}

/** The error for a folder of the service. Callers over HTTP are not told where it is. */
export function folderIsFull(folder: string, cause: unknown): ServiceError {
  return new ServiceError('disk_full', `The disk that holds ${folder} is full; nothing was half-written.`, {
    body: { detail: 'The disk of the service is full; nothing was half-written.' },
    suggestions: ['Free some space there and try again, or choose another folder with --data-dir or SVC_DATA_DIR.'],
    cause,
  })
}
