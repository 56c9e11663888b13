/** The ten-minute guide in docs/webhooks.md: its handler, as printed there, passes the contract test and receives events. */
import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { atEndOfFile } from '../kit/end-of-file.ts'
import { freePort } from '../kit/free-port.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { root } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'
import { until } from '../kit/until.ts'

const sandbox = new InProcessSandbox()
/** Starts the handler and returns what it has written so far. */
function startHandler(env: Readonly<Record<string, string>>): () => string {
  const child = spawn(process.execPath, ['server.mjs'], { cwd: sandbox.folder, env: { ...sandbox.env, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
  }
  atEndOfFile(() => child.kill())
  return () => text
}

describe('the guide', () => {
  let url = ''
  let secret = ''
  let handled: () => string

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
    handled = startHandler({ PORT: String(port), WEBHOOK_SECRET: secret })
    await until(() => handled().includes('listening on'), { why: handled })
  })

  it('has a handler that passes the contract test', async () => {
    const run = await sandbox.run(['event', 'test-consumer', url, '--json'])
    expect(run.status, run.stdout + run.stderr).toBe(0)
  })

  it('receives events from an endpoint with the same secret through svc serve', async () => {
    const created = await sandbox.run(['webhook', 'create', url, '--secret-stdin', '--json'], { input: `${secret}\n` })
    expect(JSON.parse(created.stdout)).toMatchObject({ url, secret })
    const { log } = await serve(sandbox)
    await sandbox.json(['link', 'demo', 'ada', 'oura'])
    await until(() => handled().includes('provider.connection.created ada'), { why: log })
    await until(() => /historical\.data\.\w+\.created ada/.test(handled()), { why: log })
    const { endpoints } = await sandbox.json<{ endpoints: { dead: number }[] }>(['webhook', 'list'])
    expect(endpoints).toMatchObject([{ dead: 0, state: 'enabled', failing_since: null }])
  })
})
