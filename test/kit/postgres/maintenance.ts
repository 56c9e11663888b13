/**
 * Creates and drops databases on the server that tests run over, or on every server of the Citus cluster, with `psql`, because tests also
 * start processes synchronously.
 */
import { execFile, execFileSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { findPostgres } from './binaries.mjs'
import { membership } from './citus.mjs'

/** URL of the server and of a database for connecting only; undefined: tests run over SQLite. */
export const TEST_STORE = process.env['SVC_TEST_STORE'] || undefined

/** URLs of the workers, for connecting only. The server above is their coordinator. Empty without Citus. */
const WORKERS = (process.env['SVC_TEST_CITUS_WORKERS'] ?? '').split(',').filter(url => url !== '')

/** Time for a process of the server to end. */
const END_MS = 10_000

/** Whether tests run over a Citus cluster. */
export const IS_ON_CITUS = WORKERS.length > 0

/** Returns the URL of a database of that server, or of the coordinator. */
export function databaseUrl(database: string): string {
  return urlAt(TEST_STORE ?? '', database)
}

/** Creates an empty database that orders texts by their bytes. */
export function createDatabase(name: string): void {
  onEachServer(copyText(name, "template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"))
  if (IS_ON_CITUS) span(name)
}

/** The other strategy logs every page; without that, a copy takes two thirds of the time. */
export function copyText(name: string, template: string): string {
  return `CREATE DATABASE ${name} STRATEGY file_copy TEMPLATE ${template}`
}

export function dropText(name: string): string {
  return `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`
}

/**
 * Ends the connections to a template. PostgreSQL copies a database only while nothing is connected to it. The nodes of a cluster stay
 * connected to each other, and Citus has a process for each database, which starts again with the next connection. A copy has the metadata
 * of the template: its nodes are the same servers, and they use the database with the name of the copy.
 */
export function closeTemplate(name: string): void {
  if (!IS_ON_CITUS) return
  onEachServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  onEachServer(`SELECT pg_terminate_backend(pid, ${END_MS}) FROM pg_stat_activity WHERE datname = '${name}'`)
}

/** Drops databases, even with open connections. Each drop takes a checkpoint, and the worker has to report meanwhile. */
export async function dropDatabases(names: readonly string[]): Promise<void> {
  for (const name of names) for (const server of servers()) await promisify(execFile)(...psql(server, dropText(name)))
}

/** Returns the databases whose names begin with this prefix. */
export function listDatabases(prefix: string): string[] {
  return run(
    TEST_STORE ?? '',
    `SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}') ORDER BY datname DESC`,
  )
}

/** Adds the extension and the nodes to a new database. */
function span(name: string): void {
  for (const server of servers()) run(urlAt(server, name), 'CREATE EXTENSION citus')
  const [coordinator, ...workers] = servers().map(server => ({ port: Number(new URL(server).port) }))
  if (coordinator) run(databaseUrl(name), ...membership(coordinator, workers))
}

/** The coordinator comes first, because the processes of Citus on it connect to the workers. */
export function servers(): string[] {
  return [TEST_STORE ?? '', ...WORKERS]
}

function onEachServer(statement: string): void {
  for (const server of servers()) run(server, statement)
}

function urlAt(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

function run(url: string, ...statements: readonly string[]): string[] {
  const [program, args, options] = psql(url, ...statements)
  return execFileSync(program, args, options)
    .split('\n')
    .filter(line => line !== '')
}

/** Returns the SQL to run. It suppresses messages about databases that are already gone. */
function psql(url: string, ...statements: readonly string[]) {
  const commands = statements.flatMap(statement => ['-c', statement])
  const args = ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', url, ...commands]
  const env = { ...process.env, PGOPTIONS: '-c client_min_messages=warning' }
  return [path.join(findPostgres().folder, 'psql'), args, { encoding: 'utf8', env }] as const
}
