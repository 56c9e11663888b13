/** Identifies the files to which a database's names refer. */
import { statSync } from 'node:fs'

/** Suffixes of the log and its index, which are in the same folder as the database. */
export const BESIDE = ['-wal', '-shm'] as const
/** The suffix after the database's name. Empty for the database itself. */
export type DatabasePart = '' | (typeof BESIDE)[number]

export interface FileId {
  readonly dev: number
  readonly ino: number
}

/** The ID of each file, or null if there is no file with that name. */
export type FileIds = Readonly<Record<DatabasePart, FileId | null>>

export function fileIds(database: string): FileIds {
  return { '': fileId(database), '-wal': fileId(`${database}-wal`), '-shm': fileId(`${database}-shm`) }
}

const QUIETLY = { throwIfNoEntry: false } as const

export function fileId(path: string): FileId | null {
  const found = statSync(path, QUIETLY)
  return found === undefined ? null : { dev: found.dev, ino: found.ino }
}

/** Returns whether both IDs refer to the same file, or both are null. */
export function isSameFile(a: FileId | null, b: FileId | null): boolean {
  return a?.ino === b?.ino && a?.dev === b?.dev
}

/** Returns whether a value contains the IDs of a database's files. */
export function isFileIds(value: unknown): value is FileIds {
  if (typeof value !== 'object' || value === null) return false
  const ids = value as Partial<Record<DatabasePart, unknown>>
  return (['', ...BESIDE] as const).every(part => ids[part] === null || isFileId(ids[part]))
}

function isFileId(value: unknown): value is FileId {
  if (typeof value !== 'object' || value === null) return false
  const { dev, ino } = value as Partial<FileId>
  return typeof dev === 'number' && typeof ino === 'number'
}
