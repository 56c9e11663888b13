/**
 * Resolves a command's settings. Each comes from a flag, an environment variable, the profile or the default, in this order of precedence.
 */
import path from 'node:path'
import { ServiceError } from '../core/errors.ts'
import { parseStoreUrl, type StoreUrl, shownStore, storeUrlOfArgument } from '../core/store-url.ts'
import { defaultDataFolder } from './folders.ts'
import { storedKey } from './keychain.ts'
import { BUILT_IN_PROFILE, type Profile, type ProfileFile, readProfileFile } from './profile-file.ts'
import { profileNamed } from './profile-named.ts'

/** A value's origin. */
export type SettingSource = 'flag' | 'variable' | 'profile' | 'default'

export interface Setting<T> {
  readonly value: T
  readonly source: SettingSource
}

export interface Settings {
  readonly profile: Setting<string>
  /** Base URL of the server; null for the embedded engine. */
  readonly baseUrl: Setting<string | null>
  /** The API key. If the key is in the keychain, reading it accesses the keychain, and throws ServiceError `keychain` on failure. */
  readonly apiKey: Setting<string | null>
  /** Absolute path of the embedded engine's data folder. */
  readonly dataDir: Setting<string>
  /** The embedded engine's PostgreSQL store, possibly with its password; null for the SQLite store in the data folder. */
  readonly store: Setting<StoreUrl | null>
  readonly headerPrefix: Setting<string | null>
  readonly timeoutMs: Setting<number>
  readonly publicUrl: Setting<string | null>
}

/** Settings from flags; undefined if the flag was not used. */
export interface SettingFlags {
  readonly profile?: string | undefined
  readonly baseUrl?: string | undefined
  readonly dataDir?: string | undefined
  readonly store?: string | undefined
}

/** Returns the data's location, for display and for logs: the server, the store without its password, or the data folder. */
export function dataLocation({ baseUrl, store, dataDir }: Settings): string {
  return baseUrl.value ?? (store.value === null ? dataDir.value : shownStore(store.value))
}

type Environment = Readonly<Record<string, string | undefined>>

export const DEFAULT_TIMEOUT_MS = 30_000

/** Resolves all settings. Throws ServiceError `profile_file`, `unknown_profile`, or `usage` for an invalid value. */
export function resolveSettings(
  flags: SettingFlags,
  env: Environment = process.env,
  file: ProfileFile = readProfileFile(),
): Settings {
  const { baseUrl: server, dataDir, store } = flags
  if (server !== undefined && (dataDir !== undefined || store !== undefined)) {
    const other = dataDir === undefined ? '--store' : '--data-dir'
    throw new ServiceError(
      'usage',
      `--base-url and ${other} cannot be combined, because a server has its own data. Use only one.`,
    )
  }
  const profile = first<string>([
    ['flag', flags.profile],
    ['variable', text(env['SVC_PROFILE'])],
    ['profile', file.current === BUILT_IN_PROFILE ? undefined : file.current],
    ['default', BUILT_IN_PROFILE],
  ])
  const stored = profileNamed(file, profile.value)
  const baseUrl = settleBaseUrl(flags, env, stored)
  return {
    profile,
    baseUrl,
    apiKey: settleKey(baseUrl, env, profile.value, stored),
    dataDir: resolved(
      first<string>([
        ['flag', flags.dataDir],
        ['variable', text(env['SVC_DATA_DIR'])],
        ['profile', stored.dataDir],
        ['default', defaultDataFolder(env)],
      ]),
    ),
    store: settleStore(flags, env, stored),
    headerPrefix: withoutFlag(env['SVC_HEADER_PREFIX'], stored.headerPrefix),
    timeoutMs: settleTimeout(env, stored),
    publicUrl: withoutFlag(env['SVC_PUBLIC_URL'], stored.publicUrl),
  }
}

/** Resolves the store. A password must not come from an argument, because other users can read arguments. */
function settleStore(flags: SettingFlags, env: Environment, stored: Profile): Setting<StoreUrl | null> {
  if (flags.store !== undefined) return { value: storeUrlOfArgument(flags.store, '--store'), source: 'flag' }
  const { value, source } = withoutFlag(env['SVC_STORE'], stored.store)
  return { value: value === null ? null : parseStoreUrl(value), source }
}

