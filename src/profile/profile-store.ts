/** Changes the profile file. */
import { configIsFull, isDiskFull } from '../core/disk-full.ts'
import { ServiceError } from '../core/errors.ts'
import { syncFolder } from '../core/synced-file.ts'
import { makeConfigFolder } from './config-folder.ts'
import { configFolder } from './folders.ts'
import {
  BUILT_IN_PROFILE,
  PROFILE_FILE,
  type Profile,
  type ProfileFile,
  profileFilePath,
  readProfileFile,
} from './profile-file.ts'

const NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/i

/** Throws ServiceError `usage` if a profile name is invalid. */
export function checkProfileName(name: string): void {
  if (NAME.test(name)) return
  throw new ServiceError(
    'usage',
    'The profile name is invalid. Use 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit.',
  )
}

/** Adds or replaces a profile. */
export async function saveProfile(name: string, profile: Profile): Promise<void> {
  const file = readProfileFile()
  await write({ current: file.current, profiles: { ...file.profiles, [name]: profile } })
}

/** Makes a profile the default. */
export async function useProfile(name: string): Promise<void> {
  const file = readProfileFile()
  await write({ ...file, current: name })
}

/** Removes a profile. If it was the default, `local` becomes the default. */
export async function removeProfile(name: string): Promise<void> {
  const file = readProfileFile()
  const { [name]: _, ...profiles } = file.profiles
  await write({ current: file.current === name ? BUILT_IN_PROFILE : file.current, profiles })
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/**
 * Loads conf without its signal handler. A package that conf uses handles signals to remove temporary files, and raises each signal again.
 * A server would mistake this for a second signal, which ends the server at once. Writes are synchronous here, so a signal never arrives
 * while there is a temporary file.
 */
async function loadConf() {
  const before = SIGNALS.map(name => new Set(process.listeners(name)))
  const { default: Conf } = await import('conf')
  for (const [i, name] of SIGNALS.entries()) {
    for (const listener of process.listeners(name)) if (!before[i]?.has(listener)) process.off(name, listener)
  }
  return Conf
}

/** Writes the file and creates its folder. conf replaces the whole file, using a temporary file that only its owner can read. */
async function write(file: ProfileFile): Promise<void> {
  const Conf = await loadConf()
  const folder = configFolder()
  try {
    makeConfigFolder(folder)
    const conf = new Conf<Record<string, unknown>>({
      cwd: folder,
      configName: PROFILE_FILE,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    })
    conf.store = { current: file.current, profiles: file.profiles }
    syncFolder(folder)
  } catch (error) {
    if (isDiskFull(error)) throw configIsFull(profileFilePath(), error)
    throw new ServiceError('profile_file', `The profile file ${profileFilePath()} cannot be written.`, {
      suggestions: ['Check the permissions of its folder, or choose another folder with SVC_CONFIG_DIR.'],
      cause: error,
    })
  }
}
