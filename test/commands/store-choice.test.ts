/** Choosing a PostgreSQL store on the command line, as far as this needs no database. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../kit/free-port.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import type { RunOptions } from '../kit/sandbox.ts'

const sandbox = new InProcessSandbox()
const SECRET = 'Tr0ub4dor'
const KEY = '0f'.repeat(32)
let port = 0
let url = ''
/** The same store, with the password that a variable may contain. */
let secretUrl = ''

beforeAll(async () => {
  port = await freePort()
  url = `postgres://svc@127.0.0.1:${port}/svc`
  secretUrl = url.replace('svc@', `svc:${SECRET}@`)
})

/** Runs a command that must be refused, in an unused data folder, and returns that folder. */
async function refused(args: readonly string[], status: number, says: RegExp, options: RunOptions = {}) {
  const folder = path.join(sandbox.folder, `unused-${Math.random()}`)
  const run = await sandbox.run(args, { ...options, env: { SVC_DATA_DIR: folder, ...options.env } })
  expectRefusal(run, status, says)
  expect(run.stderr).not.toContain(SECRET)
  return folder
}

const COMMANDS = [
  ['user', 'list'],
  ['serve', '--port', '0'],
  ['event', 'deliver'],
  ['whoami'],
  ['listen', '--forward-to', 'http://127.0.0.1:1'],
]

describe('a store', () => {
  test.each(COMMANDS)('with a password in an argument is refused, and nothing is created: %s', async (...args) => {
    const says = /--store contains a password.*SVC_STORE.*PGPASSWORD.*\.pgpass/s
    const folder = await refused([...args, '--store', secretUrl], 2, says)
    expect(existsSync(folder)).toBe(false)
  })

  test.each(COMMANDS)('with a wrong URL is refused: %s', async (...args) => {
    const wrong = `postgres://svc:1/${SECRET}@h/svc`
    await refused([...args], 2, /URL of the store is invalid.*postgres:\/\/USER@HOST/s, { env: { SVC_STORE: wrong } })
  })

  test.each(COMMANDS)('needs SVC_MASTER_KEY, and creates no key: %s', async (...args) => {
    const says = /needs SVC_MASTER_KEY.*openssl rand -base64 32/s
    const folder = await refused([...args], 2, says, { env: { SVC_STORE: secretUrl } })
    const made = existsSync(folder) ? readdirSync(folder) : []
    expect(made.filter(name => name !== 'scratch')).toEqual([])
  })

  test('is not opened in a SQLite store’s folder', async () => {
    await sandbox.json(['user', 'create', 'ada'])
    const run = await sandbox.run(['user', 'list', '--store', url], { env: { SVC_MASTER_KEY: KEY } })
    expectRefusal(run, 2, /contains its own SQLite store.*--data-dir/s)
    expect(await sandbox.json(['user', 'list'])).toMatchObject({ users: [{ client_user_id: 'ada' }] })
  })

  test('is shown in the error if its folder is opened without it', async () => {
    const folder = path.join(sandbox.folder, 'joined')
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(path.join(folder, 'store.id'), `${'ab'.repeat(16)}\n${url}\n`)
    const run = await sandbox.run(['user', 'list', '--data-dir', folder])
    expectRefusal(run, 2, [/belongs to the PostgreSQL store postgres:/, /--store postgres:/])
    expect(run.stderr).toContain(url)
    expect(readdirSync(folder).sort()).toEqual(['scratch', 'store.id'])
  })

  test('cannot be combined with a server', async () => {
    await refused(['user', 'list', '--store', url, '--base-url', 'http://127.0.0.1:1'], 2, /cannot be combined/)
    await refused(['profile', 'add', 'x', '--store', url, '--base-url', 'http://127.0.0.1:1'], 2, /cannot be used tog/)
  })

  test('cannot be salvaged', async () => {
    const run = await sandbox.run(['engine', 'salvage', '--to', 'x', '--store', url, '--json'])
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'store_unsupported', status: 501 } })
  })

  test('has no completions', async () => {
    const words = ['complete', 'fish', '^', 'user', 'get']
    expect((await sandbox.run(words)).stdout).toContain('ada')
    const run = await sandbox.run(words, { env: { SVC_STORE: secretUrl, SVC_MASTER_KEY: KEY } })
    expect(run).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })
})

describe('the doctor', () => {
  test('reports a store that does not exist, without its password', async () => {
    const folder = path.join(sandbox.folder, 'examined')
    const env = { SVC_STORE: secretUrl, SVC_MASTER_KEY: KEY, SVC_DATA_DIR: folder }
    const run = await sandbox.run(['doctor', '--json'], { env })
    expect(run.status).toBe(5)
    expect(run.stdout + run.stderr).not.toContain(SECRET)
    const { checks } = JSON.parse(run.stdout) as { checks: { check: string }[] }
    expect(checks.find(({ check }) => check === 'store')).toMatchObject({
      status: 'problem',
      message: `The store ${url} cannot be reached: nothing listens there: the connection was refused.`,
      remedy: expect.stringContaining('listen_addresses'),
    })
    expect(existsSync(folder)).toBe(false)
  })
})

describe('a profile', () => {
  const profile = ['profile', 'add', 'prod', '--replace', '--store']

  test('keeps the store, with a password from stdin, and never shows the password', async () => {
    const added = await sandbox.run([...profile, url, '--store-password-stdin', '--json'], { input: `${SECRET}\n` })
    expect(added.stderr).toBe('')
    expect(JSON.parse(added.stdout)).toMatchObject({ name: 'prod', store: url, data_dir: null })
    const shown = await sandbox.run(['profile', 'show', 'prod', '--json'])
    expect(added.stdout + shown.stdout).not.toContain(SECRET)
    const file = path.join(sandbox.folder, 'config', 'profiles.json')
    expect(readFileSync(file, 'utf8')).toContain(secretUrl)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // commands with the profile use this store
    await refused(['user', 'list', '--profile', 'prod'], 2, /needs SVC_MASTER_KEY/)
  })

  test('keeps the absolute paths of certificates', async () => {
    const document = await sandbox.json<{ store: string }>([
      ...profile,
      `${url}?sslmode=verify-full&sslrootcert=ca.pem`,
    ])
    const { searchParams } = new URL(document.store)
    expect(searchParams.get('sslrootcert')).toBe(path.join(sandbox.folder, 'ca.pem'))
  })

  test('accepts no password from an argument, and none without a store', async () => {
    await refused([...profile, secretUrl], 2, /contains a password/)
    const input = { input: `${SECRET}\n`, env: { SVC_STORE: url } }
    await refused(['profile', 'add', 'x', '--store-password-stdin'], 2, /needs --store/, input)
  })
})
