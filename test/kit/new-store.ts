/** A temporary folder with a store that nobody has used yet. To create its tables takes five times as long as to copy them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEngine } from '../../src/engine/open.ts'
import { temporaryFolder } from './folder.ts'

let files: ReadonlyMap<string, Uint8Array> | undefined

/** The engine creates the first one; its files are copied for the others. */
export async function newStore(): Promise<string> {
  const folder = temporaryFolder()
  if (files === undefined) {
    await openEngine({ dataDir: folder, waitForLock: 'blocking' }).close()
    const names = readdirSync(folder, { withFileTypes: true }).flatMap(each => (each.isFile() ? [each.name] : []))
    files = new Map(names.map(name => [name, readFileSync(join(folder, name))]))
  } else for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  return folder
}
