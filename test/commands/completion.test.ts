/** `svc completion`, and the hidden `svc complete` that its scripts call: quick, silent, and without a trace. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sandbox } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'

const sandbox = new Sandbox()

/** Returns the lines that a script receives. */
async function completions(words: string, env: Record<string, string> = {}): Promise<string[]> {
  const all = words.split(' ')
  const run = await sandbox.run(['complete', 'zsh', `=${all.at(-1)}`, ...all.slice(0, -1)], { env })
  expect(run.stderr).toBe('')
  expect(run.status).toBe(0)
  return run.stdout.split('\n').slice(0, -1)
}

beforeAll(async () => {
  for (const name of ['ada', 'bob']) await sandbox.json(['user', 'create', name])
})

describe('a script', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('for %s is printed unchanged, also in a pipe', async shell => {
    const { status, stdout } = await sandbox.run(['completion', shell], { env: { SVC_JSON: '1' } })
    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^#.*svc[\\s\\S]*complete ${shell} "=`))
    expect(await sandbox.json(['completion', shell])).toEqual({ shell, script: stdout })
  })

  it('for PowerShell quotes words with special characters, and completes files', async () => {
    const { stdout } = await sandbox.run(['completion', 'powershell'])
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {')
    expect(stdout).toContain(`else { "'" + $value.Replace("'", "''") + "'" }`)
    expect(stdout).toContain('$value, $description = $line -split "`t", 2')
    expect(stdout).toContain('[System.Management.Automation.CompletionCompleters]::CompleteFilename($current)')
    expect(stdout.split('{').length).toBe(stdout.split('}').length)
    expect(stdout.split('(').length).toBe(stdout.split(')').length)
  })

  it('for an unknown shell is refused', async () => {
    const run = await sandbox.run(['completion', 'csh'])
    expect(run.status).toBe(2)
    expect(run.stderr).toContain('bash, zsh, fish, powershell')
  })
})

describe('a completion', () => {
  it('starts with the kind of its values, which have descriptions', async () => {
    expect(await completions('user get ')).toEqual(['values', 'ada', 'bob'])
    expect(await completions('provider list --auth-ty')).toEqual([
      'values',
      '--auth-type\tOnly providers with this sign-in method: password, oauth, email …',
    ])
    expect(await completions('event sign --body ')).toEqual(['files'])
    expect(await completions('user export ada --out ')).toEqual(['folders'])
  })

  it('is a user_id when no client_user_id starts with the typed text', async () => {
    const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'get', 'ada'])
    expect(await completions(`user get ${user_id.slice(0, 13)}`)).toEqual(['values', user_id])
  })

  it('comes from the service that the line or the variables select', async () => {
    const other = path.join(sandbox.folder, 'other')
    await sandbox.json(['user', 'create', 'zoe', '--data-dir', other])
    expect(await completions(`user get --data-dir ${other} `)).toEqual(['values', 'zoe'])
    expect(await completions('user get --data-dir=~/other ', { HOME: sandbox.folder })).toEqual(['values', 'zoe'])
    expect(await completions('user get ', { SVC_DATA_DIR: other })).toEqual(['values', 'zoe'])
    await sandbox.json(['profile', 'add', 'elsewhere', '--data-dir', other])
    expect(await completions('user get --profile elsewhere ', { SVC_DATA_DIR: '' })).toEqual(['values', 'zoe'])
  })

  it('works over HTTP, and is empty when the server does not respond', async () => {
    const server = await serve(sandbox)
    const env = { SVC_API_KEY: server.api_key }
    expect(await completions(`user get --base-url ${server.url} `, env)).toEqual(['values', 'ada', 'bob'])
    expect(await completions(`user get --base-url ${server.url} `, { SVC_API_KEY: 'sk_us_wrong' })).toEqual([])
    await server.stop('SIGTERM')
    expect(await completions(`user get --base-url ${server.url} `, env)).toEqual([])
  })
})

describe('nothing is printed or created', () => {
  it('without a data folder', async () => {
    const absent = path.join(sandbox.folder, 'absent')
    expect(await completions(`user get --data-dir ${absent} `)).toEqual([])
    expect(existsSync(absent)).toBe(false)
  })

  it('with a folder that is empty, damaged or locked', async () => {
    const folder = path.join(sandbox.folder, 'bad')
    mkdirSync(folder)
    expect(await completions(`user get --data-dir ${folder} `)).toEqual([])
    expect(existsSync(path.join(folder, 'svc.db'))).toBe(false)
    writeFileSync(path.join(folder, 'svc.db'), 'no database')
    expect(await completions(`user get --data-dir ${folder} `)).toEqual([])

    const locked = path.join(sandbox.folder, 'locked')
    await sandbox.json(['user', 'create', 'ada', '--data-dir', locked])
    const db = new DatabaseSync(path.join(locked, 'svc.db'))
    db.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE')
    const began = Date.now()
    expect(await completions(`user get --data-dir ${locked} `)).toEqual([])
    expect(Date.now() - began).toBeLessThan(5_000)
    db.close()
  })

  it('with a broken profile file, an unknown profile or a wrong base URL', async () => {
    const config = path.join(sandbox.folder, 'broken')
    mkdirSync(config)
    writeFileSync(path.join(config, 'profiles.json'), '{')
    expect(await completions('user get ', { SVC_CONFIG_DIR: config })).toEqual([])
    expect(await completions('user get --profile nobody ')).toEqual([])
    expect(await completions('user get --base-url nonsense ')).toEqual([])
    // values that need no service are still completed
    expect(await completions('user g', { SVC_CONFIG_DIR: config })).toEqual(['values', 'get\tShow a user'])
  })

  it('for a call that no completion script makes', async () => {
    for (const args of [['complete'], ['complete', 'csh', '=u'], ['complete', 'zsh']]) {
      expect(await sandbox.run(args)).toEqual({ status: 0, stdout: '', stderr: '' })
    }
  })
})
