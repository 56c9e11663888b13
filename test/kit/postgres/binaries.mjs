/** Finds the programs of PostgreSQL, and the user that runs them. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import path from 'node:path'

/** The oldest version that svc supports. */
export const LEAST_VERSION = 15

/** Where Debian puts one folder for each version, outside PATH. */
const DEBIAN = '/usr/lib/postgresql'

const NEEDED = ['initdb', 'postgres', 'pg_basebackup', 'psql']

/** Explains why there is no PostgreSQL to start, and what to do. */
export class PostgresMissing extends Error {}

/**
 * Returns the folder with the programs of the newest PostgreSQL here, and its version. Looks in PATH and in Debian's folders;
 * SVC_TEST_POSTGRES_BIN sets the only folder to look in. Throws PostgresMissing.
 */
export function findPostgres(env = process.env) {
  const only = env.SVC_TEST_POSTGRES_BIN
  const folders = only ? [only] : [...(env.PATH ?? '').split(path.delimiter), ...debianFolders()]
  const found = folders.flatMap(folder => {
    const version = NEEDED.every(name => isProgram(path.join(folder, name))) ? versionIn(folder) : undefined
    return version === undefined ? [] : [{ folder, version }]
  })
  const [newest] = found.toSorted((a, b) => b.version - a.version)
  if (newest && newest.version >= LEAST_VERSION) return newest
  const where = only ? `in ${only}` : `in PATH or ${DEBIAN}`
  throw new PostgresMissing(
    newest
      ? `PostgreSQL ${newest.version} ${where} is too old. svc needs PostgreSQL ${LEAST_VERSION} or newer.`
      : `There is no PostgreSQL ${where} (${NEEDED.join(', ')}). On Debian: apt-get install postgresql`,
  )
}

/** Returns the user that runs PostgreSQL, which refuses to run as root; undefined: the user of this process. Throws PostgresMissing. */
export function postgresOwner() {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  throw new PostgresMissing('PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.')
}

function debianFolders() {
  try {
    return readdirSync(DEBIAN).map(version => path.join(DEBIAN, version, 'bin'))
  } catch {
    return []
  }
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function versionIn(folder) {
  const [, version] = /\(PostgreSQL\) (\d+)/.exec(output(path.join(folder, 'postgres'), ['--version'])) ?? []
  return version === undefined ? undefined : Number(version)
}

function idOf(option, user) {
  const id = output('id', [option, user]).trim()
  return id === '' ? undefined : Number(id)
}

/** Returns the stdout of a program; empty if it fails. */
function output(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}
