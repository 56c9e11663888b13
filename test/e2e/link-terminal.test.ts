/** `svc link password` with a person at a real terminal, and without a terminal. */
import { execFile } from 'node:child_process'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { svcCommand } from '../kit/sandbox.ts'
import { Terminal } from '../kit/terminal.ts'

const PASSWORD = 'n0t-for-any-screen'
const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'

const sandbox = new InProcessSandbox()
let terminal: Terminal | undefined

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
})
afterEach(() => terminal?.close())

/** Runs `svc link password` on a terminal; at its end the terminal prints its settings. */
function link(provider: string, ...flags: readonly string[]): Terminal {
  terminal = new Terminal(sandbox, ['link', 'password', provider, '--user', 'ada', ...flags], 'stty -a')
  return terminal
}

/** The keyboard echoes and returns whole lines again, and the cursor is visible. */
function expectRestored({ raw, text }: Terminal): void {
  expect(text).toMatch(/(?<!-)\bicanon\b/)
  expect(text).toMatch(/(?<!-)\becho\b/)
  expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf(HIDE_CURSOR))
}

async function connectedProviders(): Promise<string[]> {
  const { providers } = await sandbox.json<{ providers: { slug: string }[] }>(['provider', 'list', '--user', 'ada'])
  return providers.map(each => each.slug)
}

