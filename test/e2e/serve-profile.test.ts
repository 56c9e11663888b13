/** `svc serve --save-profile`: the key outlives the server, and the profile always refers to the running server. */

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../kit/free-port.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import type { Sandbox } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'
import { Terminal } from '../kit/terminal.ts'

interface Stored {
  readonly current: string
  readonly profiles: Record<string, { baseUrl?: string; apiKey?: string; timeout?: string }>
}

const profileFile = (sandbox: Sandbox) => path.join(sandbox.env['SVC_CONFIG_DIR'] as string, 'profiles.json')
const stored = (sandbox: Sandbox): Stored => JSON.parse(readFileSync(profileFile(sandbox), 'utf8'))
const save = (name: string) => ['--save-profile', name]
interface KeyList {
  readonly keys: readonly { readonly key_id: string; readonly label: string; readonly revoked_at: string | null }[]
}
const listKeys = async (sandbox: Sandbox) => (await sandbox.json<KeyList>(['engine', 'key', 'list'])).keys
/** A remote command: the data folder of the sandbox would be the embedded engine's. */
const remotely = (sandbox: Sandbox, profile: string) =>
  sandbox.run(['user', 'list', '--profile', profile, '--json'], { env: { SVC_DATA_DIR: '' } })

describe('svc serve --save-profile', () => {
  test('keeps the key in a private file, uses it again on another port, and leaves it valid', async () => {
    const sandbox = new InProcessSandbox()
    const first = await serve(sandbox, save('dev'))
    expect(first).toMatchObject({ profile: 'dev' })
    expect(stored(sandbox).profiles['dev']).toEqual({ baseUrl: first.url, apiKey: first.api_key })
    expect(stored(sandbox).current).toBe('local')
    if (process.platform !== 'win32') expect(statSync(profileFile(sandbox)).mode & 0o777).toBe(0o600)
    expect((await remotely(sandbox, 'dev')).status).toBe(0)
    expect(await first.stop('SIGTERM')).toBe(0)

    const second = await serve(sandbox, save('dev'))
    expect(second.api_key).toBe(first.api_key)
    expect(second.team_id).toBe(first.team_id)
    expect(second.url).not.toBe(first.url)
    expect(stored(sandbox).profiles['dev']?.baseUrl).toBe(second.url)
    expect((await remotely(sandbox, 'dev')).status).toBe(0)
    // killed, not stopped: the next start revokes keys of runs, not this one
    await second.stop('SIGKILL')
    const other = await serve(sandbox)
    expect(other.api_key).not.toBe(first.api_key)
    const response = await fetch(`${other.url}/v2/user`, { headers: { 'x-service-api-key': first.api_key } })
    expect(response.status).toBe(200)
    await other.stop('SIGTERM')
    const keys = await listKeys(sandbox)
    expect(keys.filter(each => each.label === 'profile dev')).toMatchObject([{ revoked_at: null }])
  })

  test('starts the server of the default profile again, and keeps its other settings', async () => {
    const sandbox = new InProcessSandbox()
    await (await serve(sandbox, save('dev'))).stop('SIGTERM')
    const file = stored(sandbox)
    writeFileSync(
      profileFile(sandbox),
      JSON.stringify({ ...file, profiles: { dev: { ...file.profiles['dev'], timeout: '9s' } } }),
    )
    await sandbox.json(['profile', 'use', 'dev'])
    expectRefusal(await sandbox.run(['serve', '--port', '0']), 2, /needs a data folder[\s\S]*use --save-profile dev\./)
    const again = await serve(sandbox, save('dev'))
    expect(stored(sandbox).profiles['dev']).toEqual({ baseUrl: again.url, apiKey: again.api_key, timeout: '9s' })
    expect(await again.stop('SIGTERM')).toBe(0)
  })

  test('replaces a revoked key, and says so', async () => {
    const sandbox = new InProcessSandbox()
    const first = await serve(sandbox, save('dev'))
    await first.stop('SIGTERM')
    const keys = await listKeys(sandbox)
    const { key_id = '' } = keys.find(each => each.label === 'profile dev') ?? {}
    await sandbox.json(['engine', 'key', 'revoke', key_id, '--yes'])
    const second = await serve(sandbox, save('dev'))
    expect(second.api_key).not.toBe(first.api_key)
    expect(second.log()).toContain('The key of the profile "dev" was revoked. It has a new one.')
    expect((await remotely(sandbox, 'dev')).status).toBe(0)
    const old = await fetch(`${second.url}/v2/user`, { headers: { 'x-service-api-key': first.api_key } })
    expect(old.status).toBe(401)
    await second.stop('SIGTERM')
  })

  test('reuses a profile that was added by hand with the key of an earlier run', async () => {
    const sandbox = new InProcessSandbox()
    const run = await serve(sandbox)
    const add = ['profile', 'add', 'mine', '--base-url', run.url, '--api-key-stdin']
    expect((await sandbox.run(add, { input: run.api_key })).status).toBe(0)
    await run.stop('SIGTERM')
    const again = await serve(sandbox, save('mine'))
    expect(again.api_key).not.toBe(run.api_key)
    expect((await remotely(sandbox, 'mine')).status).toBe(0)
    await again.stop('SIGTERM')
  })

  test('adds the key to a new data folder at the same URL, so that the profile continues to work', async () => {
    const sandbox = new InProcessSandbox()
    const at = ['--port', String(await freePort())]
    const first = await serve(sandbox, [...at, ...save('dev')])
    await first.stop('SIGTERM')
    const elsewhere = ['--data-dir', path.join(sandbox.folder, 'new')]
    const second = await serve(sandbox, [...at, ...elsewhere, ...save('dev')])
    expect(second.api_key).toBe(first.api_key)
    expect(second.team_id).not.toBe(first.team_id)
    expect((await remotely(sandbox, 'dev')).status).toBe(0)
    await second.stop('SIGTERM')
  })

  test('never overwrites a profile of another server or of a data folder, or the built-in one', async () => {
    const sandbox = new InProcessSandbox()
    const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--api-key-stdin']
    expect((await sandbox.run(add, { input: 'sk_us_not-of-this-machine-1' })).status).toBe(0)
    await sandbox.json(['profile', 'add', 'scratch', '--data-dir', './scratch'])
    const before = stored(sandbox)
    const start = (...args: readonly string[]) => sandbox.run(['serve', '--port', '0', ...args])
    expectRefusal(await start(...save('prod')), 5, /"prod" belongs to another server[\s\S]*svc profile remove prod/)
    expectRefusal(await start(...save('scratch')), 5, /"scratch" is for a data folder/)
    expectRefusal(await start(...save('local')), 5, /"local" is built in/)
    expectRefusal(await start(...save('no/name')), 2, /profile name is invalid/)
    expectRefusal(await start('--api-key-stdin', ...save('dev')), 2, /--save-profile/)
    expect(stored(sandbox)).toEqual(before)
    const keys = await listKeys(sandbox)
    expect(keys.filter(each => each.label.startsWith('profile'))).toEqual([])
  })

  test.skipIf(process.platform !== 'linux')(
    'revokes the new key if the server cannot listen or the profile cannot be stored',
    async () => {
      const sandbox = new InProcessSandbox()
      const other = await serve(sandbox)
      const { port } = new URL(other.url)
      expectRefusal(await sandbox.run(['serve', '--port', port, ...save('dev')]), 2, /already in use/)
      // nothing can be created there, whoever runs the tests
      const env = { SVC_CONFIG_DIR: '/proc/svc' }
      expectRefusal(await sandbox.run(['serve', '--port', '0', ...save('dev')], { env }), 2, /cannot be written/)
      const { keys } = await sandbox.json<KeyList>(['engine', 'key', 'list', '--revoked'])
      const made = keys.filter(each => each.label === 'profile dev')
      expect(made.map(each => typeof each.revoked_at)).toEqual(['string', 'string'])
      await other.stop('SIGTERM')
    },
  )

  test.skipIf(process.platform === 'win32')('shows a new key on a terminal, and later only its ends', async () => {
    const sandbox = new InProcessSandbox()
    const start = async () => {
      const terminal = new Terminal(sandbox, ['serve', '--port', '0', ...save('dev')])
      await terminal.sees(/Profile dev: keeps the key, which stays valid/)
      terminal.types('\x03')
      expect(await terminal.ended()).toBe(0)
      return terminal.text
    }
    const first = await start()
    const key = stored(sandbox).profiles['dev']?.apiKey as string
    expect(first).toContain(`API key ${key}`)
    const second = await start()
    expect(second).not.toContain(key)
    expect(second).toContain(`API key sk_us_…${key.slice(-4)}`)
  })
})
