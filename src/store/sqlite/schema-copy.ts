/** Copies a database before its schema changes. The copy is private, and gets its final name only when it is complete. */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { renameSynced, syncFile } from '../../core/synced-file.ts'
import { dataFolderError, scratchFolder, scratchName } from '../folder/data-folder.ts'
import { freeBytes } from '../folder/disk-room.ts'
import type { SchemaCopy } from '../folder/folder-state.ts'
import { resultCode } from './result-codes.ts'
import { toServiceError } from './service-error.ts'

/** A copy needs as much space as the database, and the migration's changes may need as much again. */
const ROOM_FACTOR = 2

interface CopiedFile {
  readonly path: string
  exec(sql: string): void
  get<T>(sql: string): T | undefined
}

/**
 * Copies the file to its own folder and returns the copy's path, or null if there is not enough free space. Files left behind by a killed
 * process are in the scratch folder. Throws ServiceError `data_folder`, and SQLite's errors.
 */
export function copyDatabase(file: CopiedFile, version: number): string | null {
  const folder = dirname(file.path)
  if (freeBytes(folder) < ROOM_FACTOR * databaseBytes(file)) return null
  const draft = join(scratchFolder(folder), scratchName('copy'))
  const copy = `${copyPrefix(file.path, version)}${Date.now()}-${randomBytes(4).toString('hex')}`
  try {
    // SQLite would make the file readable for everyone, but keeps the mode of an existing empty file
    closeSync(openSync(draft, 'wx', 0o600))
    file.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`)
    syncFile(draft)
    renameSynced(draft, copy)
    return copy
  } catch (error) {
    rmSync(draft, { force: true })
    // less space than the system reports may be usable
    if (isOutOfSpace(error, file.path)) return null
    throw resultCode(error) === undefined ? dataFolderError(folder, error) : error
  }
}

function databaseBytes(file: CopiedFile): number {
  const row = file.get<{ bytes: number }>(
    'SELECT page_count*page_size AS bytes FROM pragma_page_count, pragma_page_size',
  )
  return row?.bytes ?? 0
}

/** Returns whether a change to a database failed because the disk is full. */
export function isOutOfSpace(error: unknown, path: string): boolean {
  if (isDiskFull(error)) return true
  const failure = toServiceError(error, path)
  return failure instanceof ServiceError && failure.code === 'disk_full'
}

function copyPrefix(path: string, version: number | string): string {
  return `${path}.schema-${version}-`
}

/** Lists the copies of a database that migrations have kept, newest schema first. Empty if the folder cannot be read. */
export function schemaCopies(path: string): readonly SchemaCopy[] {
  return namesBeside(path)
    .flatMap(name => {
      const [, version] = /\.schema-(\d+)-\d+-[0-9a-f]+$/.exec(name) ?? []
      const copy = join(dirname(path), name)
      const stat = version && copy.startsWith(copyPrefix(path, version)) && statSync(copy, { throwIfNoEntry: false })
      return stat ? [{ path: copy, version: Number(version), bytes: stat.size }] : []
    })
    .sort((a, b) => b.version - a.version)
}

/** Returns how to use a copy, as a clause. Another folder keeps the newer database. */
export function copyAdvice(copy: string): string {
  return `copy ${copy} as svc.db, and master.key if there is one, to a new folder, and choose that folder with --data-dir. Later changes are not in the copy.`
}

/**
 * Removes the copies of a database from schema `of`, except one. Without it, removes all copies and the files that a restore has set aside,
 * because each contains all users from its time.
 */
export function removeCopies(path: string, one?: { readonly of: number; readonly except: string }): void {
  const prefixes = one ? [copyPrefix(path, one.of)] : [`${path}.schema-`, `${path}.lost-`]
  for (const copy of namesBeside(path).map(name => join(dirname(path), name))) {
    if (prefixes.some(prefix => copy.startsWith(prefix)) && copy !== one?.except) rmSync(copy, { force: true })
  }
}

function namesBeside(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path))
  } catch {
    return []
  }
}
