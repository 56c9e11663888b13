/** The configuration folder on the disk: profiles with their keys lie in it. */
import { chmodSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { looseModes } from '../core/private-file.ts'
import { makeFolder } from '../core/synced-file.ts'
import { configFolder } from './folders.ts'
import { type ProfileFile, profileFilePath } from './profile-file.ts'

/** The key that `svc listen` signs with for a server. */
export const LISTEN_KEY = 'listen.key'

/** Files of ours, and what is being written in their place. */
const OURS = /^(?:profiles\.json|listen\.key)/

/** Warnings about files that hold keys and that others can read. */
export function looseKeys({ profiles }: ProfileFile, folder: string = configFolder()): readonly string[] {
  const holdsKeys = Object.values(profiles).some(({ apiKey }) => apiKey !== undefined)
  return looseModes([...(holdsKeys ? [profileFilePath(folder)] : []), path.join(folder, LISTEN_KEY)])
}

/**
 * Makes the folder for its owner alone. One that others can enter is closed to them when it holds nothing but files of ours; a
 * folder that is shared with something else stays as it is, and each file in it is private by itself. Throws what the system says.
 */
export function makeConfigFolder(folder: string): void {
  makeFolder(folder)
  if (process.platform === 'win32' || (statSync(folder).mode & 0o077) === 0) return
  if (readdirSync(folder).every(name => OURS.test(name))) chmodSync(folder, 0o700)
}
