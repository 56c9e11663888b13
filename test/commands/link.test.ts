/** `svc link PROVIDER`, which finds the right sign-in, and the messages of commands for another sign-in. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { LINK_COMMANDS } from '../../src/cli/links/offer.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { root } from '../kit/sandbox.ts'

const sandbox = new InProcessSandbox()
const PASSWORD = 'n0t-for-any-screen'
const ADA = ['--user', 'ada']

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
  await sandbox.json(['user', 'create', 'ada of bo'])
})

describe('svc link PROVIDER', () => {
  test.each<[string, readonly string[]]>([
    ['zwift', ['--username', 'ada@example.com', '--password-stdin']],
    ['dexcom', ['--username', 'ada@example.com', '--password-stdin', '--region', 'eu']],
    ['freestyle_libre', ['--email', 'ada@example.com']],
    ['oura', ['--approve', '--grant', 'daily']],
  ])('links %s in the way it uses', async (provider, flags) => {
    const run = await sandbox.run(['link', provider, ...ADA, ...flags, '--json'], { input: `${PASSWORD}\n` })
    expect(run.status, run.stderr).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ state: 'success', provider })
  })

  test('prints the consent page of a provider that uses OAuth', async () => {
    expect(await sandbox.json(['link', 'strava', ...ADA])).toMatchObject({ slug: 'strava', oauth_url: null })
  })

  test('links the user of a link token', async () => {
    const { link_token } = await sandbox.json<{ link_token: string }>(['link', 'token', 'ada', '--provider', 'polar'])
    const env = { SVC_LINK_TOKEN: link_token }
    expectRefusal(
      await sandbox.run(['link', 'garmin', '--approve'], { env }),
      2,
      /named "garmin"[\s\S]*Providers: polar\./,
    )
    const run = await sandbox.run(['link', 'polar', '--approve'], { env })
    expect(JSON.parse(run.stdout)).toMatchObject({ state: 'success', provider: 'polar' })
    expectRefusal(await sandbox.run(['link', 'polar', '--approve'], { env }), 4, /has been used/)
  })

  test.each<[string, readonly string[], RegExp]>([
    [
      'a flag of another way',
      ['whoop', ...ADA, '--approve', '--email', 'a@b.c'],
      /--email, --approve cannot be used with Whoop\.\n.*--username/,
    ],
    ['a missing provider', ADA, /PROVIDER is missing[\s\S]*Providers: oura, fitbit,/],
    [
      'a missing region',
      ['dexcom', ...ADA, '--username', 'a', '--password-stdin'],
      /--region is missing[\s\S]*Allowed: us, eu\./,
    ],
    ['a mistyped command', ['passwrd'], /neither a provider nor a command[\s\S]*mean "password"/],
    [
      'a mistyped command with its arguments',
      ['passwrd', 'zwift', ...ADA],
      /no command "link passwrd"\. Did you mean "link password"/,
    ],
    ['a mistyped provider', ['our', ...ADA], /mean "oura"/],
    ['a word too many', ['oura', 'zwift', ...ADA], /1 argument too many[\s\S]*svc link \[PROVIDER\]/],
    [
      'a provider without a sign-in',
      ['manual', ...ADA],
      /Manual does not connect with a sign-in[\s\S]*`svc import FILE --user ada`/,
    ],
    ['a missing user', ['oura'], /--user and SVC_LINK_TOKEN are both missing/],
  ])('says what is allowed instead of %s', async (_what, args, says) => {
    const run = await sandbox.run(['link', ...args], { input: `${PASSWORD}\n` })
    expectRefusal(run, 2, says)
    expect(run.stderr).not.toContain(PASSWORD)
  })
})

describe('a command for another kind of sign-in suggests the right one', () => {
  test.each<[readonly string[], RegExp]>([
    [
      ['password', 'oura', ...ADA],
      /Oura does not connect with a password\. It uses OAuth\.\n.*`svc link oauth oura --user ada`/,
    ],
    [
      ['password', 'freestyle_libre', ...ADA],
      /uses an e-mail address\.\n.*`svc link email freestyle_libre --user ada`/,
    ],
    [['email', 'whoop', ...ADA], /uses a user name and a password\.\n.*`svc link password whoop --user ada`/],
    [['email', 'oura', ...ADA], /`svc link oauth oura --user ada`/],
    [['oauth', 'whoop', '--user', 'ada of bo'], /`svc link password whoop --user 'ada of bo'`/],
    [['oauth', 'freestyle_libre', ...ADA], /`svc link email freestyle_libre --user ada`/],
    [
      ['oauth', 'apple_health_kit', ...ADA],
      /files, apps or devices[\s\S]*`svc import FILE --user ada`[\s\S]*`svc link demo ada apple_health_kit`/,
    ],
    [['demo', 'ada', 'whoop'], /Whoop has no demo\.\n.*`svc link password whoop --user ada`/],
    [['demo', 'ada', 'garmin'], /`svc link oauth garmin --user ada`/],
    [
      ['token', 'ada', '--provider', 'apple_health_kit'],
      /with a link token\.[\s\S]*`svc link demo ada apple_health_kit`/,
    ],
    [['token', 'ada', '--filter', 'manual', '--filter', 'omron_ble'], /Manual does not connect with a link token/],
  ])('svc link %j', async (args, says) => {
    expectRefusal(await sandbox.run(['link', ...args]), 2, says)
  })

  test('also with a link token, which is not repeated', async () => {
    const { link_token } = await sandbox.json<{ link_token: string }>(['link', 'token', 'ada'])
    const run = await sandbox.run(['link', 'password', 'oura'], { env: { SVC_LINK_TOKEN: link_token } })
    expectRefusal(run, 2, /`SVC_LINK_TOKEN=… svc link oauth oura`/)
    expect(run.stderr).not.toContain(link_token)
  })
})

test('a piped password is never taken for a missing provider', async () => {
  const run = await sandbox.run(['link', 'password', ...ADA, '--password-stdin'], { input: `${PASSWORD}\n` })
  expectRefusal(run, 2, /PROVIDER is missing[\s\S]*Providers that connect with a password: whoop, /)
  expect(run.stderr).not.toContain(PASSWORD)
})

test('the subcommands of svc link are reserved, so that no provider can use them as its slug', () => {
  const files = readdirSync(path.join(root, 'src', 'commands', 'link')).map(name => name.replace(/\.ts$/, ''))
  expect(files.sort()).toEqual(LINK_COMMANDS)
})
