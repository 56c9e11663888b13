/** A running server runs due purges by itself, responds meanwhile, and stops the work when it closes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EngineContext } from '../../src/engine/context.ts'
import { startDueWork } from '../../src/server/due-work.ts'
import { serve, type TestServer } from '../kit/server.ts'
import { until } from '../kit/until.ts'

const status = async (server: TestServer) =>
  (await server.ask('GET', '/svc/v1/status')).json as { deleted_users: number; due_jobs: number }
const filesHold = (dataDir: string, text: string): boolean =>
  readdirSync(dataDir).some(name => name.startsWith('svc.db') && readFileSync(join(dataDir, name)).includes(text))

describe('a server', () => {
  it('purges when the purge is due, logs it without a name, and finishes before it closes', async () => {
    const server = await serve()
    const created = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: 'MARK-ada' }) })
    const { user_id } = created.json as { user_id: string }
    await server.ask('DELETE', `/v2/user/${user_id}`)
    await server.ask('POST', '/svc/v1/clock', { body: '{"advance":"6d"}' })
    expect(await status(server)).toMatchObject({ deleted_users: 1, due_jobs: 0 })
    await server.ask('POST', '/svc/v1/clock', { body: '{"advance":"1d"}' })
    await until(() => server.lines.some(line => line.startsWith('due jobs: purge 1, scrub 1')))
    expect(await status(server)).toMatchObject({ deleted_users: 0, due_jobs: 0 })
    const log = server.lines.join('\n')
    expect([log.includes(user_id), log.includes('MARK')]).toEqual([false, false])
    await server.close()
    expect(filesHold(server.dataDir, 'MARK-ada')).toBe(false)
  })

  it('runs due work on request', async () => {
    const server = await serve()
    const created = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: 'bob' }) })
    const { user_id } = created.json as { user_id: string }
    await server.ask('DELETE', `/v2/user/${user_id}`)
    await server.ask('POST', '/svc/v1/clock', { body: '{"advance":"7d"}' })
    // its own check may come first
    expect(await server.ask('POST', '/svc/v1/run-due')).toMatchObject({ status: 200, json: { left: [] } })
    expect(await status(server)).toMatchObject({ deleted_users: 0, due_jobs: 0 })
    expect(await server.ask('POST', '/svc/v1/check')).toMatchObject({ status: 200, json: { ok: true } })
  })
})

describe('a bug in due work', () => {
  it('is reported with its kind and source location, without its message', async () => {
    const lines: string[] = []
    const store = {
      clock: { read: async () => ({ offsetMs: 0, frozenAt: null }) },
      jobs: { due: async () => JSON.parse('{"weight":88.4x}') },
    }
    const engine = { store, time: { now: () => 0 } } as unknown as EngineContext
    const work = startDueWork(engine, { log: line => lines.push(line), lookMs: 1 })
    await until(() => lines.length > 0)
    await work.stop()
    expect(lines[0]).toMatch(/^due jobs failed:\n {2}SyntaxError\n {4}at /)
    expect(lines.join('\n')).not.toContain('88')
  })
})
