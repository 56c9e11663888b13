/**
 * Links node_modules/.bin/svc to bin/run.js, as npm does for any other package: `npx svc` in this folder then runs it. npm does not link
 * the package of the current folder itself, and npm 11.19 fails to run it.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const modules = path.join(root, 'node_modules')
const target = path.join('..', '..', 'bin', 'run.js')

// as a dependency of another package there is no folder of our own, and npm itself links the command
if (existsSync(modules)) {
  const folder = path.join(modules, '.bin')
  mkdirSync(folder, { recursive: true })
  if (process.platform === 'win32') {
    writeFileSync(path.join(folder, 'svc.cmd'), `@node "%~dp0\\${target}" %*\r\n`)
  } else {
    const link = path.join(folder, 'svc')
    rmSync(link, { force: true })
    symlinkSync(target, link)
    chmodSync(path.join(root, 'bin', 'run.js'), 0o755)
  }
}
