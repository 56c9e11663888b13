/** The installation of the single executable: files come from memory, except for the native parts, which are unpacked. */
import { readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { getAsset, getRawAsset } from 'node:sea'
import { cacheFolder } from '../../../bin/load-bundle.js'

const listOf = name => JSON.parse(getAsset(name, 'utf8'))

/** The native parts: a hash of them all, and the SHA-256 of each file, by path. */
export const nativeParts = () => listOf('native.json')

/** The folder that native parts are unpacked to, which also stands for the folder of package.json. */
export const root = path.join(privateFolder(), `native-${getAsset('native.hash', 'utf8')}`)

/** Returns the folder of this user's caches. Without variables, it is in the home folder that the system has for the user, if any. */
function privateFolder() {
  try {
    return cacheFolder() ?? path.join(homedir(), '.cache', 'svc')
  } catch {
    return path.join(tmpdir(), `svc-${process.getuid()}`)
  }
}

/** Returns the name of a resource, which is its path below the folder of package.json; undefined for other files. */
function resourceName(file) {
  const name = path.relative(root, file)
  return name.startsWith('..') || path.isAbsolute(name) ? undefined : name.split(path.sep).join('/')
}

/** Returns the content of a file that ships with svc, or of any other file. */
export function readFile(file) {
  const name = resourceName(file)
  if (name === undefined) return readFileSync(file)
  try {
    return Buffer.from(getRawAsset(name))
  } catch {
    throw Object.assign(new Error(`svc contains no file ${name}`), { code: 'ENOENT' })
  }
}

let names

/** @type {import('../../../src/core/installation/installation.ts').Installation} */
export const executable = {
  read: readFile,
  list: folder => {
    const start = `${resourceName(folder)}/`
    names ??= listOf('files.json')
    return names.filter(name => name.startsWith(start)).map(name => name.slice(start.length))
  },
  modifiedAt: file => {
    try {
      readFile(file)
      return 0
    } catch {
      return undefined
    }
  },
  bundleExpression: () => `(() => {
    const module = { exports: {} }
    const code = require('node:sea').getAsset('thread.js', 'utf8')
    require('node:vm').compileFunction(code, ['require', 'module', 'exports'])(require, module, module.exports)
    return module.exports.bundle
  })()`,
  ownCommand: (_root, args) => ({ command: process.execPath, args, env: {} }),
  programCommand: ({ name, flags, args }) => ({
    command: process.execPath,
    args: [name, ...args],
    env: { NODE_OPTIONS: flags.join(' ') },
  }),
}
