/** Says of files that hold secrets or health data whether others can read them. */
import { statSync } from 'node:fs'

/** What anybody but the owner may do. */
const OTHERS = 0o077

const told = new Set<string>()

/**
 * A warning for each of these files or folders that others can read or change, with the command that ends it; once a process.
 * On Windows modes say nothing, so there is none.
 */
export function looseModes(paths: readonly string[]): readonly string[] {
  if (process.platform === 'win32') return []
  return paths.flatMap(path => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || (found.mode & OTHERS) === 0 || told.has(path)) return []
    told.add(path)
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0')
    const right = found.isDirectory() ? '700' : '600'
    return [`Warning: ${path} has mode ${mode}: other users may read it. Run: chmod ${right} ${quotedPath(path)}`]
  })
}

/** A path as a shell takes it. */
export function quotedPath(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
