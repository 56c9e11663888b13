/** The folders of packaging, and the time of its files. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** The folder of package.json. */
export const root = path.dirname(path.dirname(import.meta.dirname))

/** The folder of the finished packages. */
export const out = path.join(root, 'out')

/** Returns the time of the files in packages, in seconds: SOURCE_DATE_EPOCH, or the time of the commit. */
export function sourceDate() {
  return Number(
    process.env.SOURCE_DATE_EPOCH ??
      execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }),
  )
}
