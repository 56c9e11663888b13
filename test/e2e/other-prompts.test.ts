/** The other commands that prompt, on a real pseudo-terminal: what is asked, what is echoed, and what an answer does. */
import { describe, expect, test } from 'vitest'
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
    expect((await sandbox.run(['user', 'get', `user-${word}`])).status).toBe(getsAfterwards)
  })
})

test('profile add asks for the key, hides it while you type, and shows only its ends', async () => {
  const terminal = new Terminal(sandbox, ['profile', 'add', 'staging', '--base-url', 'https://api.example.com'])
  await terminal.sees(/API key/)
  terminal.types('sk_us_secretsecretsecretab12\r')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.text).toContain('sk_us_…ab12')
  expect(terminal.raw).not.toContain('secretsecret')
})
