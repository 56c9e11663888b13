/** Checks of the machine: Node, the profile, the data folder, its permissions and its disk. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import pjson from '../../../package.json' with { type: 'json' }
import { looseFiles } from '../../core/private-file.ts'
import { sizeText } from '../../output/throughput.ts'
import { holdsSecret } from '../../profile/config-folder.ts'
import { configFolder } from '../../profile/folders.ts'
import { BUILT_IN_PROFILE, profileFilePath, readProfileFile } from '../../profile/profile-file.ts'
import { resolveSettings, type SettingFlags, type Settings } from '../../profile/settings.ts'
import { privatePaths, scratchFolder } from '../../store/folder/data-folder.ts'
import { freeBytes, hasRoom, LITTLE_BYTES } from '../../store/folder/disk-room.ts'
import { type Finding, ok, problem, toProblem, warning } from './finding.ts'

/** A clock before this date is wrong, because svc is newer. */
const EARLIEST_CLOCK = Date.UTC(2026, 0, 1)

/** Checks the Node version; `version` has the form v20.19.0. */
export function checkNode(version: string = process.version): Finding {
  const oldest = pjson.engines.node.replace(/^>=/, '')
  const numbers = (text: string) => text.replace(/^v/, '').split('.').map(Number)
  const [major = 0, minor = 0] = numbers(version)
  const [leastMajor = 0, leastMinor = 0] = numbers(oldest)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return ok('node', `Node ${version}.`)
  return problem('node', `Node ${version} is too old.`, `Install Node ${oldest} or newer.`)
}

/** Returns the settings, without the profile if it cannot be used. */
export function checkProfile(flags: SettingFlags): { readonly finding: Finding; readonly settings: Settings } {
  try {
    const settings = resolveSettings(flags)
    const where = settings.baseUrl.value === null ? 'the embedded engine' : 'a server'
    return { settings, finding: ok('profile', `Profile "${settings.profile.value}" uses ${where}.`) }
  } catch (error) {
    const finding = toProblem('profile', error)
    const nothing = { current: BUILT_IN_PROFILE, profiles: { [BUILT_IN_PROFILE]: {} } }
    const dataDir = flags.baseUrl === undefined ? flags.dataDir : undefined
    const env = { ...process.env, SVC_PROFILE: '', SVC_BASE_URL: '', SVC_STORE: '', SVC_TIMEOUT: '' }
    return { finding, settings: resolveSettings({ dataDir }, env, nothing) }
  }
}

/** Checks that the data folder can be used or created. */
export function checkFolder(folder: string): Finding {
  const remedy = 'Choose another folder with --data-dir or SVC_DATA_DIR, or change its permissions.'
  if (!existsSync(folder)) {
    const parent = existingParent(folder)
    if (!isUsable(parent)) return problem('data folder', `${folder} cannot be created in ${parent}.`, remedy)
    return ok('data folder', `${folder} does not exist yet. The first command that stores something creates it.`)
  }
  if (!statSync(folder).isDirectory()) return problem('data folder', `${folder} is not a folder.`, remedy)
  const files = [...privatePaths(folder), scratchFolder(folder)].filter(existsSync)
  const closed = files.find(file => !isUsable(file))
  if (closed !== undefined) return problem('data folder', `${closed} cannot be read and written.`, remedy)
  return ok('data folder', `${folder}.`)
}

/** Checks that no other user can read the data and the keys. */
export function checkPermissions(folder: string): Finding {
  const loose = looseFiles([...privatePaths(folder), ...keyFiles()])
  if (loose.length === 0) return ok('permissions', 'Only you can read the data and the keys.')
  return warning(
    'permissions',
    loose.map(each => each.problem).join(' '),
    loose
      .map(each => each.remedy)
      .join('; ')
      .replaceAll('; Run: ', '; '),
  )
}

/** Returns the profile file, if it contains keys or cannot be read. */
function keyFiles(): readonly string[] {
  try {
    const { profiles } = readProfileFile()
    return Object.values(profiles).some(holdsSecret) ? [profileFilePath(configFolder())] : []
  } catch {
    return [profileFilePath(configFolder())]
  }
}

/** Checks the free space on the data folder's disk. */
export function checkDisk(folder: string): Finding {
  const nearest = existingParent(folder)
  const remedy = `Free some space on the disk of ${nearest}, or choose a folder on another disk with --data-dir.`
  const free = freeBytes(nearest)
  // the free space that the system reports may be reserved for others
  const isFull = existsSync(folder) && statSync(folder).isDirectory() && isUsable(folder) && !hasRoom(folder)
  if (isFull || free === 0) return problem('disk space', `The disk of ${nearest} is full.`, remedy)
  if (free < LITTLE_BYTES) return warning('disk space', `${sizeText(free)} are free.`, remedy)
  return ok('disk space', `${sizeText(free)} are free.`)
}

/** Checks the machine's clock, because signatures and expiry depend on it. */
export function checkMachineClock(now: number = Date.now()): Finding {
  const text = new Date(now).toISOString()
  if (now >= EARLIEST_CLOCK) return ok('clock', `The clock of this machine shows ${text}.`)
  return problem('clock', `The clock of this machine shows ${text}, which is in the past.`, 'Set the clock.')
}

function existingParent(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : existingParent(path.dirname(folder))
}

function isUsable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}
