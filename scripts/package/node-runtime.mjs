/** Versions of Node from npm, whose content is checked: the one that the single executable contains, and those that the tests run. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { root } from './folders.mjs'

/** The packages of each platform by major version, with the integrity that npm lists for them. */
const PLATFORMS = {
  'linux-x64': {
    22: ['22.23.5', 'sha512-3jhC+wcoWxKZxcRqF2sUSl0c9HEXFnur/nuIPx6O6CWKV0jOUWQm7Htw5SuXqqlMCEhi0cJqybFPEb5hhcBiMw=='],
    24: ['24.22.3', 'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA=='],
  },
}

/** Returns the folder of the unpacked package, which is downloaded once. `bin/node` in it is the program. */
export function nodeRuntime(major) {
  const platform = `${process.platform}-${process.arch}`
  const known = PLATFORMS[platform]?.[major]
  if (known === undefined) {
    const allowed = Object.keys(PLATFORMS).join(' or ')
    throw new Error(`Packages for ${platform} are not supported. Build them on ${allowed}.`)
  }
  const [version, integrity] = known
  const name = `node-${platform}`
  const folder = path.join(root, 'node_modules', '.cache', 'svc-package', `${name}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(path.dirname(folder), { recursive: true })
  const scratch = mkdtempSync(`${folder}-`)
  try {
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', scratch, `${name}@${version}`], {
      cwd: scratch,
      encoding: 'utf8',
    })
    const file = path.join(scratch, JSON.parse(packed)[0].filename)
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
    if (found !== integrity)
      throw new Error(`${name}@${version} has the integrity ${found}, but ${integrity} is expected. It was not used.`)
    execFileSync('tar', ['xzf', file, '-C', scratch])
    renameSync(path.join(scratch, 'package'), folder)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return folder
}
