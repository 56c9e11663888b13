/**
 * The secret that `svc listen` and `svc event test-consumer` sign with. Each data folder or profile has one, which stays the same so that a
 * handler is configured only once.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { configIsFull, isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseSigningSecret, secretText } from '../../core/signing-secret.ts'
import { linkSynced, renameSynced, writePrivate } from '../../core/synced-file.ts'
import { LISTEN_KEY, makeConfigFolder } from '../../profile/config-folder.ts'
import { configFolder } from '../../profile/folders.ts'
import type { Settings } from '../../profile/settings.ts'
import { openDataFolder } from '../../store/folder/data-folder.ts'
import { masterKey, sharedMasterKey } from '../../store/folder/master-key.ts'

/** The variable that overrides the secret, for example with the secret of a real endpoint. */
export const SECRET_VARIABLE = 'SVC_WEBHOOK_SECRET'

const SECRET_BYTES = 32

/**
 * Returns `whsec_…`: the value of SVC_WEBHOOK_SECRET, or else a secret derived from the data folder's master key or, for a server, from a
 * 0600 file in the configuration folder and the profile's name. Throws ServiceError `usage`, `data_folder`, `master_key` or `profile_file`.
 */
export function listenSecret(
  settings: Pick<Settings, 'baseUrl' | 'dataDir' | 'store' | 'profile'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const given = env[SECRET_VARIABLE]
  if (given) {
    const read = parseSigningSecret(given)
    if ('key' in read) return given
    throw new ServiceError('usage', `${SECRET_VARIABLE} ${read.problem}.`, {
      suggestions: ['`svc webhook create` and `svc webhook rotate-secret` show the secret of an endpoint once.'],
    })
  }
  if (settings.baseUrl.value === null) {
    const given = env['SVC_MASTER_KEY']
    const key = settings.store.value ? sharedMasterKey(given) : masterKey(openDataFolder(settings.dataDir.value), given)
    return derived(key, 'data folder')
  }
  return derived(profileKey(configFolder(env)), `profile\0${settings.profile.value}`)
}

function derived(key: Uint8Array, of: string): string {
  return secretText(new Uint8Array(hkdfSync('sha256', key, '', `svc listen\0${of}`, SECRET_BYTES)))
}

function profileKey(folder: string): Uint8Array {
  const file = path.join(folder, LISTEN_KEY)
  try {
    return readKey(file) ?? makeKey(folder, file)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    if (isDiskFull(error)) throw configIsFull(file, error)
    throw new ServiceError('profile_file', `The key of svc listen cannot be stored in ${file}.`, {
      suggestions: [
        `Check the permissions of its folder, use another folder with SVC_CONFIG_DIR, or set ${SECRET_VARIABLE}.`,
      ],
      cause: error,
    })
  }
}

function readKey(file: string): Uint8Array | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  throw new ServiceError('profile_file', `${file} does not contain a key of 64 hex digits.`, {
    suggestions: [
      'Remove the file to create a new key, then give the new secret to every handler that used the old one.',
    ],
  })
}

/** Stores a new key. If two processes do this at the same time, only one can link its complete file, and the other reads that key. */
function makeKey(folder: string, file: string): Uint8Array {
  makeConfigFolder(folder)
  const key = randomBytes(SECRET_BYTES)
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    writePrivate(draft, `${key.toString('hex')}\n`)
    linkSynced(draft, file)
    return key
  } catch (error) {
    const other = readKey(file)
    if (other !== undefined) return other
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || isDiskFull(error)) throw error
    // Fallback for a file system without links.
    renameSynced(draft, file)
    return readKey(file) ?? key
  } finally {
    rmSync(draft, { force: true })
  }
}
