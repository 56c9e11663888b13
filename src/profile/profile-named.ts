/** Finds a profile by its name. */
import { didYouMean, ServiceError } from '../core/errors.ts'
import type { Profile, ProfileFile } from './profile-file.ts'

/** Throws ServiceError `unknown_profile` with the nearest names. */
export function profileNamed(file: ProfileFile, name: string): Profile {
  const profile = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined
  if (profile) return profile
  const names = Object.keys(file.profiles)
  throw new ServiceError('unknown_profile', `There is no profile "${name}".${didYouMean(name, names)}`, {
    suggestions: [`Profiles: ${names.join(', ')}. \`svc profile add\` makes one.`],
  })
}
