/** The profile for `svc serve --save-profile`: which profiles can be used, and which values are stored. */
import { ServiceError } from '../../core/errors.ts'
import { BUILT_IN_PROFILE, type Profile, readProfileFile } from '../../profile/profile-file.ts'
import { checkProfileName, saveProfile } from '../../profile/profile-store.ts'
import type { Settings } from '../../profile/settings.ts'

export interface SavedProfile {
  readonly name: string
  /** The existing profile; null if there is no profile with this name yet. */
  readonly stored: Profile | null
}

/**
 * Returns the profile that keeps the server's key. Throws ServiceError `usage` for an invalid name, and `conflict` if it is not a server
 * profile.
 */
export function profileToSave(name: string): SavedProfile {
  checkProfileName(name)
  const { profiles } = readProfileFile()
  const stored = Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null
  if (stored === null || stored.baseUrl !== undefined) return { name, stored }
  const what = name === BUILT_IN_PROFILE ? 'is built in and' : 'is for a data folder and'
  throw new ServiceError('conflict', `The profile "${name}" ${what} cannot keep the key of a server.`, {
    suggestions: ['Choose another name for --save-profile.'],
  })
}

/** The stored values of a running server. */
interface ServerAccess {
  readonly localUrl: string
  readonly apiKey: string
}

/** Stores the URL and the key in the profile, unless it already has both. Other settings are kept. */
export async function saveToProfile({ name, stored }: SavedProfile, { localUrl, apiKey }: ServerAccess): Promise<void> {
  if (stored?.baseUrl === localUrl && stored.apiKey === apiKey) return
  await saveProfile(name, { ...stored, baseUrl: localUrl, apiKey })
}

/** Throws ServiceError `usage` if the settings select a server, unless it is the saved profile's own server. */
export function checkEmbedded({ baseUrl, profile }: Settings, saved: SavedProfile | null): void {
  if (baseUrl.value === null) return
  const isOfProfile = baseUrl.source === 'profile'
  if (isOfProfile && profile.value === saved?.name) return
  throw new ServiceError(
    'usage',
    `svc serve needs a data folder, but the profile "${profile.value}" or a variable selects a server.`,
    {
      suggestions: [
        'Use --profile local, or give a data folder with --data-dir, or a PostgreSQL store with --store.',
        ...(isOfProfile ? [`To start the server of this profile again, use --save-profile ${profile.value}.`] : []),
      ],
    },
  )
}
