/** Database files that are removed under a running server: it refuses requests, says why, and keeps all acknowledged data. */
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../kit/refusal.ts'
import { root, Sandbox } from '../../kit/sandbox.ts'
import { type Serving, serve } from '../../kit/serve.ts'
import { until } from '../../kit/until.ts'

interface RunningServer {
  readonly sandbox: Sandbox
  readonly database: string
  readonly server: Serving
}

async function serving(users = ['ada', 'bob']): Promise<RunningServer> {
  const sandbox = new Sandbox()
  const server = await serve(sandbox)
  for (const name of users) expect(await create(server, name)).toBe(200)
  return { sandbox, server, database: path.join(sandbox.env['SVC_DATA_DIR'] as string, 'svc.db') }
}

async function create(server: Serving, name: string): Promise<number> {
  return (await server.ask('POST', '/v2/user', { client_user_id: name })).status
}

async function usersIn(sandbox: Sandbox): Promise<string[]> {
  const { users } = await sandbox.json<{ users: { client_user_id: string }[] }>(['user', 'list', '--limit', '500'])
  return users.map(user => user.client_user_id).sort()
}

const readiness = async ({ url }: Serving) => {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, body: await response.json() }
}

const times = (text: string, what: string) => text.split(what).length - 1

const TAKEN: readonly (readonly [string, RegExp, (database: string) => void])[] = [
  ['removed', /svc\.db was removed/, database => rmSync(database)],
  [
    'removed with all beside it',
    /svc\.db was removed/,
    database => ['', '-wal', '-shm'].map(part => rmSync(database + part)),
  ],
  ['emptied', /svc\.db was emptied/, database => writeFileSync(database, '')],
  ['cut off', /svc\.db was (?:cut off|damaged)/, database => truncateSync(database, statSync(database).size >> 1)],
  [
    'replaced',
    /svc\.db was replaced/,
    database => {
      copyFileSync(database, `${database}.new`)
      renameSync(`${database}.new`, database)
    },
  ],
]

