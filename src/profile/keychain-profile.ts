/** Moves a new profile's key into the keychain. */
import { randomBytes } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import { storeKey } from './keychain.ts'
import type { Profile } from './profile-file.ts'

/**
 * Returns the profile with the key's name instead of the key. Throws ServiceError `keychain`, or ServiceError `missing_input` if there is
 * no key.
 */
export function withKeyInKeychain(name: string, { apiKey, ...rest }: Profile): Profile {
  if (apiKey === undefined) {
    throw new ServiceError(
      'missing_input',
      'There is no API key to store in the keychain. Provide it with --api-key-stdin.',
      { suggestions: ['With --base-url on a terminal, svc asks for the key.'] },
    )
  }
  // profiles in different configuration folders may have the same name
  const account = `${name}-${randomBytes(6).toString('hex')}`
  storeKey(account, apiKey)
  return { ...rest, keychain: account }
}
