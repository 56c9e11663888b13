/** The other commands that prompt, on a real pseudo-terminal: the prompts, the echo, and the effect of an answer. */
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { Terminal } from '../kit/terminal.ts'

const sandbox = new InProcessSandbox()

describe('user delete on a terminal', () => {
  test.each([
    ['no', 'n', 130, 0],
    ['yes', 'y', 0, 3],
  ])('answered %s', async (word, key, exit, getsAfterwards) => {
    await sandbox.json(['user', 'create', `user-${word}`])
    const terminal = new Terminal(sandbox, ['user', 'delete', `user-${word}`])
    await terminal.sees(/Delete the user user-\w+\?/)
    terminal.types(key)
    expect(await terminal.ended()).toBe(exit)
    expect(terminal.text).toMatch(new RegExp(`\\? \\(y/N\\) .+ ${word}\\b`))
    expect(terminal.text).not.toMatch(/\(y\/N\) . (?:true|false)/)
    expect((await sandbox.run(['user', 'get', `user-${word}`])).status).toBe(getsAfterwards)
  })
})

test('profile add asks for the key, hides it while you type, and shows only its first and last characters', async () => {
  const terminal = new Terminal(sandbox, ['profile', 'add', 'staging', '--base-url', 'https://api.example.com'])
  await terminal.sees(/API key/)
  terminal.types('sk_us_secretsecretsecretab12\r')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.text).toContain('sk_us_…ab12')
  expect(terminal.raw).not.toContain('secretsecret')
})

const CTRL_D = '\x04'
const CTRL_U = '\x15'

describe('Ctrl-D cancels with 130 and restores the terminal', () => {
  const ada = ['--user', 'ada']
  beforeAll(async () => {
    await sandbox.json(['user', 'create', 'ada'])
    await sandbox.json(['engine', 'snapshot', 'save', 'before'])
  })

  test.each<[string, readonly string[], RegExp, string]>([
    ['at a confirmation', ['user', 'delete', 'ada'], /Delete the user ada\?/, ''],
    ['at the confirmation of a reset', ['engine', 'reset'], /Delete every user/, ''],
    ['at the confirmation of a restore', ['engine', 'snapshot', 'restore', 'before'], /\(y\/N\)/, ''],
    ['at a text', ['link', 'email', 'freestyle_libre', ...ada], /E-mail address/, ''],
    ['at a text that was begun', ['link', 'email', 'freestyle_libre', ...ada], /E-mail address/, 'ada@exam'],
    ['after a text was refused', ['link', 'email', 'freestyle_libre', ...ada], /E-mail address/, 'x\x7f\r'],
    ['at a password', ['link', 'password', 'zwift', ...ada, '--username', 'ada'], /Password/, ''],
    ['at a password that was begun', ['link', 'password', 'zwift', ...ada, '--username', 'ada'], /Password/, 'se'],
    ['at an API key', ['profile', 'add', 'staging2', '--base-url', 'https://api.example.com'], /API key/, ''],
    ['at a list', ['link', 'password', ...ada], /Provider/, ''],
    ['at a list that was searched', ['link', 'password', ...ada], /Provider/, 'zw'],
    ['at a code', ['link', 'complete-mfa', 'whoop', ...ada], /Code/, ''],
  ])('%s', async (_where, args, asks, typed) => {
    const terminal = new Terminal(sandbox, args, 'stty -a')
    await terminal.sees(asks)
    terminal.types(typed)
    await new Promise(resolve => setTimeout(resolve, 200))
    terminal.types(CTRL_D)
    expect(await terminal.ended()).toBe(130)
    expect(terminal.text).toMatch(/Error: Cancelled\./)
    expect(terminal.text).toMatch(/(?<!-)\bicanon\b/)
    expect((await sandbox.run(['user', 'get', 'ada'])).status).toBe(0)
  })

  test('so that a shell script stops', async () => {
    const terminal = new Terminal(sandbox, ['user', 'delete', 'ada'], '[ $status -ne 0 ] || echo continued')
    await terminal.sees(/Delete the user ada\?/)
    terminal.types(CTRL_D)
    expect(await terminal.ended()).toBe(130)
    expect(terminal.text).not.toContain('continued')
  })

  test('before the prompt appears', async () => {
    const terminal = new Terminal(sandbox, ['user', 'delete', 'ada'])
    terminal.types(CTRL_D)
    await terminal.sees(/Delete the user ada\?/)
    terminal.types(CTRL_D)
    expect(await terminal.ended()).toBe(130)
    expect(terminal.text).toMatch(/Error: Cancelled/)
  })
})

test('Enter selects the best match in a list, wherever the arrow keys had moved before', async () => {
  const terminal = new Terminal(sandbox, ['link', '--user', 'ada'])
  await terminal.sees(/Provider/)
  terminal.types('\x1b[B\x1b[B')
  await new Promise(resolve => setTimeout(resolve, 200))
  terminal.types('whoop')
  await terminal.sees(/whoop_v2/)
  terminal.types('\r')
  await terminal.sees(/User name/)
  expect(terminal.text).toMatch(/Provider . whoop\s/)
})

describe('typed text can be cleared', () => {
  test('at a text prompt, also after the text was refused', async () => {
    const terminal = new Terminal(sandbox, ['link', 'email', 'freestyle_libre', '--user', 'ada', '--region', 'gb'])
    await terminal.sees(/E-mail address/)
    terminal.types(' \r')
    await terminal.sees(/Enter a value/)
    terminal.types(`wrong${CTRL_U}ada@example.com\r`)
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text).toMatch(/state +success/)
  })

  test('at a list, and a bracket does no harm', async () => {
    const terminal = new Terminal(sandbox, ['link', 'password', '--user', 'ada'])
    await terminal.sees(/Provider/)
    terminal.types('nonesuch(')
    await terminal.sees(/No matching choices/)
    terminal.types(`\r${CTRL_U}zwi`)
    await terminal.sees(/zwift/)
    terminal.types('\r')
    await terminal.sees(/User name/)
    expect(terminal.text).toMatch(/Provider . zwift/)
  })
})
