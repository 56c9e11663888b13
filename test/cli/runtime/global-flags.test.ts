/** Global flags before the command, between its words, and after it. */
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { takeGlobalFlags } from '../../../src/cli/runtime/global-flags.ts'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { expectRefusal } from '../../kit/refusal.ts'
import { Sandbox } from '../../kit/sandbox.ts'

const sandbox = new InProcessSandbox()
const folders = { user: path.join(sandbox.folder, 'one'), other: path.join(sandbox.folder, 'two') }

/** Returns the users of the folder that a command reads. The first one identifies the folder. */
async function listUsers(args: readonly string[]): Promise<string[]> {
  const run = await sandbox.run(args, { env: { SVC_DATA_DIR: '' } })
  expect(run.status, run.stderr).toBe(0)
  const { users } = JSON.parse(run.stdout) as { users: { client_user_id: string }[] }
  return users.map(each => each.client_user_id)
}

beforeAll(async () => {
  for (const [name, folder] of Object.entries(folders)) {
    await sandbox.json(['profile', 'add', name, '--data-dir', folder])
    await sandbox.json(['user', 'create', `of-${name}`, '--data-dir', folder])
  }
})

describe('a global flag has the same meaning', () => {
  test.each<[readonly string[], string]>([
    [['--profile', 'other', 'user', 'list'], 'of-other'],
    [['--profile=other', 'user', 'list'], 'of-other'],
    [['--json', '--profile', 'other', '--quiet', 'user', 'list'], 'of-other'],
    [['user', '--profile', 'other', 'list'], 'of-other'],
    [['user', 'list', '--profile', 'other'], 'of-other'],
    // values that look like commands
    [['--profile', 'user', 'user', 'list'], 'of-user'],
    [['--profile', 'user', '--json', 'user', 'list', '--limit', '1'], 'of-user'],
    [['user', '--profile', 'user', 'list'], 'of-user'],
    [[`--data-dir=${folders.user}`, 'user', 'list'], 'of-user'],
    [['--data-dir', folders.user, 'user', 'list'], 'of-user'],
  ])('%j', async (args, user) => {
    expect(await listUsers(args)).toEqual([user])
  })

  test('before a command that has commands below it', async () => {
    const run = await sandbox.run(['--profile', 'user', 'link', 'passwrd'])
    expectRefusal(run, 2, /mean "password"/)
  })

  test('before the output format', async () => {
    const run = await sandbox.run(['--output', 'csv', '--profile', 'user', 'user', 'list'])
    expect(run.stdout).toMatch(/^user_id,/)
  })

  test('before help, which is still shown', async () => {
    const [command, topic, bare] = await Promise.all([
      sandbox.run(['--profile', 'x', 'user', 'list', '--help']),
      sandbox.run(['--no-color', 'help', 'user']),
      sandbox.run(['--json']),
    ])
    expect(command.stdout).toContain('svc user list [FLAGS]')
    expect(topic.stdout).toContain('user undo-delete')
    expect(bare.stdout).toContain('TOPICS')
  })

  test('before --version', async () => {
    const run = await new Sandbox().run(['--no-color', '--version'])
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toBe(`svc/0.1.0 ${process.platform}-${process.arch} node-${process.version}\n`)
  })

  test('in errors as JSON', async () => {
    const run = await sandbox.run(['--json', 'user', 'lst'])
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stderr)).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining('user list') },
    })
  })
})

describe('before the command', () => {
  test.each<[readonly string[], RegExp]>([
    [['--limit', '3', 'user', 'list'], /--limit cannot come before the command\.[\s\S]*--profile, --base-url/],
    [['--profil', 'x', 'user', 'list'], /Did you mean "--profile"\?/],
    [['--password=hunter2', 'user', 'list'], /^Error: --password cannot/],
    [['-x', 'user', 'list'], /-x cannot/],
    [['user', '--limt', '3', 'list'], /--limt cannot come before the command\.[\s\S]*Did you mean "--limit"\?/],
    [['user', '--limit', '3', 'list'], /^Error: --limit cannot come before the command\.\n/],
    [['engine', 'snapshot', '-x'], /-x cannot/],
    [['user', '--password=hunter2', 'list'], /^Error: --password cannot/],
    [['user', '--profile'], /--profile expects a value/],
    [['--profile'], /--profile expects a value/],
    [['--profile', '--json', 'user', 'list', '--output', 'table'], /--profile expects a value/],
    [['--quiet=1', 'user', 'list'], /--quiet does not accept a value/],
    [['--profile', 'nope', 'user', 'list'], /No profile is named "nope"/],
    [['--profile', 'user', '--profile', 'other', 'user', 'list'], /--profile can only be specified once/],
  ])('%j is refused', async (args, says) => {
    const run = await sandbox.run(args)
    expect(run.stderr).not.toContain('hunter2')
    if (args.includes('--json')) expect(run.stderr).toMatch(says)
    else expectRefusal(run, 2, says)
    expect(run.status).toBe(2)
  })
})

describe('takeGlobalFlags', () => {
  const take = (...argv: readonly string[]) => takeGlobalFlags(argv, id => id === 'user' || id === 'engine:clock')

  test('leaves everything after the command name unchanged', () => {
    const argv = ['user', 'list', '--json', '--', '--profile', 'x']
    expect(take(...argv)).toEqual({ flags: [], words: argv })
    expect(take('--', '--json')).toEqual({ flags: [], words: ['--', '--json'] })
  })

  test('takes a value that looks like a flag only with =', () => {
    expect(take('--data-dir=--odd', 'user', 'list').flags).toEqual(['--data-dir=--odd'])
    expect(() => take('--data-dir', '--odd', 'user', 'list')).toThrow(/expects a value/)
  })
})
