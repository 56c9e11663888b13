/** A process is killed repeatedly between its calls: when they are repeated under the same keys, each takes effect exactly once. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, vi } from 'vitest'
import { times } from '../kit/effort.ts'
import { openHarness } from '../kit/harness.ts'
import { root } from '../kit/sandbox.ts'
import { seed } from '../kit/seed.ts'

vi.setConfig({ testTimeout: 240_000 })

const KILLS = times(8)

interface FirstResponse {
  readonly key: string
  readonly body: unknown
}

describe('a call that is repeated after kill -9', () => {
  it(`takes effect once, and gets the original response (seed ${seed})`, async () => {
    const { bundled } = await import(pathToFileURL(join(root, 'test', 'bench', 'bundle.mjs')).href)
    const { path } = (await bundled('store-entry.ts')) as { path: string }
    const h = await openHarness()
    h.time.ms = Date.now()
    const endpoint = { url: 'https://hooks.example/x', event_types: ['daily.data.heartrate.created'] }
    const { endpoint_id } = await h.call('webhook.create', { body: endpoint })
    const responses = new Map<string, unknown>()
    let wrong = 0
    let repeated = 0
    const note = ({ key, body }: FirstResponse) => {
      if (!responses.has(key)) responses.set(key, body)
      else {
        repeated++
        if (JSON.stringify(responses.get(key)) !== JSON.stringify(body)) wrong++
      }
    }
    /** Starts at a number, and is killed after this many responses and some time, or ends by itself. */
    const run = (first: number, last: number, kill: { after: number; ms: number } | null) =>
      new Promise<number | null>(resolve => {
        const args = [join(root, 'test', 'engine', 'idempotency-process.mjs'), path, h.dataDir, `${first}`, `${last}`]
        const child = spawn(process.execPath, args, {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: { ...process.env, ENDPOINT: endpoint_id },
        })
        let text = ''
        let lines = 0
        child.stdout.on('data', (piece: Buffer) => {
          text += piece.toString()
          const whole = text.split('\n')
          text = whole.pop() ?? ''
          for (const line of whole) note(JSON.parse(line) as FirstResponse)
          lines += whole.length
          if (kill && lines >= kill.after) setTimeout(() => child.kill('SIGKILL'), kill.ms)
        })
        child.on('close', code => resolve(code))
      })
    let chance = seed
    const draw = (most: number): number => {
      chance = (Math.imul(chance, 1_103_515_245) + 12_345) >>> 0
      return Math.floor((chance / 2 ** 32) * most)
    }
    const last = KILLS * 2
    for (let i = 0; i < KILLS; i++) await run(0, last, { after: responses.size === 0 ? 1 : draw(12) + 1, ms: draw(6) })
    expect(await run(0, last, null)).toBe(0)
    expect(await run(0, last, null)).toBe(0)
    expect({ wrong, answers: responses.size }).toEqual({ wrong: 0, answers: last * 4 })
    expect(repeated).toBeGreaterThan(last * 4)
    expect((await h.call('user.list', {})).total).toBe(last)
    const db = new DatabaseSync(h.engine.folder.database)
    const count = (sql: string) => (db.prepare(sql).get() as { n: number }).n
    expect({
      tokens: count('SELECT count(*) AS n FROM link_token'),
      // one test event, and the events of a push: the samples, and the connection that they create
      events: count('SELECT count(*) AS n FROM outbox'),
      cutOff: count('SELECT count(*) AS n FROM user_answer WHERE status IS NULL'),
    }).toEqual({ tokens: last, events: last * 3, cutOff: 0 })
    db.close()
    expect((await h.call('engine.check', {})).problems).toEqual([])
  })
})
