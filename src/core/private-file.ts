/** Warns about files with secrets or health data that other users can read. */
import { statSync } from 'node:fs'

/** Permission bits for everybody except the owner. */
const OTHERS = 0o077

/** Paths already warned about; global, because there is one warning per path and process. */
const told = new Set<string>()

/** A file or folder that others can read or change. */
export interface LooseFile {
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

/** Returns the files and folders that others can read or change. */
export function looseFiles(paths: readonly string[]): readonly LooseFile[] {
  if (process.platform === 'win32') return []
  return paths.flatMap(path => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || (found.mode & OTHERS) === 0) return []
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0')
    const right = found.isDirectory() ? '700' : '600'
    return [
      {
        path,
        problem: `${path} has mode ${mode}: other users may read it.`,
        remedy: `Run: chmod ${right} ${quotedPath(path)}`,
      },
    ]
  })
}

/**
 * Returns a warning for each of these files or folders that others can read or change, with the command that fixes the problem. There is
 * one warning per path and process. There are none on Windows, where modes have no meaning.
 */
export function looseModes(paths: readonly string[]): readonly string[] {
  return looseFiles(paths).flatMap(({ path, problem, remedy }) => {
    if (told.has(path)) return []
    told.add(path)
    return [`Warning: ${problem} ${remedy}`]
  })
}

/** Returns a path quoted for a shell. */
export function quotedPath(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
