/** Keys in the system's keychain, with a real Secret Service on a D-Bus session of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Run, root, Sandbox } from '../kit/sandbox.ts'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const missing = ['dbus-run-session', 'gnome-keyring-daemon'].filter(each => !has(each))
const reason = missing.length === 0 ? '' : `, skipped because of missing programs: ${missing.join(', ')}`

const sandbox = new Sandbox()
const profileFile = path.join(sandbox.folder, 'config', 'profiles.json')
const NO_SESSION = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${sandbox.folder}/no-bus` }
let key = ''

const json = ({ stdout, stderr }: Run) => JSON.parse(stdout || stderr)

function addAcme(env: Readonly<Record<string, string>>, ...flags: readonly string[]): Promise<Run> {
  const args = ['profile', 'add', 'acme', '--data-dir', 'data', '--api-key-stdin', '--keychain', '--json', ...flags]
  return sandbox.run(args, { input: `${key}\n`, env })
}

beforeAll(async () => {
  key = json(await sandbox.run(['engine', 'team', 'create', 'acme', '--json'])).api_key
})

describe.skipIf(missing.length > 0)(`a key in the keychain${reason}`, () => {
  let session: ChildProcess
  let env: Readonly<Record<string, string>> = {}
  const run = (...args: readonly string[]) => sandbox.run([...args, '--json'], { env })

  beforeAll(async () => {
    const home = path.join(sandbox.folder, 'home')
    mkdirSync(home, { mode: 0o700 })
    const script =
      "printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >&2 && echo $DBUS_SESSION_BUS_ADDRESS && cat"
    session = spawn('dbus-run-session', ['--', 'sh', '-c', script], {
      env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_RUNTIME_DIR: home },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const [address] = await once(session.stdout ?? session, 'data')
    env = { DBUS_SESSION_BUS_ADDRESS: `${address}`.trim() }
  })
  // the end of stdin ends the session, and with it the keyring
  afterAll(async () => {
    session.stdin?.end()
    await once(session, 'exit')
  })

  it('is used by commands, and is not in the profile file', async () => {
    expect(json(await addAcme(env))).toMatchObject({ api_key: null, api_key_in: 'keychain' })
    expect(readFileSync(profileFile, 'utf8')).not.toContain(key)
    expect(json(await run('whoami', '--profile', 'acme'))).toMatchObject({ team: { name: 'acme' } })
    expect(json(await run('profile', 'show', 'acme'))).toMatchObject({ api_key: null, api_key_in: 'keychain' })
    const listed = json(await run('profile', 'list'))
    expect(listed).toContainEqual(expect.objectContaining({ name: 'local', api_key_in: null }))
    expect(listed).toContainEqual(expect.objectContaining({ name: 'acme', api_key_in: 'keychain' }))
  })

  it('is replaced and deleted with its profile', async () => {
    const account = () => JSON.parse(readFileSync(profileFile, 'utf8')).profiles.acme.keychain as string
    const held = (name: string) => {
      const script = `process.stdout.write(String(new (require('@napi-rs/keyring').Entry)('svc', process.argv[1]).getPassword()))`
      return spawnSync(process.execPath, ['-e', script, name], {
        cwd: root,
        env: { ...process.env, ...env },
        encoding: 'utf8',
      }).stdout
    }
    const first = account()
    expect(held(first)).toBe(key)
    expect((await addAcme(env, '--replace')).status).toBe(0)
    const second = account()
    expect([held(first), held(second)]).toEqual(['null', key])
    expect((await run('profile', 'remove', 'acme')).status).toBe(0)
    expect(held(second)).toBe('null')
  })

  it('that is missing causes an error with a remedy, and no other key is used', async () => {
    await addAcme(env)
    const gone = await sandbox.run(['whoami', '--profile', 'acme', '--json'], { env: NO_SESSION })
    expect([gone.status, gone.stdout, json(gone).error]).toMatchObject([2, '', { code: 'keychain' }])
    const removal = await sandbox.run(['profile', 'remove', 'acme', '--json'], { env: NO_SESSION })
    expect(json(removal).error).toMatchObject({ code: 'keychain' })
    expect(json(await run('profile', 'show', 'acme'))).toMatchObject({ api_key_in: 'keychain' })
    const variable = await sandbox.run(['whoami', '--profile', 'acme', '--json'], {
      env: { ...NO_SESSION, SVC_API_KEY: key },
    })
    expect(json(variable)).toMatchObject({ team: { name: 'acme' } })
  })
})

describe('without a keychain', () => {
  it.runIf(process.platform === 'linux')('a profile is not added, and the key is written nowhere', async () => {
    const added = await addAcme(NO_SESSION, '--replace')
    expect([added.status, json(added).error]).toMatchObject([
      2,
      {
        code: 'keychain',
        suggestions: [expect.stringContaining('Secret Service'), expect.stringContaining('SVC_API_KEY')],
      },
    ])
    expect(`${added.stdout}${added.stderr}`).not.toContain(key)
    expect(json(await sandbox.run(['profile', 'list', '--json']))).not.toContainEqual(
      expect.objectContaining({ api_key_in: 'profile_file' }),
    )
  })

  it('the missing package is shown', () => {
    const copy = path.join(sandbox.folder, 'installed')
    for (const each of ['bin', 'dist', 'package.json', 'oclif.manifest.json']) {
      cpSync(path.join(root, each), path.join(copy, each), { recursive: true })
    }
    mkdirSync(path.join(copy, 'node_modules'))
    symlinkSync(path.join(root, 'node_modules', '@photostructure'), path.join(copy, 'node_modules', '@photostructure'))
    const args = [path.join(copy, 'bin', 'run.js'), 'profile', 'add', 'x', '--api-key-stdin', '--keychain', '--json']
    const { status, stderr } = spawnSync(process.execPath, args, {
      input: `${key}\n`,
      env: sandbox.env,
      encoding: 'utf8',
    })
    expect(status).toBe(2)
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'keychain',
      message: 'The key could not be stored in the keychain. The package @napi-rs/keyring is not installed.',
    })
  })
})
