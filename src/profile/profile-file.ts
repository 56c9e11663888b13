/** Reads and checks the profile file. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ServiceError } from '../core/errors.ts'
import { configFolder } from './folders.ts'

/** A profile's settings. All are optional; an empty profile uses the embedded engine with its default folder. */
export interface Profile {
  /** Server base URL; if absent, the embedded engine is used. */
  readonly baseUrl?: string
  readonly apiKey?: string
  /** Name of the key in the system's keychain. Replaces `apiKey` (keychain.ts). */
  readonly keychain?: string
  /** Data folder of the embedded engine. */
  readonly dataDir?: string
  /** URL of the embedded engine's PostgreSQL store. It may contain the password. */
  readonly store?: string
  /** Prefix in `x-<prefix>-api-key`, for a server whose headers do not start with `x-service-`. */
  readonly headerPrefix?: string
  /** Timeout for each call, such as `30s`. */
  readonly timeout?: string
  /** Base URL of the link page, for the embedded engine. */
  readonly publicUrl?: string
}

export interface ProfileFile {
  /** The default profile. */
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
}

/** The profile that exists even without a file. It uses the embedded engine. */
export const BUILT_IN_PROFILE = 'local'

export const PROFILE_FIELDS = [
  'baseUrl',
  'apiKey',
  'keychain',
  'dataDir',
  'store',
  'headerPrefix',
  'timeout',
  'publicUrl',
] as const satisfies readonly (keyof Profile)[]

/** Name of the file in the configuration folder, without `.json`. */
export const PROFILE_FILE = 'profiles'

/** Returns the path of the profile file, which may not exist. */
export function profileFilePath(folder: string = configFolder()): string {
  return path.join(folder, `${PROFILE_FILE}.json`)
}

/**
 * Reads the profiles, which always include `local`. Parses the JSON directly. conf, which writes the file, takes 95 ms to load, which is
 * longer than most commands take. Throws ServiceError `profile_file`.
 */
export function readProfileFile(file: string = profileFilePath()): ProfileFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return { current: BUILT_IN_PROFILE, profiles: { [BUILT_IN_PROFILE]: {} } }
    throw broken(file, 'cannot be read', error)
  }
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw broken(file, 'is not valid JSON', error)
  }
  if (!isObject(document)) throw broken(file, 'does not contain a JSON object')
  const { current = BUILT_IN_PROFILE, profiles = {} } = document
  if (typeof current !== 'string') throw broken(file, 'has a "current" that is not a string')
  if (!isObject(profiles)) throw broken(file, 'has a "profiles" that is not an object')
  const checked: Record<string, Profile> = { [BUILT_IN_PROFILE]: {} }
  for (const [name, profile] of Object.entries(profiles)) checked[name] = checkProfile(file, name, profile)
  return { current, profiles: checked }
}

function checkProfile(file: string, name: string, profile: unknown): Profile {
  if (!isObject(profile)) throw broken(file, `has a profile "${name}" that is not an object`)
  const known: Record<string, string> = {}
  for (const field of PROFILE_FIELDS) {
    const value = profile[field]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw broken(file, `has a "${field}" in profile "${name}" that is not a string`)
    known[field] = value
  }
  return known
}

function broken(file: string, what: string, cause?: unknown): ServiceError {
  return new ServiceError('profile_file', `The profile file ${file} ${what}.`, {
    suggestions: [
      'Repair it, or move it away and add the profiles again with `svc profile add`.',
      'To use another folder, set SVC_CONFIG_DIR.',
    ],
    cause,
  })
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
