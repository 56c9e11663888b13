/**
 * Runs tests over PostgreSQL: `SVC_TEST_STORE=postgres://… npm test`. Each data folder gets its own database, a copy of a template
 * (template.ts, supply.ts), until the test file ends.
 */
import { parseStoreUrl, type StoreUrl } from '../../../src/core/store-url.ts'
import { atEndOfFile } from '../end-of-file.ts'
import { databaseUrl, TEST_STORE } from './maintenance.ts'
import { returnDatabases, takeDatabase } from './supply.ts'

/** Whether tests run over PostgreSQL. */
export const IS_ON_POSTGRES = TEST_STORE !== undefined

/** The master key of every data folder, because processes that share a database share their key. */
export const TEST_MASTER_KEY = '5ec2e7'.repeat(11).slice(0, 64)

/** The names of the databases of this test file, by data folder. */
const taken = new Map<string, string>()

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
  const known = taken.get(dataDir)
  if (known !== undefined) return known
  const name = takeDatabase()
  // users of the databases are registered later, so they are closed first
  if (taken.size === 0) atEndOfFile(returnTaken)
  taken.set(dataDir, name)
  return name
}

function returnTaken(): void {
  returnDatabases(taken.values())
  taken.clear()
}
