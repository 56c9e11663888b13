/** Commands at a real pseudo-terminal: what is asked, what is echoed, and what Ctrl-C leaves behind. */
import { type IPty, spawn } from '@lydell/node-pty'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { binary, ensureBuilt, Sandbox } from './svc.ts'

const sandbox = new Sandbox()

/** A terminal with `svc` in it: type when a text has appeared. */
class Terminal {
  text = ''
  private readonly pty: IPty
  private readonly ended: Promise<number>

  constructor(args: readonly string[]) {
    this.pty = spawn(process.execPath, [binary, ...args], {
      cwd: sandbox.folder,
      env: { ...sandbox.env, TERM: 'xterm-256color' },
      cols: 160,
      rows: 40,
    })
    this.pty.onData(data => {
      this.text += data
    })
    this.ended = new Promise(resolve => this.pty.onExit(({ exitCode }) => resolve(exitCode)))
  }

  /** Waits until a text appears after what was seen before, then types. */
  async answer(question: string, typed: string): Promise<void> {
    await this.sees(question)
    this.seen = this.text.length
    this.pty.write(typed)
  }

  async sees(wanted: string): Promise<void> {
    for (let tries = 0; tries < 1_000; tries++) {
      if (this.text.slice(this.seen).includes(wanted)) return
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    throw new Error(`the terminal never showed ${JSON.stringify(wanted)}, but: ${JSON.stringify(this.text)}`)
  }

  exit(): Promise<number> {
    return this.ended
  }

  private seen = 0
}

beforeAll(async () => {
  await ensureBuilt()
  await sandbox.json(['user', 'create', 'ada'])
})
afterAll(() => sandbox.remove())

describe('link password on a terminal', () => {
  test('asks for what is missing, shows no password, and asks again after a wrong code', async () => {
    const terminal = new Terminal(['link', 'password', 'whoop', '--user', 'ada'])
    await terminal.answer('User name', 'mfa-sms@sandbox.test\r')
    await terminal.answer('Password', 'swordfish\r')
    await terminal.answer('by SMS to', '000000\r')
    await terminal.answer('not right', '123456\r')
    expect(await terminal.exit()).toBe(0)
    expect(terminal.text).not.toContain('swordfish')
    expect(terminal.text).toContain('success')
    const { providers } = await sandbox.json<{ providers: { slug: string }[] }>(['provider', 'list', '--user', 'ada'])
    expect(providers.map(each => each.slug)).toContain('whoop')
  })

  test('offers the regions of a provider that has them', async () => {
    const terminal = new Terminal(['link', 'password', 'abbott_libreview', '--user', 'ada', '--username', 'someone'])
    await terminal.answer('Password', 'swordfish\r')
    await terminal.answer('Region', '\r')
    expect(await terminal.exit()).toBe(0)
    expect(terminal.text).toContain('success')
  })

  test('Ctrl-C at the password ends with 130, shows the cursor again and links nothing', async () => {
    const terminal = new Terminal(['link', 'password', 'zwift', '--user', 'ada', '--username', 'someone'])
    await terminal.answer('Password', 'half\x03')
    expect(await terminal.exit()).toBe(130)
    expect(terminal.text.lastIndexOf('\x1b[?25h')).toBeGreaterThan(terminal.text.lastIndexOf('\x1b[?25l'))
    const { providers } = await sandbox.json<{ providers: { slug: string }[] }>(['provider', 'list', '--user', 'ada'])
    expect(providers.map(each => each.slug)).not.toContain('zwift')
  })

  test('--no-input asks nothing even there', async () => {
    const terminal = new Terminal(['link', 'password', 'zwift', '--user', 'ada', '--no-input'])
    expect(await terminal.exit()).toBe(2)
    expect(terminal.text).toContain('--username')
  })
})

describe('user delete on a terminal', () => {
  test('leaves the user when the answer is no, and deletes it when it is yes', async () => {
    await sandbox.json(['user', 'create', 'bob'])
    const first = new Terminal(['user', 'delete', 'bob'])
    await first.answer('Delete the user bob?', 'n')
    expect(await first.exit()).toBe(130)
    await sandbox.json(['user', 'get', 'bob'])
    const second = new Terminal(['user', 'delete', 'bob'])
    await second.answer('Delete the user bob?', 'y')
    expect(await second.exit()).toBe(0)
    expect((await sandbox.run(['user', 'get', 'bob'])).status).toBe(3)
  })
})

test('profile add asks for the key, keeps it from the screen and shows only its ends', async () => {
  const terminal = new Terminal(['profile', 'add', 'staging', '--base-url', 'https://api.example.com'])
  await terminal.answer('API key', 'sk_us_secretsecretsecretab12\r')
  expect(await terminal.exit()).toBe(0)
  expect(terminal.text).toContain('sk_us_…ab12')
  expect(terminal.text).not.toContain('secretsecret')
})
