/** Operations that a PostgreSQL store refuses, through the engine and over HTTP, and that other stores support. */
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/contract/kernel/operation.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { unsupported } from '../../src/core/store-features.ts'
import { lacksFeature } from '../../src/store/postgres/unsupported.ts'
import { openHarness } from '../kit/harness.ts'
import { IS_ON_POSTGRES } from '../kit/postgres/database.ts'
import { IS_ON_CITUS } from '../kit/postgres/maintenance.ts'
import { serve, type TestServer } from '../kit/server.ts'

const REWRITING = { rewrite: 'true' }

/** Operations that only some stores can run, with the query for which they are refused. */
const NEEDY = operationIds.flatMap(id => {
  const { needs }: Operation = operations[id]
  return needs === undefined ? [] : [{ id, query: typeof needs === 'function' ? REWRITING : {} }]
})

/** Only a cluster refuses to export. */
const REFUSED = NEEDY.filter(({ id }) => id !== 'engine.snapshot')

const fillPath = (path: string): string => path.replaceAll(/\{\w+\}/g, 'x')

function ask(server: TestServer, id: (typeof operationIds)[number], key?: string) {
  const { method, path, bodyIsBytes }: Operation = operations[id]
  const query = NEEDY.find(each => each.id === id)?.query ?? {}
  const body = method === 'POST' ? { body: bodyIsBytes ? new Uint8Array(1 << 20) : '{}' } : {}
  return server.ask(method, `${fillPath(path)}?${new URLSearchParams(query)}`, { ...body, ...(key ? { key } : {}) })
}

it('concerns snapshots, recordings, and the rewriting of checksums', () => {
  expect(NEEDY.map(({ id }) => id).sort()).toEqual([
    'engine.check',
    'engine.snapshot',
    'recording.read',
    'recording.replay',
    'recording.start',
    'recording.stop',
    'snapshot.delete',
    'snapshot.list',
    'snapshot.restore',
    'snapshot.save',
  ])
})

it('says which store refuses an export, with an alternative', () => {
  const { message, suggestions } = unsupported('snapshot_file')
  expect(message).toBe('Exporting a snapshot is not supported by a PostgreSQL store with Citus.')
  expect(suggestions).toEqual([expect.stringContaining('svc engine copy --from URL --to DIR')])
  expect([
    lacksFeature(true)('snapshot_file'),
    lacksFeature(false)('snapshot_file'),
    lacksFeature(false)('snapshots'),
  ]).toEqual([true, false, true])
})

// SVC_TEST_STORE asks for tests over PostgreSQL
describe.skipIf(!IS_ON_POSTGRES)('a store on PostgreSQL', () => {
  it.each(REFUSED)('refuses $id whatever the rest of the call is, with an alternative', async ({ id, query }) => {
    const svc = await openHarness()
    const refusal = await svc.refusal(id, { query } as never)
    expect(refusal).toMatchObject({ code: 'store_unsupported', status: 501, exitCode: 2 })
    expect(refusal.message).toMatch(/not supported by a PostgreSQL store\.$/)
    expect(refusal.suggestions).toEqual([expect.stringMatching(/svc engine copy|pg_dump|without --rewrite/)])
    expect(refusal.body).toEqual({ detail: `${refusal.message} ${refusal.suggestions[0]}` })
  })

  it('refuses the same over HTTP, without reading uploads, and tells only operators', async () => {
    const server = await serve()
    const team = await server.ask('POST', '/svc/v1/teams', { body: '{"name":"acme"}' })
    const { api_key: key } = team.json as { api_key: string }
    for (const { id } of REFUSED) {
      const refused = await ask(server, id)
      expect([refused.status, refused.headers.get('x-svc-error-code')], id).toEqual([501, 'store_unsupported'])
      expect(refused.json, id).toEqual({ detail: expect.stringMatching(/not supported by a PostgreSQL store\. .+\.$/) })
      expect((await ask(server, id, key)).status, id).toBe(403)
    }
  })

  it('cannot be recorded, is checked, and has its own figures', async () => {
    const svc = await openHarness()
    expect(await svc.call('recording.get', {})).toEqual({ recording_id: null, entries: 0 })
    expect(await svc.call('engine.check', {})).toMatchObject({ ok: true, rewritten: 0 })
    const status = await svc.call('engine.status', {})
    expect(status).toMatchObject({ file_bytes: null, wal_bytes: null })
    const roles = status.citus?.nodes.map(({ role }) => role)
    expect(roles).toEqual(IS_ON_CITUS ? ['coordinator', 'worker', 'worker'] : undefined)
    expect(status.server_version).toMatch(/^\d+\.\d+$/)
  })

  it('shows its connections in the metrics instead of files', async () => {
    const server = await serve({ metricsAreOpen: true })
    const { text } = await server.ask('GET', '/metrics')
    expect(text).toMatch(/^svc_store_connections\{state="in_use"\} \d+$/m)
    expect(text).toMatch(/^svc_store_connections\{state="idle"\} \d+$/m)
    for (const name of ['svc_store_waiting', 'svc_store_retries_total', 'svc_event_order_lag_seconds']) {
      expect(text).toMatch(new RegExp(`^${name} 0$`, 'm'))
    }
    for (const name of ['svc_store_round_trips_total', 'svc_store_statements_total']) {
      expect(text).toMatch(new RegExp(`^${name} [1-9]`, 'm'))
    }
    expect(text).not.toMatch(/svc_database_bytes|svc_wal_bytes/)
  })
})

it.skipIf(IS_ON_POSTGRES)('a store in files supports all operations, and has no server version', async () => {
  const svc = await openHarness()
  expect((await svc.call('snapshot.list', {})).snapshots).toEqual([])
  expect(await svc.call('engine.check', { query: { rewrite: true } })).toMatchObject({ ok: true })
  const status = await svc.call('engine.status', {})
  expect(status).toMatchObject({ server_version: null, citus: null })
  expect(status.file_bytes).toBeGreaterThan(0)
})
