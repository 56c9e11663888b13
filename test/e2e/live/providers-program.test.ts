/** `npm run providers`: its ports, and its refusals. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { until } from '../../kit/until.ts'
import { LIVE_CASES } from '../../providers/live-cases.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

interface Run {
  readonly child: ChildProcess
  readonly printed: () => string
  readonly complained: () => string
  readonly exit: Promise<number | null>
}

function run(...flags: string[]): Run {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'providers.mjs'), ...flags], { cwd: ROOT })
  let [printed, complained] = ['', '']
  child.stdout.on('data', piece => (printed += piece))
  child.stderr.on('data', piece => (complained += piece))
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
  atEndOfFile(async () => {
    child.kill('SIGTERM')
    await exit
  })
  return { child, printed: () => printed, complained: () => complained, exit }
}

describe('npm run providers', () => {
  it('skips ports in use, starting at --port-base, and says so', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    atEndOfFile(() => new Promise<void>(resolve => server.close(() => resolve())))
    const taken = (server.address() as AddressInfo).port
    const program = run('--port-base', String(taken))
    await until(() => program.complained().includes('until Ctrl-C'), { mostMs: 60_000, everyMs: 50 })
    const ports = [...program.printed().matchAll(/--api-url http:\/\/127\.0\.0\.1:(\d+)/g)].map(match =>
      Number(match[1]),
    )
    expect(ports).toHaveLength(LIVE_CASES.length)
    expect(new Set(ports).size).toBe(LIVE_CASES.length)
    expect(Math.min(...ports)).toBeGreaterThan(taken)
    expect(program.complained()).toContain('Some ports were taken')
    for (const port of ports) expect((await fetch(`http://127.0.0.1:${port}/none`)).status).toBeLessThan(500)
  })

  it('refuses invalid ports and unknown flags', async () => {
    for (const [flags, why] of [
      [['--port-base', '0'], '--port-base must be a port from 1 to 65535'],
      [['--port-base', 'x1'], '--port-base must be a port from 1 to 65535'],
      [['--port', '8601'], '--port-base N'],
    ] as const) {
      const program = run(...flags)
      expect(await program.exit).toBe(1)
      expect(program.complained()).toContain(why)
      expect(program.printed()).toBe('')
    }
  })
})
