/**
 * A temporary folder with an unused store. Creating its tables takes five times as long as copying them. Over PostgreSQL the folder is
 * empty, and the database is copied (postgres/database.ts).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEngine } from '../../../src/engine/open.ts'
import { temporaryFolder } from '../folder.ts'
import { IS_ON_POSTGRES } from '../postgres/database.ts'

let files: ReadonlyMap<string, Uint8Array> | undefined

/** The engine creates a store that stays unused, and its files are copied. */
export async function newStore(): Promise<string> {
  if (IS_ON_POSTGRES) return temporaryFolder()
  files ??= await filesOfNew()
  const folder = temporaryFolder()
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  return folder
}

/**
 * Reads the files of a folder that is not used afterwards: reading a file releases this process's locks on it, and SQLite may have one
 * until the closed connection is collected. Another process could then take over the file.
 */
async function filesOfNew(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = temporaryFolder()
  const engine = await openEngine({ dataDir: folder, waitForLock: 'blocking' })
  await engine.close()
  const names = readdirSync(folder, { withFileTypes: true }).flatMap(each => (each.isFile() ? [each.name] : []))
  return new Map(names.map(name => [name, readFileSync(join(folder, name))]))
}
