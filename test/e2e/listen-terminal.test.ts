/** `svc listen` with a person at a real terminal: lines, keys, and the keyboard as it was on every way out. */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startHandler } from '../cli/handler.ts'
import { ensureBuilt, Sandbox } from '../commands/svc.ts'
import { Terminal } from './run.ts'

const sandbox = new Sandbox()
let terminal: Terminal | undefined

beforeAll(async () => {
  await ensureBuilt()
  await sandbox.json(['user', 'create', 'ada'])
  await sandbox.json(['link', 'demo', 'ada', 'oura'])
})
afterEach(() => terminal?.close())
afterAll(() => sandbox.remove())

function listen(...flags: readonly string[]): Terminal {
  terminal = new Terminal(sandbox, ['listen', ...flags], 'stty -a')
  return terminal
}

/** Something happens that the others listen for: an event of one type. */
async function happens(): Promise<void> {
  await sandbox.json(['provider', 'fail', 'ada', 'oura', '--error-type', 'unknown'])
}

function expectRestored({ text }: Terminal): void {
  expect(text).toMatch(/(?<!-)\bicanon\b/)
  expect(text).toMatch(/(?<!-)\becho\b/)
  expect(text).toMatch(/(?<!-)\bisig\b/)
}

const LINE = /provider\.connection\.error +ada +200 +\d+ ms/

describe.skipIf(process.platform === 'win32')('at a terminal', () => {
  test('shows a line an event, inspects one, sends the last again, and ends at q with a summary', async () => {
    const handler = await startHandler((_, index) => (index === 0 ? (_request, response) => response.end('well') : 200))
    const screen = listen('--forward-to', handler.url, '--events', 'provider.*')
    await screen.sees(/Ready: events go to http:\/\/127/)
    await screen.sees(/Keys: r resend/)
    await happens()
    await screen.sees(LINE)
    screen.types('i')
    await screen.sees(/Number of the event/)
    screen.types('2\x7f1\r')
    await screen.sees(/#1 {2}provider\.connection\.error/)
    await screen.sees(/webhook-signature: v1,/)
    await screen.sees(/answered {2}well/)
    await screen.sees(/"event_type": "provider\.connection\.error"/)
    screen.types('r')
    await screen.sees(/200 +\d+ ms {2}attempt 2/)
    expect(handler.received).toHaveLength(2)
    const [first, second] = handler.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    screen.types('q')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/1 event in [^:]+: 1 delivered; 2 attempts\./)
    expectRestored(screen)
  })

  test('Ctrl-C ends it with a summary in the middle of a question, and nothing is lost behind it', async () => {
    const screen = listen('--events', 'provider.*')
    await screen.sees(/Keys:/)
    screen.types('i')
    await screen.sees(/Number of the event/)
    await happens()
    // the line waits for the question to end
    await new Promise(resolve => setTimeout(resolve, 1_500))
    screen.types('\x03')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/provider\.connection\.error[\s\S]*1 event in/)
    expectRestored(screen)
  })

  test('the keyboard is as it was after an error, and with Ctrl-D', async () => {
    const refused = listen('--forward-to', 'http://10.0.0.1/hooks')
    expect(await refused.ended()).toBe(2)
    expectRestored(refused)
    const screen = listen()
    await screen.sees(/Keys:/)
    screen.types('\x04')
    expect(await screen.ended()).toBe(0)
    expectRestored(screen)
  })

  test.skipIf(process.platform !== 'linux')('the keyboard is as it was after a signal', async () => {
    const screen = listen()
    await screen.sees(/Keys:/)
    process.kill(runningListen(sandbox), 'SIGTERM')
    expect(await screen.ended()).toBe(0)
    expectRestored(screen)
  })
})

/** The one `svc listen` of this sandbox, found by its data folder. */
function runningListen({ env }: Sandbox): number {
  for (const name of readdirSync('/proc')) {
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`SVC_DATA_DIR=${env['SVC_DATA_DIR']}`)) continue
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(process.execPath)) return Number(name)
    } catch {
      // gone, or somebody else's
    }
  }
  throw new Error('svc listen does not run')
}
