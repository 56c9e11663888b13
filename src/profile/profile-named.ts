/** Finds a profile by its name. */
import { didYouMean, ServiceError } from '../core/errors.ts'
import type { Profile, ProfileFile } from './profile-file.ts'

/** Returns a profile. Throws ServiceError `unknown_profile`, which names the nearest profiles. */
export function profileNamed(file: ProfileFile, name: string): Profile {
  const profile = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined
  if (profile) return profile
  const names = Object.keys(file.profiles)
  throw new ServiceError('unknown_profile', `No profile is named "${name}".${didYouMean(name, names)}`, {
    suggestions: [`Profiles: ${names.join(', ')}. Add one with \`svc profile add\`.`],
  })
}
