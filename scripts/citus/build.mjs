/**
 * `node scripts/citus/build.mjs SOURCE`: builds Citus for the PostgreSQL of this machine from a source tree, and installs it. On Debian, as
 * root, because the extension belongs to PostgreSQL. See docs/citus.md.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { findPostgres, PostgresMissing } from '../../test/kit/postgres/binaries.mjs'
import { Refused } from '../cluster/arguments.mjs'
import { isSource, mendSource } from './source.mjs'

/** A file of each Debian package that the build needs, besides the server's headers. */
const PACKAGES = {
  gcc: '/usr/bin/gcc',
  make: '/usr/bin/make',
  'libpq-dev': '/usr/include/postgresql/libpq-fe.h',
  'libssl-dev': '/usr/include/openssl/ssl.h',
  'libkrb5-dev': '/usr/include/gssapi/gssapi.h',
  'liblz4-dev': '/usr/include/lz4.h',
  'libzstd-dev': '/usr/include/zstd.h',
}

try {
  build(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Refused)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}

function build([source, ...others]) {
  if (source === undefined || others.length > 0) throw new Refused('Use: node scripts/citus/build.mjs SOURCE', 2)
  if (!isSource(source)) throw new Refused(`${source} is not a source tree of Citus: it has no configure script.`, 2)
  const { config, version } = foundPostgres()
  requirePackages(config, version)
  const target = read(config, '--pkglibdir')
  if (!isWritable(target)) throw new Refused(`${target} is not writable. Run this command as root.`, 1)
  if (mendSource(source, read(config, '--includedir-server')))
    console.error('Removed a function from pg_version_compat.h that PostgreSQL has exported since 15.20.')
  run(source, './configure', [`PG_CONFIG=${config}`, '--without-libcurl'])
  run(source, 'make', [`-j${availableParallelism()}`])
  run(source, 'make', ['install'])
  console.error(`Citus is installed for PostgreSQL ${version}. Try it: npm run citus`)
}

function foundPostgres() {
  try {
    const { folder, version } = findPostgres()
    return { config: path.join(folder, 'pg_config'), version }
  } catch (error) {
    if (error instanceof PostgresMissing) throw new Refused(error.message, 1)
    throw error
  }
}

/** Throws Refused, which lists all missing packages. */
function requirePackages(config, version) {
  const missing = Object.entries(PACKAGES).filter(([, file]) => !existsSync(file))
  const names = missing.map(([name]) => name)
  if (!existsSync(config) || !existsSync(path.join(read(config, '--includedir-server'), 'postgres.h')))
    names.unshift(`postgresql-server-dev-${version}`)
  if (names.length > 0)
    throw new Refused(`The build needs other packages. On Debian: apt-get install ${names.join(' ')}`, 1)
}

function read(config, option) {
  return execFileSync(config, [option], { encoding: 'utf8' }).trim()
}

/** Runs a step of the build in the source tree. Its output is passed through. */
function run(cwd, command, args) {
  console.error(`── ${command} ${args.join(' ')}`)
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Refused(`${command} failed (${status}); its output is above.`, 1)
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
