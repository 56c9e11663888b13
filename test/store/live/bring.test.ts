/** Pages of a pull in the store: each is stored once, completely, and only by the holder of the lease. */
import { describe, expect, it } from 'vitest'
import { ownedId } from '../../../src/core/ids.ts'
import type { SummaryRecord } from '../../../src/core/sample.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import type { LiveOutcome, LiveRecord } from '../../../src/store/live/pulls.ts'
import type { Store } from '../../../src/store/port.ts'
import { TEAM, USER } from '../user-store.ts'
import {
  AT,
  buildPage,
  buildProgress,
  buildRecord,
  buildSamples,
  deleted,
  HEARTRATE,
  heartrateIn,
  KEY,
  link,
  MINUTE,
  NOW,
  pullingStore,
} from './live-store.ts'

const at = (minute: number): number => AT + minute * MINUTE
const beats = (...minutes: readonly number[]) => minutes.map(minute => ({ start: at(minute), value: 60 + minute }))
const rows = (...minutes: readonly number[]) => minutes.map(minute => [at(minute), 60 + minute])

function buildSummary(recordId: string, document: Readonly<Record<string, unknown>> = {}): SummaryRecord {
  return {
    kind: 'sleep',
    id: ownedId(USER, 'sleep', 'oura', recordId),
    provider: 'oura',
    sourceType: 'ring',
    appId: null,
    deviceId: null,
    at: AT,
    date: '2026-01-01',
    offset: 0,
    document,
  } as SummaryRecord
}

const withSleep = (record: LiveRecord, document = {}): LiveRecord => ({
  ...record,
  summaries: [buildSummary(record.id, document)],
})
const bring = (store: Store, records: readonly LiveRecord[], more = {}) =>
  store.live.pulls.bring(KEY, buildPage(records, more))
const removedBy = (outcome: LiveOutcome) => (outcome.kind === 'written' ? outcome.removed : outcome.kind)
const summaries = (store: Store) =>
  store.summaries.list(USER, { kind: 'sleep', provider: null, fromDate: '2025-01-01', toDate: '2026-12-31' })