/** Resolves the base URL. A --data-dir or --store flag selects the embedded engine, regardless of the profile. */
function settleBaseUrl(flags: SettingFlags, env: Environment, stored: Profile): Setting<string | null> {
  if (flags.dataDir !== undefined || flags.store !== undefined) return { value: null, source: 'flag' }
  const found = first<string | null>([
    ['flag', flags.baseUrl],
    ['variable', text(env['SVC_BASE_URL'])],
    ['profile', stored.baseUrl],
    ['default', null],
  ])
  return found.value === null ? found : { value: checkBaseUrl(found.value), source: found.source }
}

/**
 * Resolves the key. A profile's key is sent only to that profile's server. In a profile without a server, it is the key of a team in the
 * data folder.
 */
function settleKey(
  baseUrl: Setting<string | null>,
  env: Environment,
  name: string,
  stored: Profile,
): Setting<string | null> {
  const own =
    baseUrl.value === null || stored.baseUrl === undefined
      ? baseUrl.value === null && stored.baseUrl === undefined
      : sameOrigin(baseUrl.value, stored.baseUrl)
  const given = text(env['SVC_API_KEY'])
  const { keychain } = stored
  if (given === undefined && own && keychain !== undefined) return inKeychain(name, keychain)
  return withoutFlag(given, own ? stored.apiKey : undefined)
}

/** Returns a setting that accesses the keychain once, and only when the key is needed, because the keychain may prompt the user. */
function inKeychain(name: string, account: string): Setting<string | null> {
  let key: string | undefined
  return {
    get value() {
      key ??= storedKey(name, account)
      return key
    },
    source: 'profile',
  }
}

function settleTimeout(env: Environment, stored: Profile): Setting<number> {
  const given = withoutFlag(env['SVC_TIMEOUT'], stored.timeout)
  if (given.value === null) return { value: DEFAULT_TIMEOUT_MS, source: 'default' }
  return { value: parseTimeout(given.value), source: given.source }
}

const TIMEOUT_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

/** Converts `1500ms`, `30s`, `2m` or a plain number of seconds to milliseconds. Throws ServiceError `usage`. */
export function parseTimeout(given: string): number {
  const [, number, unit = 's'] = /^(\d{1,7})(ms|s|m)?$/.exec(given.trim()) ?? []
  const size = number === undefined ? 0 : Number(number) * (TIMEOUT_UNITS[unit] ?? 0)
  if (size > 0 && size <= 3_600_000) return size
  throw new ServiceError(
    'usage',
    'The timeout is invalid. Use a number of seconds, or a number with a unit such as 1500ms, 30s or 2m. The maximum is one hour.',
  )
}

/** Returns an http or https URL without a user name, query, fragment or trailing slashes. Throws ServiceError `usage`. */
export function checkBaseUrl(given: string): string {
  let url: URL | undefined
  try {
    url = new URL(given)
  } catch {}
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!url || !isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ServiceError(
      'usage',
      'The base URL is invalid. Use an http or https URL such as https://api.example.com, without user name, query or fragment.',
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** Returns the part of a key that may be shown: its first six and last four characters, or nothing if the key is short. */
export function maskKey(key: string): string {
  return key.length < 16 ? '…' : `${key.slice(0, 6)}…${key.slice(-4)}`
}

function sameOrigin(a: string, b: string): boolean {
  try {
    return new URL(a).origin === new URL(b).origin
  } catch {
    return false
  }
}

/** Resolves a setting that has no flag; null if it is not set. */
function withoutFlag(variable: string | undefined, stored: string | undefined): Setting<string | null> {
  return first<string | null>([
    ['variable', text(variable)],
    ['profile', stored],
    ['default', null],
  ])
}

function first<T>(candidates: readonly (readonly [SettingSource, T | undefined])[]): Setting<T> {
  for (const [source, value] of candidates) if (value !== undefined) return { value, source }
  throw new Error('the last candidate must be the default and have a value')
}

/** Treats an empty variable as unset. */
function text(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function resolved(setting: Setting<string>): Setting<string> {
  return { value: path.resolve(setting.value), source: setting.source }
}
