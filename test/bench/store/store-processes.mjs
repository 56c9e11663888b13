/** Engines on a PostgreSQL store: in this process, and in separate writers that report acknowledged writes. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../bundle.mjs'
import { freshDatabase } from './store-databases.mjs'

/** The benchmark's processes share a key, as nodes do. */
const MASTER_KEY = 'b5'.repeat(32)

/** Makes this process and its child processes use a store. */
export function useStore(url) {
  process.env['SVC_STORE'] = url
  process.env['SVC_MASTER_KEY'] = MASTER_KEY
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'svc-bench-node-'))

/** Opens an engine in a new database, with users and endpoints. `server` is the URL of a server, or a database that was created. */
export async function fillStore(engine, server, { users, urls }) {
  const database = typeof server === 'string' ? await freshDatabase(server) : server
  const opened = await openEngine(engine, database.url)
  const { call, team, store } = opened
  const userIds = []
  for (let i = 0; i < users; i++) {
    userIds.push((await call('user.create', { body: { client_user_id: `bench-${i}` } })).user_id)
  }
  for (const url of urls) await call('webhook.create', { body: { url, concurrency: 50 } })
  const folders = []
  return {
    store,
    call,
    team,
    userIds,
    url: database.url,
    /** Returns a new folder for a node. */
    folder() {
      folders.push(newFolder())
      return folders.at(-1)
    },
    /** Creates this many events, cycling through the users; each contains its user and its number. */
    async events(count) {
      for (let done = 0; done < count; done += 128) {
        const some = Array.from({ length: Math.min(128, count - done) }, (_, i) => done + i)
        await Promise.all(some.map(number => emit(store, team, userIds[number % users], number)))
      }
    },
    async drop() {
      await opened.close()
      await database.drop()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Writes an event with its user and its number. */
export function emit(store, team, userId, number) {
  const data = { number: `${userId}:${number}`, note: 'x'.repeat(300) }
  const event = { teamId: team.teamId, type: 'provider.connection.error', data, at: Date.now(), endpointIds: null }
  return store.events.emit(userId, event)
}

/** Opens an engine on the store at a URL, as a server does. */
export async function openEngine(engine, url) {
  useStore(url)
  const folder = newFolder()
  const opened = await engine.openEngine({ dataDir: folder, waitForLock: 'async', allowPrivateTargets: true })
  const team = await opened.localTeam()
  return {
    store: opened.context.store,
    team,
    async call(id, input) {
      const request = { input: { params: {}, query: {}, ...input }, accept: 'application/json' }
      const credentials = { kind: 'team', team, linkToken: null }
      return (await engine.runOperation(opened.context, id, { ...request, credentials })).body
    },
    async close() {
      await opened.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts a process that writes to users, several at once, until it is killed. `acknowledged` contains the acknowledged writes; the number
 * of each is also a second at which its user then has a sample. `failures` contains the code of each attempt that failed.
 */
export function startWriter(engine, url, { users, writers, from = 1 }) {
  const script = join(root, 'test', 'bench', 'store', 'store-writer.mjs')
  const folder = newFolder()
  useStore(url)
  const child = spawn(process.execPath, [script, engine.path, folder, `${writers}`, `${from}`, users.join(',')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged = []
  const failures = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', line => {
    const [userId, number, sequence, waitedMs] = line.split(' ')
    if (userId === 'failed') failures.push(number)
    // a line that the kill has truncated does not count
    else if (waitedMs?.endsWith('.')) {
      const numbers = { number: Number(number), sequence: Number(sequence), waitedMs: Number.parseInt(waitedMs, 10) }
      acknowledged.push({ userId, ...numbers })
    }
  })
  const ended = new Promise(resolve => lines.on('close', resolve))
  return {
    acknowledged,
    failures,
    async kill() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
