/** Reads and creates the master key, which signs cursors and seals secrets. See docs/security.md. */
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { linkSynced, renameSynced, writePrivate } from '../../core/synced-file.ts'
import { type DataFolder, dataFolderError, keyPath, scratchName } from './data-folder.ts'

/**
 * Returns a SQLite store's 32-byte key: SVC_MASTER_KEY (64 hex digits, or 32 bytes in base64), or otherwise the content of a key file in
 * the same folder as the database (mode 0600), which is created on first use. Throws ServiceError `usage`, `data_folder` or `disk_full`.
 */
export function masterKey(folder: DataFolder, fromEnvironment: string | undefined): Uint8Array {
  if (fromEnvironment) return parsedKey(fromEnvironment)
  const path = keyPath(folder)
  try {
    return readKey(path) ?? writeKey(folder, path, randomBytes(32))
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw dataFolderError(folder.path, error)
  }
}

/**
 * Returns the 32-byte key of a store that several nodes share. This is always SVC_MASTER_KEY, because a key file would be different on each
 * node. Throws ServiceError `master_key` if it is not set, and `usage` if it is not a key.
 */
export function sharedMasterKey(fromEnvironment: string | undefined): Uint8Array {
  if (fromEnvironment) return parsedKey(fromEnvironment)
  throw new ServiceError('master_key', 'A PostgreSQL store needs SVC_MASTER_KEY, with the same value on every node.', {
    suggestions: [
      'For a new store, create a key once and keep it safe: export SVC_MASTER_KEY="$(openssl rand -base64 32)"',
      "For an existing store, set it to the other nodes' key.",
    ],
  })
}

/** Returns the key in a data folder's key file, or undefined if there is no key file. Throws ServiceError `data_folder`. */
export function keyOfFolder(folder: DataFolder): Uint8Array | undefined {
  try {
    return readKey(keyPath(folder))
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw dataFolderError(folder.path, error)
  }
}

/** Writes a key to a data folder that has no key file. Throws ServiceError `data_folder` or `disk_full`. */
export function giveKey(folder: DataFolder, key: Uint8Array): void {
  try {
    writeKey(folder, keyPath(folder), key)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw dataFolderError(folder.path, error)
  }
}

/** Returns the key in SVC_MASTER_KEY, or undefined if it is not set. Throws ServiceError `usage`. */
export function keyOfEnvironment(): Uint8Array | undefined {
  const text = process.env['SVC_MASTER_KEY']
  return text ? parsedKey(text) : undefined
}

function parsedKey(text: string): Uint8Array {
  const key = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64')
  if (key.length === 32) return key
  throw new ServiceError(
    'usage',
    'SVC_MASTER_KEY is not a 32-byte key. Set it to 64 hex digits, or to 32 bytes in base64.',
    { suggestions: ['To create a key, run: openssl rand -base64 32'] },
  )
}

function readKey(path: string): Uint8Array | undefined {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
    if (key.length === 32) return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  throw new ServiceError('data_folder', `${path} does not contain a key. It must contain 64 hex digits.`, {
    suggestions: [
      'Restore the file from a backup, or remove it to get a new key. With a new key, older cursors stop working and sealed secrets cannot be opened.',
    ],
  })
}

/**
 * Writes the key file. If two processes do so at the same time, linking a complete file ensures that only one succeeds, and the other reads
 * the file that was written.
 */
function writeKey(folder: DataFolder, path: string, key: Uint8Array): Uint8Array {
  const draft = join(folder.scratch, scratchName('key'))
  writePrivate(draft, `${Buffer.from(key).toString('hex')}\n`)
  try {
    linkSynced(draft, path)
    return key
  } catch (error) {
    if (isDiskFull(error)) throw error
    const other = readKey(path)
    if (other !== undefined) return other
    // the file system does not support links
    renameSynced(draft, path)
    return readKey(path) ?? key
  } finally {
    rmSync(draft, { force: true })
  }
}
