/** How a profile is shown: its key never whole. */
import type { Profile } from '../../profile/profile-file.ts'
import { maskKey, parseTimeout } from '../../profile/settings.ts'

/** One profile as --json prints it. */
export interface ProfileDocument {
  readonly name: string
  /** Whether it is the one used when none is named. */
  readonly current: boolean
  /** Null: the embedded engine. */
  readonly base_url: string | null
  /** Its first and last characters. */
  readonly api_key: string | null
  readonly data_dir: string | null
  readonly header_prefix: string | null
  /** Null: the default, or a text in the file that is no time-out. */
  readonly timeout_ms: number | null
  readonly public_url: string | null
}

export function profileDocument(name: string, profile: Profile, current: string): ProfileDocument {
  return {
    name,
    current: name === current,
    base_url: profile.baseUrl ?? null,
    api_key: profile.apiKey === undefined ? null : maskKey(profile.apiKey),
    data_dir: profile.dataDir ?? null,
    header_prefix: profile.headerPrefix ?? null,
    timeout_ms: timeoutOf(profile),
    public_url: profile.publicUrl ?? null,
  }
}

/** A profile that was edited by hand into something wrong can still be listed and removed. */
function timeoutOf({ timeout }: Profile): number | null {
  if (timeout === undefined) return null
  try {
    return parseTimeout(timeout)
  } catch {
    return null
  }
}
