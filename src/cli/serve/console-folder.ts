/** Locates the console's files. */
import path from 'node:path'

/** Returns the folder that the build writes them to. `root` is the folder of the package. */
export function consoleFolder(root: string): string {
  return path.join(root, 'dist', 'console')
}
