/** Locations of the profile file and the embedded engine's data on each platform. */
import { homedir } from 'node:os'
import path from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the folder of the profile file: SVC_CONFIG_DIR, or the platform's settings folder. */
export function configFolder(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  if (env['SVC_CONFIG_DIR']) return path.resolve(env['SVC_CONFIG_DIR'])
  if (platform === 'win32')
    return path.join(env['APPDATA'] ?? path.join(home(env), 'AppData', 'Roaming'), 'svc', 'Config')
  if (platform === 'darwin') return path.join(home(env), 'Library', 'Preferences', 'svc')
  return path.join(absolute(env['XDG_CONFIG_HOME']) ?? path.join(home(env), '.config'), 'svc')
}

/** Returns the embedded engine's default data folder. */
export function defaultDataFolder(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] ?? path.join(home(env), 'AppData', 'Local'), 'svc')
  if (platform === 'darwin') return path.join(home(env), 'Library', 'Application Support', 'svc')
  return path.join(absolute(env['XDG_DATA_HOME']) ?? path.join(home(env), '.local', 'share'), 'svc')
}

/** Returns the path unless it is relative, because the XDG Base Directory Specification requires absolute paths. */
function absolute(folder: string | undefined): string | undefined {
  return folder && path.isAbsolute(folder) ? folder : undefined
}

function home(env: Environment): string {
  return env['HOME'] || env['USERPROFILE'] || homedir()
}
