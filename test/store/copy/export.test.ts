/** `svc engine snapshot export` of a PostgreSQL store: a SQLite file with a single moment, written while others write. */
import { writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openEmbedded } from '../../../src/client/embedded.ts'
import type { BytesReply, JsonReply } from '../../../src/contract/kernel/operation.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { inBytes } from '../../engine/links/linked-user.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { IS_ON_POSTGRES } from '../../kit/postgres/database.ts'

const HEART = { provider: 'polar', source_type: 'watch', resource: 'heartrate', timestamp: '2026-11-19T08:00:00Z' }

/** Exports, and returns a data folder with the export as its store. */
async function exported({ engine, team }: Harness): Promise<string> {
  const reply = (await runOperation(engine.context, 'engine.snapshot', {
    input: { params: {}, query: {}, body: undefined },
    credentials: { kind: 'team', team, linkToken: null },
    accept: '*/*',
  })) as BytesReply
  const pieces: Uint8Array[] = []
  for await (const piece of reply.bytes as AsyncIterable<Uint8Array>) pieces.push(piece)
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'svc.db'), Buffer.concat(pieces), { mode: 0o600 })
  return folder
}

// SVC_TEST_STORE asks for tests over PostgreSQL
describe.skipIf(!IS_ON_POSTGRES)('an export of a PostgreSQL store', () => {
  it('contains a single moment, and leaves nothing behind', async () => {
    const svc = await openHarness()
    const { user_id } = await svc.call('user.create', { body: { client_user_id: 'ada' } })
    const samples = [60, 61, 62].map((value, i) => ({ ...HEART, timestamp: `2026-11-19T08:0${i}:00Z`, value }))
    await svc.call('samples.push', { params: { user_id }, body: inBytes({ samples }) })
    await svc.call('webhook.create', { body: { url: 'https://hooks.example/a', event_types: ['*'] } })
    await svc.call('fault.add', { body: { effect: 'status', status: 503, path: '/x' } })
    const before = await svc.call('engine.status', {})

    let isWriting = true
    const writing = (async () => {
      for (let i = 0; isWriting; i++) await svc.call('user.create', { body: { client_user_id: `later-${i}` } })
    })()
    const folder = await exported(svc)
    isWriting = false
    await writing

    const copy = await openEmbedded({ dataDir: folder, store: null, publicUrl: null })
    try {
      const call = async (...[id, input]: Parameters<typeof copy.call>) =>
        ((await copy.call(id, input)) as JsonReply<never>).body as Record<string, unknown>
      expect(await call('engine.check', {})).toMatchObject({ ok: true, samples: 3 })
      const { series, events, file_bytes } = (await call('engine.status', {})) as typeof before
      expect([series, events >= before.events, Number(file_bytes) > 0]).toEqual([before.series, true, true])
      expect(await call('user.get', { params: { user_id } } as never)).toMatchObject({ client_user_id: 'ada' })
      expect(await call('fault.list', {})).toEqual({ faults: [] })
    } finally {
      await copy.close()
    }
    expect(await readdir(join(svc.dataDir, 'scratch'))).toEqual([])
  })
})
