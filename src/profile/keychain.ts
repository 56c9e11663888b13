/** Profile keys in the system's keychain: Keychain on macOS, the Credential Manager on Windows, the Secret Service on Linux. */
import { createRequire } from 'node:module'
import { ServiceError } from '../core/errors.ts'

/** Label of the entries in the keychain. */
const KEYCHAIN_SERVICE = 'svc'

const PACKAGE = '@napi-rs/keyring'
// otherwise, the package falls back to the kernel's keyring, which is lost on restart
const OPTIONS = { linux: { store: 'secret-service' } } as const

const WITHOUT = [
  'Without a keychain, set SVC_API_KEY, or store the key in the profile file: add the profile again without --keychain.',
]

type Keyring = typeof import('@napi-rs/keyring')

/** Stores a key under an account name. Throws ServiceError `keychain`. */
export function storeKey(account: string, key: string): void {
  attempt('The key could not be stored in the keychain.', ({ Entry }) =>
    new Entry(KEYCHAIN_SERVICE, account, OPTIONS).setPassword(key),
  )
}

/** Returns a key. Throws ServiceError `keychain` if the keychain cannot be used or does not contain the key. */
export function storedKey(profile: string, account: string): string {
  const what = `The key of the profile "${profile}" could not be read from the keychain.`
  const key = attempt(what, ({ Entry }) => new Entry(KEYCHAIN_SERVICE, account, OPTIONS).getPassword())
  if (key !== null) return key
  throw new ServiceError('keychain', `The keychain has no key for the profile "${profile}".`, {
    suggestions: [
      `Add the profile again with \`svc profile add ${profile} --replace --keychain\`, or set SVC_API_KEY.`,
    ],
  })
}

/** Deletes a key if it exists. Throws ServiceError `keychain`. */
export function deleteKey(profile: string, account: string): void {
  const what = `The key of the profile "${profile}" could not be deleted from the keychain.`
  attempt(what, ({ Entry }) => new Entry(KEYCHAIN_SERVICE, account, OPTIONS).deleteCredential(), [
    `If the keychain is lost, remove the line "keychain": "${account}" from the profile file and repeat the command.`,
  ])
}

/** Runs `use`. Adds the text of keychain errors to the message, because they do not contain keys. */
function attempt<T>(what: string, use: (keyring: Keyring) => T, otherwise: readonly string[] = WITHOUT): T {
  const keyring = loaded(what, otherwise)
  try {
    return use(keyring)
  } catch (cause) {
    const reason = cause instanceof Error && cause.message !== '' ? ` The system says: ${cause.message}` : ''
    throw new ServiceError('keychain', `${what}${reason}`, {
      suggestions: [
        process.platform === 'linux'
          ? 'Start and unlock a Secret Service, such as GNOME Keyring or KWallet, in this session (DBUS_SESSION_BUS_ADDRESS).'
          : 'Unlock the keychain, and allow svc to use it.',
        ...otherwise,
      ],
      cause,
    })
  }
}

/**
 * Loads the keychain package. The package contains native code, so it is outside the bundle. It is optional, because not every platform has
 * it.
 */
function loaded(what: string, otherwise: readonly string[]): Keyring {
  try {
    // the types come from the required package
    return createRequire(import.meta.url)(PACKAGE) as Keyring
  } catch (cause) {
    throw new ServiceError('keychain', `${what} The package ${PACKAGE} is not installed.`, {
      suggestions: ['Install svc again without --omit=optional, or install the package beside it.', ...otherwise],
      cause,
    })
  }
}