describe('a page of a pull', () => {
  it('is stored once, however often it arrives', async () => {
    const store = await pullingStore()
    const page = [withSleep(buildRecord('r1', 'v1', beats(1, 2, 3))), buildRecord('r2', 'v1', beats(10, 11))]
    const first = await bring(store, page)
    expect(first).toMatchObject({
      kind: 'written',
      removed: 0,
      report: {
        stored: { heartrate: { samples: 5, replaced: 0, unchanged: 0 } },
        summaries: { sleep: { created: 1 } },
      },
    })
    expect(await bring(store, page)).toMatchObject({
      kind: 'written',
      removed: 0,
      report: { stored: {}, summaries: {} },
    })
    expect(await heartrateIn(store)).toEqual(rows(1, 2, 3, 10, 11))
    await store.close()
  })

  it('moves and shrinks a record that has changed, and keeps the data of other records', async () => {
    const store = await pullingStore()
    await bring(store, [withSleep(buildRecord('r1', 'v1', beats(1, 2, 3, 4))), buildRecord('r2', 'v1', beats(4, 5))])
    const moved = await bring(store, [
      buildRecord('r1', 'v2', [...beats(2), { start: at(3), value: 99 }, ...beats(20)]),
    ])
    // minute 1 and the summary; minute 4 belongs to the other record, too
    expect(removedBy(moved)).toBe(2)
    expect(await heartrateIn(store)).toEqual([...rows(2), [at(3), 99], ...rows(4, 5, 20)])
    expect(await summaries(store)).toEqual([])
    await store.close()
  })

  it('passes samples from one record to another, in any order of their pages', async () => {
    for (const order of [
      ['r1', 'r2'],
      ['r2', 'r1'],
    ]) {
      const store = await pullingStore()
      await bring(store, [buildRecord('r1', 'v1', beats(1, 2, 3, 4))])
      for (const id of order) await bring(store, [buildRecord(id, 'v2', id === 'r1' ? beats(1, 2) : beats(3, 4))])
      expect(await heartrateIn(store)).toEqual(rows(1, 2, 3, 4))
      await store.close()
    }
  })

  it('removes a deleted record’s data, and adds it again if the record returns', async () => {
    const store = await pullingStore()
    const record = withSleep(buildRecord('r1', 'v1', [...beats(1, 2), { start: at(1) + 3 * DAY_MS, value: 70 }]))
    await bring(store, [record])
    expect(removedBy(await bring(store, [deleted('r1'), deleted('unknown')]))).toBe(4)
    expect(await heartrateIn(store)).toEqual([])
    expect(await summaries(store)).toEqual([])
    expect(removedBy(await bring(store, [deleted('r1')]))).toBe(0)
    await bring(store, [record])
    expect(await heartrateIn(store)).toHaveLength(3)
    await store.close()
  })

  it('uses the later version of a record that appears twice', async () => {
    const store = await pullingStore()
    await bring(store, [buildRecord('r1', 'v1', beats(1)), buildRecord('r1', 'v2', beats(2))])
    expect(await heartrateIn(store)).toEqual(rows(2))
    await bring(store, [buildRecord('r1', 'v3', beats(3)), deleted('r1')])
    expect(await heartrateIn(store)).toEqual([])
    await store.close()
  })

  it('stores nothing after the lease or the connection is lost', async () => {
    const store = await pullingStore()
    const page = [buildRecord('r1', 'v1', beats(1))]
    expect(await bring(store, page, { holder: 'another' })).toEqual({ kind: 'lost' })
    await link(store, 'grant-2')
    expect(await bring(store, page)).toEqual({ kind: 'lost' })
    await store.live.pulls.lease(KEY, { holder: 'puller', now: NOW, until: NOW + MINUTE })
    await store.connections.fail(TEAM, USER, 'oura', { type: 't', message: 'm', at: AT })
    expect(await bring(store, page)).toEqual({ kind: 'lost' })
    await store.connections.remove(USER, 'oura')
    expect(await bring(store, page)).toEqual({ kind: 'lost' })
    await store.users.delete(TEAM, USER, AT, AT + DAY_MS)
    await expect(bring(store, page)).rejects.toMatchObject({ code: 'user_not_found' })
    expect(await heartrateIn(store)).toEqual([])
    await store.close()
  })

  it('stores the progress, the due time and the raw responses with it', async () => {
    const store = await pullingStore()
    const progress = buildProgress({ reached: AT, received: 3, lastPullAt: NOW, isComplete: true })
    await bring(store, [], { progress, follows: () => ({ dueAt: NOW + 5, completed: [] }) })
    const found = await store.live.pulls.find(KEY)
    expect(found).toMatchObject({ dueAt: NOW + 5, progress: { sleep: progress, heartrate: buildProgress() } })
    const raw = [{ answerId: 'a1', collection: 'sleep', at: NOW, sealed: Buffer.from('answer'), pullId: 'pull' }]
    await bring(store, [], { raw })
    expect((await store.live.pulls.find(KEY))?.dueAt).toBe(NOW + 5)
    const newest = { collection: null, before: NOW + 1, limit: 5 }
    expect(await store.live.pulls.raw(KEY, newest)).toMatchObject([{ answerId: 'a1', collection: 'sleep', at: NOW }])
    expect(await store.live.pulls.raw(KEY, { ...newest, collection: 'heartrate' })).toEqual([])
    expect(await store.live.pulls.raw(KEY, { ...newest, before: NOW })).toEqual([])
    expect(await store.live.pulls.removeRaw(NOW)).toBe(0)
    expect(await store.live.pulls.removeRaw(NOW + 1)).toBe(1)
    await store.close()
  })
})

