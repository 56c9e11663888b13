/** Shows profiles, but never their complete API keys or store passwords. */
import { parseStoreUrl, shownStore } from '../../core/store-url.ts'
import type { Profile } from '../../profile/profile-file.ts'
import { maskKey, parseTimeout } from '../../profile/settings.ts'

/** One profile as --json prints it. */
export interface ProfileDocument {
  readonly name: string
  /** Whether it is the default profile. */
  readonly current: boolean
  /** The base URL; null for the embedded engine. */
  readonly base_url: string | null
  /** The first and last characters of the API key. */
  readonly api_key: string | null
  /** Location of the key; null if there is none. A key in the keychain is not shown, because this would require access to the keychain. */
  readonly api_key_in: 'profile_file' | 'keychain' | null
  readonly data_dir: string | null
  /** The store URL without the password; null for the SQLite store in the data folder, and for an invalid URL in the file. */
  readonly store: string | null
  readonly header_prefix: string | null
  /** The timeout; null for the default, and for an invalid value in the file. */
  readonly timeout_ms: number | null
  readonly public_url: string | null
}

export function profileDocument(name: string, profile: Profile, current: string): ProfileDocument {
  return {
    name,
    current: name === current,
    base_url: profile.baseUrl ?? null,
    api_key: profile.apiKey === undefined ? null : maskKey(profile.apiKey),
    api_key_in: keyLocation(profile),
    data_dir: profile.dataDir ?? null,
    store: storeName(profile),
    header_prefix: profile.headerPrefix ?? null,
    timeout_ms: profileTimeout(profile),
    public_url: profile.publicUrl ?? null,
  }
}

function keyLocation({ apiKey, keychain }: Profile): ProfileDocument['api_key_in'] {
  if (keychain !== undefined) return 'keychain'
  return apiKey === undefined ? null : 'profile_file'
}

// a profile that was corrupted by hand can still be listed and removed

function storeName({ store }: Profile): string | null {
  if (store === undefined) return null
  try {
    return shownStore(parseStoreUrl(store))
  } catch {
    return null
  }
}

function profileTimeout({ timeout }: Profile): number | null {
  if (timeout === undefined) return null
  try {
    return parseTimeout(timeout)
  } catch {
    return null
  }
}