describe.skipIf(process.platform === 'win32')('on a terminal', () => {
  test('asks for user name, password and region, and never shows the password', async () => {
    const screen = link('abbott_libreview')
    await screen.sees(/User name/)
    screen.types('ada@example.com\r')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    await screen.sees(/Region/)
    screen.types('de\r')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/us\s+eu\s+de\s/)
    expect(screen.text).toMatch(/Region . de\b/)
    expect(screen.text).toMatch(/state +success/)
    expect(screen.raw).not.toContain(PASSWORD)
    expectRestored(screen)
    expect(await connectedProviders()).toContain('abbott_libreview')
  })

  test('asks for the provider if none is given', async () => {
    terminal = new Terminal(sandbox, ['link', 'email', '--user', 'ada'], 'stty -a')
    const screen = terminal
    await screen.sees(/Provider/)
    screen.types('fre')
    await screen.sees(/freestyle_libre/)
    screen.types('\r')
    await screen.sees(/E-mail address/)
    screen.types('ada@example.com\r')
    await screen.sees(/Region/)
    screen.types('gb\r')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/state +success/)
    expectRestored(screen)
  })

  test('does not accept an unknown region', async () => {
    const screen = link('dexcom', '--username', 'ada@example.com')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    await screen.sees(/Region/)
    screen.types('mars\r')
    await screen.sees(/No matching choices/)
    screen.types(`${'\u007f'.repeat(4)}EU\r`)
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/state +success/)
  })

  test('does not ask for a region if the provider has none, and uses no colors if they are disabled', async () => {
    const screen = link('zwift', '--no-color')
    await screen.sees(/User name/)
    screen.types('ada@example.com\r')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    expect(await screen.ended()).toBe(0)
    expect(screen.text).not.toMatch(/Region/)
    expect(screen.raw).not.toContain('\u001b[36m')
    expect(screen.raw).not.toContain(PASSWORD)
  })

  test('says where the code was sent, asks again after a wrong one, and ends connected', async () => {
    const screen = link('whoop')
    await screen.sees(/User name/)
    screen.types('mfa-sms@sandbox.test\r')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    await screen.sees(/by SMS to \+1 \*\*\* \*\*\* \*\*42/)
    screen.types('999999\r')
    await screen.sees(/code is (?:not right|wrong)/)
    await screen.sees(/by SMS to/)
    screen.types('123456\r')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/connected +true/)
    expect(screen.raw).not.toContain(PASSWORD)
    expectRestored(screen)
    expect(await connectedProviders()).toContain('whoop')
  })

  test('goes back to the sign-in after the fifth wrong code, and says why', async () => {
    const screen = link('my_fitness_pal', '--username', 'mfa-sms@sandbox.test')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    for (let left = 5; left > 0; left--) {
      await screen.sees(/by SMS to/)
      screen.types('999999\r')
      if (left > 1) await screen.sees(new RegExp(`${left - 1} attempts? (?:is|are) left`))
    }
    await screen.sees(
      /A sign-in ends after 5 wrong codes\. Enter your user name and password again to get a new code\./,
    )
    await screen.sees(/User name/)
    screen.types('mfa-email@sandbox.test\r')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    await screen.sees(/by email to/)
    screen.types('000000\r')
    await screen.sees(/4 attempts are left/)
    screen.types('123456\r')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/connected +true/)
    expect(screen.raw).not.toContain(PASSWORD)
    expectRestored(screen)
  })

  test('offers a list of providers, and uses the right sign-in for the chosen one', async () => {
    terminal = new Terminal(sandbox, ['link', '--user', 'ada'], 'stty -a')
    const screen = terminal
    await screen.sees(/Provider/)
    await screen.sees(/oura Oura, OAuth/)
    screen.types('libreview')
    await screen.sees(/abbott_libreview Abbott LibreView, a user name and a password/)
    screen.types('\r')
    await screen.sees(/User name/)
    screen.types('eva@example.com\r')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    await screen.sees(/Region/)
    screen.types('fr\r')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/provider +abbott_libreview/)
    expectRestored(screen)
  })

  test('reports a problem with the password, and exits with 6', async () => {
    const screen = link('peloton')
    await screen.sees(/User name/)
    screen.types('ada@example.com\r')
    await screen.sees(/Password/)
    screen.types('wrong\r')
    expect(await screen.ended()).toBe(6)
    expect(screen.text).toMatch(/Error: The link failed: provider_credential_error/)
    expect(await connectedProviders()).not.toContain('peloton')
  })

  test('exits with 130 on Ctrl-C at the password, restores the terminal, and connects nothing', async () => {
    const screen = link('renpho')
    await screen.sees(/User name/)
    screen.types('ada@example.com\r')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\u0003`)
    expect(await screen.ended()).toBe(130)
    expect(screen.text).toMatch(/Cancelled/)
    expect(screen.raw).not.toContain(PASSWORD)
    expectRestored(screen)
    expect(await connectedProviders()).not.toContain('renpho')
  })

  test('says on Ctrl-C at the code prompt that the sign-in is still waiting for the code', async () => {
    const screen = link('kardia', '--username', 'mfa-sms@sandbox.test')
    await screen.sees(/Password/)
    screen.types(`${PASSWORD}\r`)
    await screen.sees(/Code that the provider sent by SMS/)
    screen.types('\u0003')
    expect(await screen.ended()).toBe(130)
    expect(screen.text.replaceAll(/\s+/g, ' ')).toContain(
      'Cancelled. The sign-in still waits for its code: svc link complete-mfa kardia --user ada --mfa-code CODE',
    )
    expect(screen.text).not.toContain('changed nothing')
  })

  test('asks nothing with --no-input, even on a terminal', async () => {
    terminal = new Terminal(sandbox, ['link', 'password', 'zwift', '--user', 'ada', '--no-input'])
    expect(await terminal.ended()).toBe(2)
    expect(terminal.text).toMatch(/^Error: --username is missing/)
  })
})

describe('without a terminal', () => {
  const link = ['link', 'password', 'abbott_libreview', '--user', 'ada']
  const withName = [...link, '--username', 'ada@example.com']

  test.each([
    ['the user name', link, /--username/],
    ['the password', withName, /--password-stdin/],
    ['the password on stdin', [...withName, '--password-stdin'], /--password-stdin/],
  ])('suggests the flag for %s', async (_what, args, says) => {
    expectRefusal(await sandbox.run(args), 2, says)
  })

  test('suggests the flag for the region, and does not repeat the password', async () => {
    const run = await sandbox.run([...withName, '--password-stdin'], { input: `${PASSWORD}\n` })
    expectRefusal(run, 2, /--region/)
    expect(run.stderr).not.toContain(PASSWORD)
  })

  test.skipIf(process.platform === 'win32').each([
    ['the user name', link, /--username/],
    ['the password on stdin', [...withName, '--password-stdin'], /--password-stdin/],
  ])('exits if stdin is also closed, and suggests the flag for %s', async (_what, args, says) => {
    const run = await new Promise<{ status: number; stdout: string; stderr: string }>(resolve => {
      const command = ['-c', '"$@" <&-', 'sh', ...svcCommand, ...args]
      const child = execFile('/bin/sh', command, { env: sandbox.env }, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode ?? -1, stdout, stderr }),
      )
    })
    expectRefusal(run, 2, says)
  })

  describe('with a link token from elsewhere', () => {
    const link = ['link', 'password', 'zwift', '--username', 'ada@example.com']
    const newToken = async () => (await sandbox.json<{ link_token: string }>(['link', 'token', 'ada'])).link_token

    test('in the variable, links the token’s user', async () => {
      const env = { SVC_LINK_TOKEN: await newToken() }
      const run = await sandbox.run([...link, '--password-stdin', '--json'], { env, input: PASSWORD })
      expect(run.status, run.stderr).toBe(0)
      expect(JSON.parse(run.stdout)).toMatchObject({ state: 'success', provider: 'zwift' })
      expect(run.stdout + run.stderr).not.toContain(env.SVC_LINK_TOKEN)
      // it can be used once
      const again = await sandbox.run([...link, '--password-stdin'], { env, input: PASSWORD })
      expect(again.status).toBe(6)
      expect(again.stderr).toMatch(/token_consumed/)
    })

    test('completes a pending sign-in with the same token, which is not repeated', async () => {
      const env = { SVC_LINK_TOKEN: await newToken() }
      const pending = ['link', 'password', 'kardia', '--username', 'mfa-email@sandbox.test', '--password-stdin']
      const first = await sandbox.run(pending, { env, input: PASSWORD })
      expect(first.status, first.stderr).toBe(0)
      expect(first.stderr).toMatch(/SVC_LINK_TOKEN=… svc link complete-mfa kardia --mfa-code CODE/)
      const done = await sandbox.run(['link', 'complete-mfa', 'kardia', '--mfa-code', '123456'], { env })
      expect(JSON.parse(done.stdout)).toMatchObject({ state: 'success' })
    })

    test('requires the token if no user is given', async () => {
      expectRefusal(
        await sandbox.run([...link, '--password-stdin'], { input: PASSWORD }),
        2,
        /--user and SVC_LINK_TOKEN/,
      )
    })
  })

  test('exits with 0 for a pending sign-in and shows the command that completes it', async () => {
    const link = ['link', 'password', 'kardia', '--user', 'ada', '--username', 'mfa-email@sandbox.test']
    const pending = await sandbox.run([...link, '--password-stdin', '--json'], { input: PASSWORD })
    expect(pending.status, pending.stderr).toBe(0)
    expect(JSON.parse(pending.stdout)).toMatchObject({
      state: 'pending_provider_mfa',
      provider_mfa: { method: 'email', hint: 'm***@sandbox.test' },
    })
    expect(pending.stderr).toBe(
      'The sign-in still waits for its code: svc link complete-mfa kardia --user ada --mfa-code CODE\n',
    )
    const done = await sandbox.json<object>(['link', 'complete-mfa', 'kardia', '--user', 'ada', '--mfa-code', '123456'])
    expect(done).toMatchObject({ state: 'success', connected: true })
  })
})