describe.each(TAKEN)('a database that is %s under a running server', (_what, says, take) => {
  test('is noticed: all requests are refused, the log reports it once, and the server ends normally', async () => {
    const { server, database, sandbox } = await serving()
    // all data is in the file, so that its size shows the amount
    await sandbox.json(['engine', 'snapshot', 'save', 'base'])
    await checkpoint(database)
    take(database)
    await until(() => says.test(server.log()))
    expect(await readiness(server)).toEqual({ status: 503, body: { status: 'unavailable', reason: 'store_lost' } })
    for (const [method, at, body] of [
      ['POST', '/v2/user', { client_user_id: 'eve' }],
      ['GET', '/v2/user', undefined],
      ['POST', '/svc/v1/reset', { confirm: 'reset' }],
    ] as const) {
      const response = await fetch(server.url + at, {
        method,
        headers: { 'x-service-api-key': server.api_key, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      expect([at, response.status, response.headers.get('x-svc-error-code')]).toEqual([at, 503, 'store_lost'])
      expect(await response.text()).not.toContain(path.dirname(database))
    }
    await new Promise(resolve => setTimeout(resolve, 2_500))
    expect(times(server.log(), ' Stop this process') + times(server.log(), ' Put svc.db back')).toBe(1)
    expect(server.log()).not.toMatch(/^\s+at /m)
    expect(await server.stop('SIGTERM')).toBe(0)
  })
})

/** Moves the content of the log into the database while others have it open. */
async function checkpoint(database: string): Promise<void> {
  const script = `const { DatabaseSync } = require(process.argv[1])
    new DatabaseSync(process.argv[2]).exec('PRAGMA wal_checkpoint(TRUNCATE)')`
  const sqlite = path.join(root, 'node_modules', '@photostructure', 'sqlite')
  await ended(spawn(process.execPath, ['-e', script, sqlite, database], { stdio: 'inherit' }))
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise(resolve => child.once('exit', resolve))
}

test('a database that is moved away and back is used again without a restart', async () => {
  const { server, database, sandbox } = await serving()
  renameSync(database, `${database}.away`)
  await until(() => server.log().includes('svc.db was removed'))
  expect((await readiness(server)).status).toBe(503)
  expect(await create(server, 'eve')).toBe(503)
  expectRefusal(await sandbox.run(['user', 'list']), 2, /svc\.db is missing/)
  expect(existsSync(database)).toBe(false)
  renameSync(`${database}.away`, database)
  await until(async () => (await readiness(server)).status === 200)
  await until(() => server.log().includes('the database is back: the server continues'))
  expect(await create(server, 'eve')).toBe(200)
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(await usersIn(sandbox)).toEqual(['ada', 'bob', 'eve'])
})

test('a replaced database is refused by other commands too, while the server runs', async () => {
  const { server, database, sandbox } = await serving()
  await checkpoint(database)
  copyFileSync(database, `${database}.new`)
  const copy = readFileSync(`${database}.new`)
  renameSync(`${database}.new`, database)
  expectRefusal(await sandbox.run(['user', 'create', 'eve']), 7, [/svc serve with process id \d+/, /Stop that process/])
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(readFileSync(database)).toEqual(copy)
})

describe('files next to the database that are removed under a running server', () => {
  const rounds = Number(process.env['SHM_ROUNDS'] ?? 1)
  const cases = [['-shm'], ['-wal'], ['-shm', '-wal']].flatMap(parts => ['idle', 'busy'].map(how => ({ parts, how })))
  const signals = ['SIGTERM', 'SIGKILL'] as const
  const runs = Array.from({ length: rounds }, (_, round) =>
    cases.map((each, i) => ({ ...each, signal: signals[(i + round + (i >> 1)) % 2] ?? 'SIGTERM' })),
  )
  test.each(runs.flat())(
    '$parts, $how, then $signal: neither the server nor another process loses acknowledged data',
    async ({ parts, how, signal }) => {
      const { server, database, sandbox } = await serving()
      const acknowledged = ['ada', 'bob']
      const refused: number[] = []
      const write = async (name: string): Promise<void> => {
        const status = await create(server, name)
        if (status === 200) acknowledged.push(name)
        else refused.push(status)
      }
      let isOver = false
      const load =
        how === 'idle'
          ? []
          : [1, 2, 3].map(async writer => {
              for (let i = 0; !isOver && i < 120; i++) await write(`${writer}-${i}`)
            })
      if (how === 'busy') await until(() => acknowledged.length > 8)
      for (const part of parts) rmSync(database + part)
      const beside = await sandbox.run(['user', 'create', 'beside'])
      if (beside.status === 0) acknowledged.push('beside')
      else expectRefusal(beside, 7, /removed or replaced/)
      await write('after')
      isOver = true
      await Promise.all(load)
      // if two processes do not see each other, one of them must be refused
      expect(beside.status === 0 && acknowledged.includes('after')).toBe(false)
      expect(new Set(refused)).toEqual(new Set([503]))
      expect((await readiness(server)).body).toEqual({ status: 'unavailable', reason: 'store_lost' })
      await server.stop(signal)
      expect(await usersIn(sandbox)).toEqual(acknowledged.sort())
      expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true })
    },
  )
})

test('a log that disappears after its index is saved before the server is killed', async () => {
  const { server, database, sandbox } = await serving()
  rmSync(`${database}-shm`)
  expect(await create(server, 'eve')).toBe(503)
  rmSync(`${database}-wal`)
  // a readiness request makes the server check; without requests, it checks every few seconds
  expect((await readiness(server)).body).toEqual({ status: 'unavailable', reason: 'store_lost' })
  await server.stop('SIGKILL')
  expect(await usersIn(sandbox)).toEqual(['ada', 'bob'])
})

test('a server writes nothing more, not even when it ends, after another program recreated the index', async () => {
  const { server, database, sandbox } = await serving()
  rmSync(`${database}-shm`)
  // a program that does not know about marker files and servers
  const script = `const { DatabaseSync } = require(process.argv[1])
    new DatabaseSync(process.argv[2]).exec("INSERT INTO setting VALUES ('foreign', 'was acknowledged')")`
  const sqlite = path.join(root, 'node_modules', '@photostructure', 'sqlite')
  await ended(spawn(process.execPath, ['-e', script, sqlite, database], { stdio: 'inherit' }))
  expect(await create(server, 'eve')).toBe(503)
  await until(() => /svc\.db-shm was (?:removed|replaced)/.test(server.log()))
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(await usersIn(sandbox)).toEqual(['ada', 'bob'])
  const { DatabaseSync } = await import('@photostructure/sqlite')
  const db = new DatabaseSync(database)
  expect(db.prepare("SELECT value FROM setting WHERE name='foreign'").get()).toEqual({ value: 'was acknowledged' })
  db.close()
})

test('a command is refused while another one that has lost its files is running', async () => {
  const { bundled } = await import(pathToFileURL(path.join(root, 'test', 'bench', 'bundle.mjs')).href)
  const { path: bundle } = await bundled('store-entry.ts')
  const sandbox = new Sandbox()
  await sandbox.json(['user', 'create', 'ada'])
  const folder = sandbox.env['SVC_DATA_DIR'] as string
  const script = `const { openDataFolder, openSqliteStore } = require(process.argv[1])
    const store = openSqliteStore({ folder: openDataFolder(process.argv[2]), waitForLock: 'blocking' })
    store.clock.read().then(() => process.stdout.write('open'))
    process.stdin.once('data', () => {
      store.clock.set({ offsetMs: 5, frozenAt: null }, 0).then(() => process.exit(0), error => {
        process.stdout.write(error.code)
        process.exit(3)
      })
    })`
  const holder = spawn(process.execPath, ['-e', script, bundle, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  holder.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await until(() => output === 'open')
  rmSync(path.join(folder, 'svc.db-shm'))
  expectRefusal(await sandbox.run(['user', 'create', 'bob']), 7, [/Another process/, /Stop the other processes/])
  const end = ended(holder)
  holder.stdin.write('go')
  expect([await end, output]).toEqual([3, 'openstore_lost'])
  expect(await usersIn(sandbox)).toEqual(['ada'])
})
