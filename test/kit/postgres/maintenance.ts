/** Creates and drops databases on the server that tests run over, with `psql`, because tests also start processes synchronously. */
import { execFile, execFileSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { findPostgres } from './binaries.mjs'

/** URL of the server and of a database for connecting only; undefined: tests run over SQLite. */
export const TEST_STORE = process.env['SVC_TEST_STORE'] || undefined

/** Returns the URL of a database of that server. */
export function databaseUrl(database: string): string {
  const url = new URL(TEST_STORE ?? '')
  url.pathname = `/${database}`
  return url.href
}

/** Creates a database from a template, or an empty one that orders texts by their bytes. */
export function createDatabase(name: string, template?: string): void {
  const from = template ?? "template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"
  // the other strategy logs every page; without that, it takes two thirds of the time
  run(`CREATE DATABASE ${name} STRATEGY file_copy TEMPLATE ${from}`)
}

/** Drops databases, even with open connections. Each drop takes a checkpoint, and the worker has to report meanwhile. */
export async function dropDatabases(names: readonly string[]): Promise<void> {
  for (const name of names) await promisify(execFile)(...psql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
}

/** Returns the databases whose names begin with this prefix. */
export function listDatabases(prefix: string): string[] {
  return run(`SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}') ORDER BY datname DESC`)
}

function run(statement: string): string[] {
  const [program, args, options] = psql(statement)
  return execFileSync(program, args, options)
    .split('\n')
    .filter(line => line !== '')
}

/** Returns the SQL to run. It suppresses messages about databases that are already gone. */
function psql(statement: string) {
  const args = ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', TEST_STORE ?? '', '-c', statement]
  const env = { ...process.env, PGOPTIONS: '-c client_min_messages=warning' }
  return [path.join(findPostgres().folder, 'psql'), args, { encoding: 'utf8', env }] as const
}
