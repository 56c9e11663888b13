/** The ten-minute guide in docs/webhooks.md: its handler, as printed there, passes the contract test and receives events. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { binary, ensureBuilt, root, Sandbox } from '../commands/svc.ts'

const sandbox = new Sandbox()
const children: ChildProcess[] = []

/** Starts a process and keeps what it writes. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): { readonly text: () => string } {
  const child = spawn(process.execPath, args, { cwd: sandbox.folder, env: { ...sandbox.env, ...env } })
  children.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
  }
  return { text: () => text }
}

async function until(done: () => boolean, what: () => string): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!done()) {
    if (Date.now() > deadline) throw new Error(`it did not happen: ${what()}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise(done => server.close(done))
  return port
}

beforeAll(ensureBuilt)
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null) continue
    const ended = new Promise(done => child.once('exit', done))
    child.kill()
    await ended
  }
  sandbox.remove()
})

describe('the guide', () => {
  let url = ''
  let secret = ''
  let handler: { readonly text: () => string }

  it('starts its handler with the secret of svc listen', async () => {
    const guide = readFileSync(path.join(root, 'docs', 'webhooks.md'), 'utf8')
    const code = /```js\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
    writeFileSync(path.join(sandbox.folder, 'server.mjs'), code)
    symlinkSync(path.join(root, 'node_modules'), path.join(sandbox.folder, 'node_modules'), 'junction')
    await sandbox.json(['user', 'create', 'ada'])
    const printed = await sandbox.run(['listen', '--print-secret'])
    secret = /whsec_[A-Za-z0-9+/=]+/.exec(printed.stdout)?.[0] ?? ''
    const port = await freePort()
    url = `http://localhost:${port}/hooks`
    handler = start(['server.mjs'], { PORT: String(port), WEBHOOK_SECRET: secret })
    await until(() => handler.text().includes('listening on'), handler.text)
  })

  it('has a handler that passes the contract test', async () => {
    const run = await sandbox.run(['event', 'test-consumer', url, '--json'])
    expect(run.status, run.stdout + run.stderr).toBe(0)
  })

  it('receives events from an endpoint with the same secret through svc serve', async () => {
    const created = await sandbox.run(['webhook', 'create', url, '--secret-stdin', '--json'], { input: `${secret}\n` })
    expect(JSON.parse(created.stdout)).toMatchObject({ url, secret })
    const server = start([binary, 'serve', '--port', '0', '--json'])
    await until(() => server.text().includes('"url"'), server.text)
    await sandbox.json(['link', 'demo', 'ada', 'oura'])
    await until(() => handler.text().includes('provider.connection.created ada'), server.text)
    await until(() => /historical\.data\.\w+\.created ada/.test(handler.text()), server.text)
    const { endpoints } = await sandbox.json<{ endpoints: { dead: number }[] }>(['webhook', 'list'])
    expect(endpoints).toMatchObject([{ dead: 0, state: 'enabled', failing_since: null }])
  })
})
