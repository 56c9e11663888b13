/** The main script of the single executable, which does what bin/run.js does for the npm package. */
import { createRequire } from 'node:module'
import path from 'node:path'
import { getAsset } from 'node:sea'
import vm from 'node:vm'
import { loadBundle } from '../../../bin/load-bundle.js'
import { run } from '../../../bin/run.js'
import { executable, readFile, root } from './resources.mjs'
import { unpackNativeParts } from './unpack.mjs'

/** The program that reads a database in a process of its own. Only svc starts it, with a channel for messages. */
const PROGRAM = 'read-database'

const argv = process.argv.slice(2)
if (argv[0] === PROGRAM && process.connected) runProgram()
else run(root, argv, { load, readFile })

function load() {
  try {
    unpackNativeParts()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
    return undefined
  }
  const bundle = loadBundle(root, argv, readFile)
  bundle.useInstallation(executable)
  return bundle
}

/** Runs the program as `node -e` does, with the arguments after its name. */
function runProgram() {
  process.argv.splice(1, 2)
  vm.compileFunction(getAsset(`${PROGRAM}.js`, 'utf8'), ['require'])(createRequire(path.join(root, 'program.js')))
}
