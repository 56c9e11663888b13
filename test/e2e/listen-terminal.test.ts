/** `svc listen` with a person at a real terminal: lines, keys, and the keyboard settings after every way of ending. */
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import type { Sandbox } from '../kit/sandbox.ts'
import { openSink } from '../kit/sink.ts'
import { Terminal } from '../kit/terminal.ts'
import { until } from '../kit/until.ts'

const sandbox = new InProcessSandbox()
let terminal: Terminal | undefined

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
  await sandbox.json(['link', 'demo', 'ada', 'oura'])
})
afterEach(() => terminal?.close())

function listen(...flags: readonly string[]): Terminal {
  terminal = new Terminal(sandbox, ['listen', ...flags], 'stty -a')
  return terminal
}

/** Causes an event of one type for the listeners. */
async function happens(): Promise<void> {
  await sandbox.json(['provider', 'fail', 'ada', 'oura', '--error-type', 'unknown'])
}

function expectRestored({ text }: Terminal): void {
  expect(text).toMatch(/(?<!-)\bicanon\b/)
  expect(text).toMatch(/(?<!-)\becho\b/)
  expect(text).toMatch(/(?<!-)\bisig\b/)
}

const LINE = /provider\.connection\.error +ada +200 +\d+ ms/

describe.skipIf(process.platform === 'win32')('on a terminal', () => {
  test('shows a line for each event, inspects one, resends the last, and ends on q with a summary', async () => {
    const handler = await openSink((_, response, index) => (index === 0 ? void response.end('well') : 200))
    const screen = listen('--forward-to', handler.url, '--events', 'provider.*')
    await screen.sees(/Ready: events are sent to http:\/\/127/)
    await screen.sees(/Keys: r resend/)
    await happens()
    await screen.sees(LINE)
    screen.types('i')
    await screen.sees(/Event number/)
    screen.types('2\x7f1\r')
    await screen.sees(/#1 {2}provider\.connection\.error/)
    await screen.sees(/webhook-signature: v1,/)
    await screen.sees(/response {2}well/)
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

  test('ends on Ctrl-C with a summary during a prompt, and loses no line', async () => {
    const handler = await openSink(() => 200)
    const screen = listen('--forward-to', handler.url, '--events', 'provider.*')
    await screen.sees(/Keys:/)
    screen.types('i')
    await screen.sees(/Event number/)
    await happens()
    // the line waits until the prompt is answered
    await until(() => handler.received.length === 1)
    screen.types('\x03')
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/provider\.connection\.error[\s\S]*1 event in/)
    expectRestored(screen)
  })

  test('ends with 130 on Ctrl-D at a prompt, and loses no line', async () => {
    const screen = listen('--events', 'provider.*')
    await screen.sees(/Keys:/)
    screen.types('i')
    await screen.sees(/Event number/)
    screen.types('1\x04')
    expect(await screen.ended()).toBe(130)
    expect(screen.text).toMatch(/0 events in[\s\S]*Error: Cancelled\./)
    expectRestored(screen)
  })

  test('restores the keyboard after an error and after Ctrl-D', async () => {
    const refused = listen('--forward-to', 'http://10.0.0.1/hooks')
    expect(await refused.ended()).toBe(2)
    expectRestored(refused)
    const screen = listen()
    await screen.sees(/Keys:/)
    screen.types('\x04')
    expect(await screen.ended()).toBe(0)
    expectRestored(screen)
  })

  test.skipIf(process.platform !== 'linux')('restores the keyboard after a signal', async () => {
    const screen = listen()
    await screen.sees(/Keys:/)
    process.kill(runningListen(sandbox), 'SIGTERM')
    expect(await screen.ended()).toBe(0)
    expectRestored(screen)
  })
})

/** Returns the process ID of this sandbox's `svc listen`, found by its data folder. */
function runningListen({ env }: Sandbox): number {
  for (const name of readdirSync('/proc')) {
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`SVC_DATA_DIR=${env['SVC_DATA_DIR']}`)) continue
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(process.execPath)) return Number(name)
    } catch {
      // already gone, or not ours
    }
  }
  throw new Error('svc listen does not run')
}
