/** A recording while a live provider is pulled: its data is stored and not recorded, and a replay sends no request to a provider. */
import { Readable } from 'node:stream'
import { beforeEach, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../../src/core/time.ts'
import type { Harness } from '../../kit/harness.ts'
import { NOON } from '../../kit/harness.ts'
import { DAYS, PULSE } from '../../providers/pulled-connector.ts'
import { Recorder, recordingFile, replayed } from '../recordings/recording-tools.ts'
import { openPull, type PullHarness } from './pull-harness.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./pulled-connectors.ts'))

const PUSHED = { resource: 'steps', timestamp: '2026-11-19T10:00:00Z', value: 4711 }

let pulled: PullHarness
let h: Harness

beforeEach(async () => {
  pulled = await openPull()
  h = pulled.live.h
  for (let i = 0; i < 6; i++) pulled.items.put(DAYS, `day-marked-${i}`, NOON - i * HOUR_MS, 100 + i)
})

const push = () =>
  h.call('samples.push', {
    params: { user_id: pulled.key.userId },
    body: { kind: 'stream', stream: Readable.from([Buffer.from(JSON.stringify([PUSHED]))]) } as never,
  })

/** Records a push, a pull in the background, a refresh that the caller waits for, and another push. */
async function recorded(): Promise<string> {
  const recorder = await Recorder.start(h)
  await push()
  await pulled.pull()
  pulled.items.put(PULSE, 'beat-marked', NOON - HOUR_MS, 61)
  h.time.ms += 2 * HOUR_MS
  const query = { timeout: 30 }
  const refreshed = await h.call('user.refresh', { params: { user_id: pulled.key.userId }, query })
  expect(refreshed).toMatchObject({ in_progress_sources: [], failed_sources: [] })
  return recorder.stop()
}

it('stores data that arrives meanwhile, but records neither the data nor the access', async () => {
  const text = await recorded()
  const pushedHere = `steps ${Date.parse(PUSHED.timestamp)} ${PUSHED.value}`
  expect(await pulled.stored()).toEqual([...pulled.items.samples(), pushedHere].sort())
  const operations = [...text.matchAll(/"operation":"([\w.]+)"/g)].map(([, name]) => name)
  expect(operations).toEqual(['samples.push'])
  const [tokenSet] = pulled.live.fake.tokenSets
  const record = await pulled.context.store.live.tokenSets.find(pulled.key.userId, pulled.key.provider)
  const secrets = [tokenSet?.accessToken, tokenSet?.refreshToken, pulled.live.fake.clientSecret, 'marked']
  for (const secret of secrets) expect(text).not.toContain(secret ?? 'missing')
  expect(text).not.toContain(Buffer.from(record?.sealed ?? []).toString('base64'))
})

it('is replayed without the provider, and restores no access', async () => {
  const text = await recorded()
  const { length } = pulled.live.fake.requests
  const again = await replayed(text)
  const { live, samples } = again.engine.context.store
  expect(await live.oauthApps.list(null)).toEqual([])
  expect(await live.tokenSets.find(pulled.key.userId, pulled.key.provider)).toBeNull()
  expect(await live.tokenSets.revoking(Number.MAX_SAFE_INTEGER, null, 10)).toEqual([])
  const found: number[] = []
  const query = { resource: 'steps', provider: null, from: 0, to: Number.MAX_SAFE_INTEGER }
  for await (const { columns } of samples.scan(pulled.key.userId, query)) found.push(...columns.value)
  expect(found, 'what the provider brought is not in the recording').toEqual([PUSHED.value])
  await again.call('engine.run_due', {})
  expect(pulled.live.fake.requests).toHaveLength(length)
})

it('is replayed into its own store after a reset: the OAuth app stays, and the person must connect again', async () => {
  const text = await recorded()
  expect(await h.call('engine.reset', { body: { confirm: 'reset' } })).toMatchObject({ not_revoked: 0 })
  const { length } = pulled.live.fake.requests
  await h.call('recording.replay', { body: recordingFile(text) })
  const { live } = pulled.context.store
  expect(await live.oauthApps.list(null)).toHaveLength(1)
  expect(await live.tokenSets.find(pulled.key.userId, pulled.key.provider)).toBeNull()
  expect(pulled.live.fake.requests).toHaveLength(length)
  expect(await pulled.pull()).toMatchObject({ outcome: 'failed', failure: 'grant_lost' })
  expect(pulled.live.fake.requests).toHaveLength(length)
  const { providers } = await h.call('user.providers', { params: { user_id: pulled.key.userId } })
  expect(providers.find(({ slug }) => slug === pulled.key.provider)).toMatchObject({ status: 'error' })
})