describe('data that a deletion removes', () => {
  it('makes continuous queries run again for its time range', async () => {
    const store = await pullingStore()
    const queryId = '33333333-3333-4333-8333-333333333333'
    const reading = {
      slug: 'q',
      title: 'q',
      query: {},
      providerOverrides: null,
      minimumGapMs: MINUTE,
      dataEvents: false,
    }
    const columns = [{ name: 'sum', kind: 'float', key: null }] as const
    await store.continuous.create({
      ...{ teamId: TEAM, queryId, ...reading, reads: ['timeseries/heartrate'], columns, createdAt: AT },
    })
    await bring(store, [buildRecord('r1', 'v1', beats(1, 2, 3))])
    const touched = async (now: number) => {
      const begun = await store.continuous.beginRun(USER, queryId, now)
      if (begun.kind !== 'begun') return begun.kind
      const none = {
        status: 'completed',
        errorDetails: null,
        changed: [],
        removed: [],
        events: [],
        retry: false,
      } as const
      await store.continuous.finishRun(USER, queryId, { rev: begun.rev, at: now, ...none })
      return begun.touched
    }
    await touched(AT)
    expect(await touched(AT + DAY_MS)).toBe('none')
    await bring(store, [buildRecord('r1', 'v2', beats(2))], { at: AT + DAY_MS })
    await bring(store, [deleted('r1')], { at: AT + DAY_MS })
    expect(await touched(AT + 2 * DAY_MS)).toMatchObject({ from: at(1), to: at(3) })
    await store.close()
  })

  it('is no longer counted, and a team at its quota still gets its data', async () => {
    const store = await pullingStore()
    await store.teams.change(TEAM, { maxBytes: 1 })
    const bytes = async () => (await store.teams.all())[0]?.bytes ?? 0
    const before = await bytes()
    expect(await bring(store, [withSleep(buildRecord('r1', 'v1', beats(1, 2, 3)))])).toMatchObject({ kind: 'written' })
    expect(await bytes()).toBeGreaterThan(before)
    await bring(store, [deleted('r1')])
    expect(await bytes()).toBe(before)
    const problems: unknown[] = []
    for await (const problem of store.upkeep.check()) problems.push(problem)
    expect(problems).toEqual([])
    await store.close()
  })
})

describe('events of a pull', () => {
  const typesIn = async (store: Store) =>
    (await store.events.ofUser(USER, 0, 100)).map(({ type }) => type).filter(type => type.includes('.data.'))

  it('are written for each resource at the end of the history, not during it, and daily afterwards', async () => {
    const store = await pullingStore()
    await bring(store, [withSleep(buildRecord('r1', 'v1', beats(1)))])
    expect(await typesIn(store)).toEqual([])
    const follows = () => ({ dueAt: AT, completed: [{ resource: 'sleep', from: AT - DAY_MS, to: AT }] })
    await bring(store, [], { follows })
    await bring(store, [], { follows })
    expect(await typesIn(store)).toEqual(['historical.data.sleep.created'])
    expect((await store.live.pulls.find(KEY))?.announced).toEqual(['sleep'])
    const page = [withSleep(buildRecord('r2', 'v1', [...beats(2), { start: at(1), value: 1 }]))]
    await bring(store, page, { events: 'daily' })
    await bring(store, page, { events: 'daily', batches: buildSamples(beats(2)) })
    expect(await typesIn(store)).toEqual([
      'historical.data.sleep.created',
      'daily.data.heartrate.created',
      'daily.data.heartrate.updated',
      'daily.data.sleep.created',
    ])
    await store.close()
  })

  it('give introspection the whole range, once the history is complete', async () => {
    const store = await pullingStore()
    const pull = buildPage([]).pull
    const window = (from: number, to: number) => ({ pull: { ...pull, from: AT + from * DAY_MS, to: AT + to * DAY_MS } })
    const introspected = async () => {
      const [user] = await store.pulls.introspect(TEAM, { userId: USER, provider: null, after: null, limit: 1 })
      return user?.resources.find(({ resource }) => resource === 'heartrate')
    }
    await bring(store, [], { ...window(0, 7), batches: buildSamples(beats(1, 2), HEARTRATE) })
    expect((await introspected())?.historical).toBeNull()
    await bring(store, [], {
      ...window(-7, 0),
      batches: buildSamples([{ start: AT - DAY_MS, value: 1 }]),
      follows: () => ({
        dueAt: AT,
        completed: [{ resource: 'heartrate', from: AT - 7 * DAY_MS, to: AT + 7 * DAY_MS }],
      }),
    })
    expect(await introspected()).toMatchObject({
      sent: 3,
      historical: { from: AT - 7 * DAY_MS, to: AT + 7 * DAY_MS, daysWithData: 2, at: AT },
    })
    await store.close()
  })
})
