/** Copies a database before its schema changes. The copy is private, and gets its final name only when it is complete. */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { renameSynced, syncFile } from '../../core/synced-file.ts'
import { dataFolderError, scratchFolder, scratchName } from '../folder/data-folder.ts'
import { resultCode } from './result-codes.ts'

/**
 * Copies the file to its own folder and returns the copy's name. Files left behind by a killed process are in the scratch folder. Throws
 * ServiceError `data_folder` or `disk_full`, and SQLite's errors.
 */
export function copyDatabase(file: { readonly path: string; exec(sql: string): void }, version: number): string {
  const folder = dirname(file.path)
  const draft = join(scratchFolder(folder), scratchName('copy'))
  const copy = `${file.path}.schema-${version}-${Date.now()}-${randomBytes(4).toString('hex')}`
  try {
    // SQLite would make the file readable for everyone, but keeps the mode of an existing empty file
    closeSync(openSync(draft, 'wx', 0o600))
    file.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`)
    syncFile(draft)
    renameSynced(draft, copy)
    return copy
  } catch (error) {
    rmSync(draft, { force: true })
    throw resultCode(error) === undefined ? dataFolderError(folder, error) : error
  }
}

/** Removes all copies of a database and the files that a restore has set aside, because each contains all users from its time. */
export function removeCopies(path: string): void {
  const prefixes = [`${basename(path)}.schema-`, `${basename(path)}.lost-`]
  for (const name of readdirSync(dirname(path))) {
    if (prefixes.some(prefix => name.startsWith(prefix))) rmSync(join(dirname(path), name), { force: true })
  }
}
