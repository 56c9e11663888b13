/**
 * Unpacks the native parts of the single executable, which the system can only load from files. They are verified at each start, because
 * they are executed: a file that has changed, or that somebody else could have written, is replaced.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { getRawAsset } from 'node:sea'
import { isOurs, statOf } from '../../../bin/load-bundle.js'
import { nativeParts, root } from './resources.mjs'

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants

/** Throws an error whose message is for the user if the files cannot be written. */
export function unpackNativeParts() {
  const parent = path.dirname(root)
  try {
    fs.mkdirSync(parent, { recursive: true, mode: 0o700 })
    fs.mkdirSync(root, { recursive: true, mode: 0o700 })
    for (const folder of [parent, root])
      if (!isOurs(statOf(folder))) throw new Error(`other users can write to ${folder}`)
    for (const [name, sum] of Object.entries(nativeParts())) if (!isVerified(name, sum)) unpack(name)
  } catch (error) {
    throw new Error(
      `svc could not unpack its native parts: ${error.message}. It needs a folder that only you can write to. ` +
        'Set SVC_CACHE_DIR to such a folder.',
    )
  }
}

function isVerified(name, sum) {
  let fd
  try {
    fd = fs.openSync(path.join(root, name), O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    const stat = fs.fstatSync(fd)
    return stat.isFile() && isOurs(stat) && sum === createHash('sha256').update(fs.readFileSync(fd)).digest('hex')
  } catch {
    return false
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** Writes a complete file, even for a process that starts at the same time. */
function unpack(name) {
  const file = path.join(root, name)
  const temporary = `${file}.${process.pid}.tmp`
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.rmSync(temporary, { force: true })
  fs.writeFileSync(temporary, Buffer.from(getRawAsset(name)), { mode: 0o600, flag: 'wx' })
  fs.rmSync(file, { recursive: true, force: true })
  fs.renameSync(temporary, file)
}
