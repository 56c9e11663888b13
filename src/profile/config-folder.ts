/** The configuration folder on disk, which contains the profiles and their keys. */
import { chmodSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { looseModes } from '../core/private-file.ts'
import { makeFolder } from '../core/synced-file.ts'
import { configFolder } from './folders.ts'
import { type Profile, type ProfileFile, profileFilePath } from './profile-file.ts'

/** The file with the key that `svc listen` uses to sign a server's events. */
export const LISTEN_KEY = 'listen.key'

/** Matches svc's own files and the temporary files that replace them. */
const OURS = /^(?:profiles\.json|listen\.key|init\.json)/

/** Returns whether a profile has a key or a store, whose URL may contain a password. */
export function holdsSecret({ apiKey, store }: Profile): boolean {
  return apiKey !== undefined || store !== undefined
}

/** Returns warnings about files with keys that others can read. */
export function looseKeys({ profiles }: ProfileFile, folder: string = configFolder()): readonly string[] {
  const holdsKeys = Object.values(profiles).some(holdsSecret)
  return looseModes([...(holdsKeys ? [profileFilePath(folder)] : []), path.join(folder, LISTEN_KEY)])
}

/**
 * Creates the folder, accessible only to its owner. Restricts an existing folder to its owner if it contains only svc's own files. A folder
 * with other files stays unchanged; svc's files in it are private. Throws the system's errors.
 */
export function makeConfigFolder(folder: string): void {
  makeFolder(folder)
  if (process.platform === 'win32' || (statSync(folder).mode & 0o077) === 0) return
  if (readdirSync(folder).every(name => OURS.test(name))) chmodSync(folder, 0o700)
}
