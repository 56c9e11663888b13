/**
 * Databases for tests, copied from the template ahead of time. The main process of a run copies and drops them over one connection, because
 * a connection takes more of the server's time than a copy. Test files take and return them as files in folders, because some of them start
 * processes synchronously.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { copyText, dropText, servers } from './maintenance.ts'

/** As many as workers start files with at once. */
const AHEAD = 6
const LOOK_MS = 10
const MOST_WAIT_MS = 60_000

const pause = new Int32Array(new SharedArrayBuffer(4))

/** Returns the name of a new copy of the template. Waits synchronously until there is one. */
export function takeDatabase(): string {
  const ready = folder('ready')
  for (const end = Date.now() + MOST_WAIT_MS; Date.now() < end; Atomics.wait(pause, 0, 0, LOOK_MS))
    for (const name of readdirSync(ready)) if (isRemoved(path.join(ready, name))) return name
  throw new Error(
    `No database was copied within ${MOST_WAIT_MS / 1000} s. Look for an error of the main process above.`,
  )
}

/** Lets the main process drop these databases, even with open connections. */
export function returnDatabases(names: Iterable<string>): void {
  for (const name of names) writeFileSync(path.join(folder('returned'), name), '')
}

/** Copies and drops until the returned function is called. */
export async function supplyDatabases(template: string): Promise<() => Promise<void>> {
  process.env['SVC_TEST_DATABASES'] = mkdtempSync(path.join(tmpdir(), 'svc-databases-'))
  const [ready, returned] = ['ready', 'returned'].map(folder) as [string, string]
  for (const each of [ready, returned]) mkdirSync(each)
  const clients = servers().map(connectionString => new pg.Client({ connectionString }))
  await Promise.all(clients.map(client => client.connect()))
  const onEachServer = async (statement: string) => {
    for (const client of clients) await client.query(statement)
  }
  let isStopped = false
  let copies = 0
  const supply = async () => {
    while (!isStopped) {
      const isLow = readdirSync(ready).length < AHEAD
      if (isLow) {
        const name = `${template}_${++copies}`
        await onEachServer(copyText(name, template))
        writeFileSync(path.join(ready, name), '')
      }
      const [name] = readdirSync(returned)
      if (name !== undefined) {
        await onEachServer(dropText(name))
        unlinkSync(path.join(returned, name))
      } else if (!isLow) await delay(LOOK_MS)
    }
  }
  const supplying = supply().catch(error => console.error('No more databases are copied for tests:', error))
  return async () => {
    isStopped = true
    await supplying
    await Promise.all(clients.map(client => client.end()))
    rmSync(path.dirname(ready), { recursive: true, force: true })
  }
}

function folder(name: string): string {
  const parent = process.env['SVC_TEST_DATABASES']
  if (parent === undefined) throw new Error('No databases are copied. test/kit/postgres/template.ts begins it.')
  return path.join(parent, name)
}

/** Only one of several processes removes a file. */
function isRemoved(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
