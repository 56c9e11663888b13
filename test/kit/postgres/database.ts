/**
 * Runs tests over PostgreSQL: `SVC_TEST_STORE=postgres://… npm test`. Each data folder gets its own database, which is copied from a
 * template (template.ts) and dropped when the test file ends.
 */
import { createHash } from 'node:crypto'
import { parseStoreUrl, type StoreUrl } from '../../../src/core/store-url.ts'
import { atEndOfFile } from '../end-of-file.ts'
import { createDatabase, databaseUrl, dropDatabases, TEST_STORE } from './maintenance.ts'

/** Whether tests run over PostgreSQL. */
export const IS_ON_POSTGRES = TEST_STORE !== undefined

/** The master key of every data folder, because processes that share a database share their key. */
export const TEST_MASTER_KEY = '5ec2e7'.repeat(11).slice(0, 64)

/** The names of the databases that this test file has created, by data folder. */
const created = new Map<string, string>()

/** Returns the store of a data folder, as an option of `openEngine`; over SQLite there is none. */
export function storeOptions(dataDir: string): { readonly store?: StoreUrl } {
  return TEST_STORE === undefined ? {} : { store: parseStoreUrl(databaseUrl(databaseName(dataDir))) }
}

/** Returns the same as environment variables. */
export function storeVariables(dataDir: string): Record<string, string> {
  if (TEST_STORE === undefined) return {}
  return { SVC_STORE: databaseUrl(databaseName(dataDir)), SVC_MASTER_KEY: TEST_MASTER_KEY }
}

function databaseName(dataDir: string): string {
  const known = created.get(dataDir)
  if (known !== undefined) return known
  const template = process.env['SVC_TEST_TEMPLATE']
  if (template === undefined) throw new Error('There is no template. test/kit/postgres/template.ts creates it.')
  const name = `${template}_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  createDatabase(name, template)
  // users of the databases are registered later, so they are closed first
  if (created.size === 0) atEndOfFile(dropCreated)
  created.set(dataDir, name)
  return name
}

async function dropCreated(): Promise<void> {
  const names = [...created.values()]
  created.clear()
  await dropDatabases(names)
}
