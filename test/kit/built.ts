/**
 * Builds before the first test if a source file is newer than the bundle: `npm test` has already built, but a run of a single test file may
 * not have.
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The scripts are plain JavaScript, without types. */
interface BuildScript {
  isStale(): boolean
  buildBundle(): Promise<unknown>
}

export default async function ensureBuilt(): Promise<void> {
  const file = path.join(import.meta.dirname, '..', '..', 'scripts', 'build.mjs')
  const script: BuildScript = await import(pathToFileURL(file).href)
  if (script.isStale()) await script.buildBundle()
}
