/** The arguments of `npm run citus`, and the extension that it needs. */
import { statSync } from 'node:fs'
import { PostgresMissing } from '../../test/kit/postgres/binaries.mjs'
import { findCitus } from '../../test/kit/postgres/citus.mjs'
import { parseFlags, Refused, readPort } from '../cluster/arguments.mjs'

const USAGE = 'npm run citus -- [--port N] [--folder DIR], or npm run citus -- --add-worker FOLDER'

/**
 * Parses the arguments. A port of 0 means a free one, and no folder the system's folder for temporary files. Throws Refused with exit
 * code 2.
 */
export function readArguments(args) {
  const options = { port: { type: 'string' }, folder: { type: 'string' }, 'add-worker': { type: 'string' } }
  const { port, folder, 'add-worker': addWorkerTo } = parseFlags(args, options, USAGE)
  if (addWorkerTo !== undefined && (port !== undefined || folder !== undefined))
    throw new Refused('--add-worker cannot be combined with --port or --folder: the cluster is running already.', 2)
  if (folder !== undefined && !isFolder(folder)) throw new Refused('--folder is not a folder. Create it first.', 2)
  return { port: readPort(port), folder, addWorkerTo }
}

/** Throws Refused with exit code 1 if there is no Citus here. */
export function requireCitus(env = process.env) {
  try {
    findCitus(env)
  } catch (error) {
    if (error instanceof PostgresMissing) throw new Refused(error.message, 1)
    throw error
  }
}

function isFolder(folder) {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
}
