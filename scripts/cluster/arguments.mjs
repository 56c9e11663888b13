/** The arguments of `npm run cluster`, and the programs that it needs. `npm run citus` reads its arguments in the same way. */
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findPostgres, PostgresMissing } from '../../test/kit/postgres/binaries.mjs'

/** A message for the person who started the command, without a stack trace. */
export class Refused extends Error {
  constructor(message, exitCode) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Parses the arguments. A port of 0 means a free one. Throws Refused with exit code 2. */
export function readArguments(args) {
  const options = { port: { type: 'string' }, 'postgres-only': { type: 'boolean', default: false } }
  const { port, 'postgres-only': isPostgresOnly } = parseFlags(
    args,
    options,
    'npm run cluster -- [--port N] [--postgres-only]',
  )
  if (isPostgresOnly && port !== undefined)
    throw new Refused('--port is that of the proxy, which --postgres-only leaves out.', 2)
  return { port: readPort(port), isPostgresOnly }
}

/** Returns the values of flags. Throws Refused with exit code 2, which shows the usage. */
export function parseFlags(args, options, usage) {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Refused(`${error.message}\nUse: ${usage}`, 2)
  }
}

/** Returns the port in the value of --port; 0 without one. Throws Refused with exit code 2. */
export function readPort(port = '0') {
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port)
  throw new Refused('--port is not a port. Use a number from 0 to 65535; 0 picks a free one.', 2)
}

/** Throws Refused with exit code 2 if another program listens on a port. 0 stands for a free one. */
export async function requireFree(port) {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    throw new Refused(
      `Port ${port} cannot be used, probably because another program listens on it. Use another --port.`,
      2,
    )
  }
  server.close()
  await once(server, 'close')
}

/** Returns the path of HAProxy, or undefined if it is not requested. Throws Refused, which lists all missing packages. */
export function findPrograms({ isPostgresOnly }, env = process.env) {
  const why = []
  const packages = []
  try {
    findPostgres(env)
  } catch (error) {
    if (!(error instanceof PostgresMissing)) throw error
    why.push(error.message)
    packages.push('postgresql')
  }
  // Debian's folder is in the PATH of root only
  const folders = [...(env.PATH ?? '').split(path.delimiter), '/usr/sbin']
  const proxy = isPostgresOnly ? undefined : folders.map(folder => path.join(folder, 'haproxy')).find(isProgram)
  if (!isPostgresOnly && proxy === undefined) {
    why.push('There is no haproxy in PATH or /usr/sbin.')
    packages.push('haproxy')
  }
  if (packages.length === 0) return { proxy }
  throw new Refused([...why, `On Debian: apt-get install ${packages.join(' ')}`].join('\n'), 1)
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
