/** The commands about people and sessions, on a data folder whose server runs. */
import { expect, test } from 'vitest'
import { Sandbox } from '../../kit/sandbox.ts'
import { serveConsole } from './console-server.ts'

interface Listed {
  readonly sessions: readonly { readonly session_id: string; readonly name: string }[]
}

test('a person signs in with a URL that a command printed, and a command ends the session', async () => {
  const sandbox = new Sandbox()
  const dataDir = sandbox.env['SVC_DATA_DIR'] as string
  const server = await serveConsole({ dataDir })
  const added = await sandbox.json<{ url: string }>(['engine', 'person', 'add', 'Ana', '--role', 'reader'])
  expect(added.url).toContain(`${server.url}/console/sign-in?token=`)
  const { url } = await sandbox.json<{ url: string }>(['engine', 'person', 'sign-in', 'Ana'])
  const response = await fetch(url, { redirect: 'manual' })
  expect(response.status).toBe(303)
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  const { sessions } = await sandbox.json<Listed>(['engine', 'session', 'list'])
  expect(sessions).toMatchObject([{ name: 'Ana' }])
  expect((await fetch(`${server.url}/v2/user`, { headers: { cookie } })).status).toBe(200)
  await sandbox.json(['engine', 'session', 'end', sessions[0]?.session_id ?? ''])
  expect((await fetch(`${server.url}/v2/user`, { headers: { cookie } })).status).toBe(401)
  const table = await sandbox.run(['engine', 'person', 'list'])
  expect(table.stdout).toContain('Ana')
})
