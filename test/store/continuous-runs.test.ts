/** Runs of continuous queries in the store: old folders, two processes at one run, and data that changes during a run. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import type { SampleBatch } from '../../src/core/sample.ts'
import { DAY_MS } from '../../src/core/time.ts'
import type { BeginOutcome, ContinuousQuery, RunResult } from '../../src/store/continuous-query.ts'
import type { Store } from '../../src/store/port.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { root } from '../kit/sandbox.ts'
import { buildBatch, openStore, storeWithUser, TEAM, USER, writing } from './user-store.ts'

const QUERY_ID = '33333333-3333-4333-8333-333333333333'
const NOW = Date.UTC(2026, 0, 1)
const GAP = 1_800_000
const QUERY: ContinuousQuery = {
  teamId: TEAM,
  queryId: QUERY_ID,
  slug: 'daily',
  title: 'Daily',
  query: {},
  providerOverrides: null,
  minimumGapMs: GAP,
  dataEvents: true,
  reads: ['timeseries/steps'],
  columns: [
    { name: 'group_key.0', kind: 'time', key: 0 },
    { name: 'sum', kind: 'float', key: null },
  ],
  createdAt: NOW,
}

const steps = (...times: number[]): SampleBatch =>
  buildBatch(
    { resource: 'steps', type: null, provider: 'oura', sourceType: 'ring' },
    times.map(start => ({ start, end: start, value: start % 97, offset: null, text: {} })),
  )
const result = (rev: number, cells = 1, more: Partial<RunResult> = {}): RunResult => ({
  rev,
  at: NOW,
  status: 'completed',
  errorDetails: null,
  changed: [{ bucket: 0, key: '[0]', cells: `[0,${cells}]` }],
  removed: [],
  events: [{ kind: 'continuous_query', data: [{ cells }] }],
  retry: false,
  ...more,
})
async function begin(store: Store, now = NOW): Promise<Extract<BeginOutcome, { kind: 'begun' }>> {
  const begun = await store.continuous.beginRun(USER, QUERY_ID, now)
  if (begun.kind !== 'begun') throw new Error(`the run is ${begun.kind}`)
  return begun
}
const cells = async (store: Store) =>
  (await store.continuous.resultRows(USER, QUERY_ID, -Infinity, Infinity)).map(row => row.cells)
const events = async (store: Store) =>
  (await store.events.ofUser(USER, 0, 100)).filter(each => each.type === 'continuous_query.result_table.changed').length
const problems = async (store: Store) => {
  const found: string[] = []
  for await (const { message } of store.upkeep.check()) {
    if (!message.endsWith('it differs from the data that was written')) found.push(message)
  }
  return found
}
const statuses = async (store: Store) =>
  (await store.continuous.tasks(USER, QUERY_ID, 1e9, 100)).map(task => task.status)

describe.each(['data-folder-v1', 'data-folder-v2'])('%s', name => {
  it('accepts priorities and continuous queries once it is opened, and keeps its data', async () => {
    const folder = temporaryFolder()
    cpSync(join(root, 'test', 'fixtures', name), folder, { recursive: true })
    const store = await openStore(folder)
    const before = await store.upkeep.statistics()
    expect(before.schemaVersion).toBe(14)
    const [team] = (await store.teams.keys(null)).map(key => key.teamId)
    const local = await store.teams.local(async () => ({
      teamId: TEAM,
      name: 'x',
      createdOn: 0,
      rejectDuplicateConnection: false,
    }))
    const teamId = team ?? local.teamId
    await store.priorities.replace(
      teamId,
      ['sleep'],
      [{ dataType: 'sleep', provider: 'oura', sourceType: null, priority: 1 }],
      NOW,
    )
    expect(await store.priorities.ofTeam(teamId)).toHaveLength(1)
    expect(await store.continuous.create({ ...QUERY, teamId })).toBe('created')
    expect(await store.continuous.dueUsers(QUERY_ID, NOW, 10)).toHaveLength(before.users)
    expect(await problems(store)).toEqual([])
    expect(await store.upkeep.statistics()).toMatchObject({ samples: before.samples, continuousQueries: 1 })
    await store.close()
  })
})

describe('a run', () => {
  it('that another process restarted commits nothing: rows and event are written once, by the later one', async () => {
    const folder = temporaryFolder()
    const one = await storeWithUser(folder)
    await one.continuous.create(QUERY)
    const other = await openStore(folder)
    const stale = await begin(one)
    const fresh = await begin(other)
    expect(fresh.touched).toEqual(stale.touched)
    expect(await one.continuous.finishRun(USER, QUERY_ID, result(stale.rev, 1))).toBe(false)
    expect(await cells(one)).toEqual([])
    expect(await other.continuous.finishRun(USER, QUERY_ID, result(fresh.rev, 2))).toBe(true)
    expect(await one.continuous.finishRun(USER, QUERY_ID, result(stale.rev, 1))).toBe(false)
    expect(await other.continuous.finishRun(USER, QUERY_ID, result(fresh.rev, 3))).toBe(false)
    expect([await cells(one), await events(one), await statuses(one)]).toEqual([['[0,2]'], 1, ['completed']])
    expect((await one.continuous.beginRun(USER, QUERY_ID, NOW)).kind).toBe('none')
    await other.close()
    await one.close()
  })

  it('that was abandoned by a process is still due, with all changes it covered', async () => {
    const folder = temporaryFolder()
    const killed = await storeWithUser(folder)
    await killed.continuous.create(QUERY)
    const first = await begin(killed)
    await killed.continuous.finishRun(USER, QUERY_ID, result(first.rev))
    await killed.data.write(USER, writing([steps(NOW, NOW + DAY_MS)], { at: NOW + GAP }))
    await begin(killed, NOW + GAP)
    await killed.close()
    const store = await openStore(folder)
    expect(await store.jobs.due(NOW + GAP, [USER], 10)).toMatchObject([{ kind: 'continuous_query', subject: QUERY_ID }])
    await store.data.write(USER, writing([steps(NOW - DAY_MS)], { at: NOW + GAP }))
    const again = await begin(store, NOW + GAP)
    expect(again.touched).toEqual({ from: NOW - DAY_MS, to: NOW + DAY_MS })
    expect(await store.continuous.finishRun(USER, QUERY_ID, result(again.rev, 5))).toBe(true)
    expect(await statuses(store)).toEqual(['skipped', 'completed', 'completed'])
    expect(await problems(store)).toEqual([])
    await store.close()
  })

  it('is followed by another one after the gap if data changes meanwhile', async () => {
    const store = await storeWithUser()
    await store.continuous.create(QUERY)
    const { rev } = await begin(store)
    await store.data.write(USER, writing([steps(NOW)], { at: NOW + 1 }))
    expect(await store.continuous.finishRun(USER, QUERY_ID, result(rev))).toBe(true)
    expect((await store.continuous.beginRun(USER, QUERY_ID, NOW + GAP - 1)).kind).toBe('none')
    expect((await begin(store, NOW + GAP)).touched).toEqual({ from: NOW, to: NOW })
    await store.close()
  })

  it('that failed keeps its changes for a retry: with new data, or automatically if that can help', async () => {
    const store = await storeWithUser()
    await store.continuous.create(QUERY)
    const failed = { status: 'error', errorDetails: 'no', changed: [], events: [] } as const
    const first = await begin(store)
    await store.continuous.finishRun(USER, QUERY_ID, result(first.rev, 0, { ...failed, retry: true }))
    expect((await store.continuous.beginRun(USER, QUERY_ID, NOW + GAP - 1)).kind).toBe('none')
    const second = await begin(store, NOW + GAP)
    expect(second.touched).toEqual(first.touched)
    await store.continuous.finishRun(USER, QUERY_ID, result(second.rev, 0, { ...failed, retry: false }))
    expect((await store.continuous.beginRun(USER, QUERY_ID, NOW + 9 * GAP)).kind).toBe('none')
    await store.data.write(USER, writing([steps(NOW)], { at: NOW + 9 * GAP }))
    expect((await begin(store, NOW + 9 * GAP)).touched).toEqual(first.touched)
    await store.close()
  })

  it('commits nothing once its user or its query is deleted', async () => {
    const store = await storeWithUser()
    await store.continuous.create(QUERY)
    const { rev } = await begin(store)
    await store.users.delete(TEAM, USER, NOW, NOW + DAY_MS)
    expect(await store.continuous.finishRun(USER, QUERY_ID, result(rev))).toBe(false)
    await store.users.undoDelete(TEAM, USER, 0, NOW)
    const next = await begin(store, NOW + GAP)
    expect(await store.continuous.remove(TEAM, QUERY_ID, NOW + GAP)).toBe(true)
    expect(await store.continuous.finishRun(USER, QUERY_ID, result(next.rev))).toBe(false)
    expect(await store.continuous.dueUsers(QUERY_ID, NOW + GAP, 10)).toEqual([USER])
    expect((await store.continuous.beginRun(USER, QUERY_ID, NOW + GAP)).kind).toBe('none')
    expect([await cells(store), await statuses(store), await problems(store)]).toEqual([[], [], []])
    expect(await store.jobs.due(NOW + 99 * GAP, [USER], 10)).toEqual([])
    await store.close()
  })
})

describe('a touch', () => {
  const touchedBy = async (act: (store: Store) => Promise<unknown>): Promise<unknown> => {
    const store = await storeWithUser()
    await store.data.write(USER, writing([steps(NOW, NOW + DAY_MS, NOW + 2 * DAY_MS)]))
    await store.continuous.create(QUERY)
    await store.continuous.finishRun(USER, QUERY_ID, result((await begin(store)).rev))
    await act(store)
    const begun = await store.continuous.beginRun(USER, QUERY_ID, NOW + GAP)
    await store.close()
    return begun.kind === 'begun' ? begun.touched : begun.kind
  }
  const at = NOW + GAP

  it('covers exactly the written, replaced or deleted data', async () => {
    expect(await touchedBy(store => store.data.write(USER, writing([steps(NOW + DAY_MS + 5)], { at })))).toEqual({
      from: NOW + DAY_MS + 5,
      to: NOW + DAY_MS + 5,
    })
    const range = { resource: 'steps', provider: null, from: NOW + 1, to: NOW + 9 * DAY_MS }
    expect(await touchedBy(store => store.samples.delete(USER, range, at))).toEqual({
      from: NOW + DAY_MS,
      to: NOW + 2 * DAY_MS,
    })
    expect(await touchedBy(store => store.data.write(USER, writing([steps(NOW)], { at })))).toBe('none')
    const other = { resource: 'heartrate', type: null, provider: 'oura', sourceType: 'ring' }
    const beat = buildBatch(other, [{ start: NOW, end: NOW, value: 1, offset: null, text: {} }])
    expect(await touchedBy(store => store.data.write(USER, writing([beat], { at })))).toBe('none')
  })

  it('is not recorded for a dry run of an import', async () => {
    const rehearsed = await touchedBy(async store => {
      const spool = await store.data.openSpool()
      await spool.add({ batches: [steps(NOW + 7)], summaries: [], streams: [] })
      await spool.preview(USER)
    })
    expect(rehearsed).toBe('none')
  })
})

describe('the check', () => {
  it('finds impossible rows and tasks, and runs without a job', async () => {
    const folder = temporaryFolder()
    const store = await storeWithUser(folder)
    await store.continuous.create(QUERY)
    await store.continuous.finishRun(USER, QUERY_ID, result((await begin(store)).rev))
    await store.data.write(USER, writing([steps(NOW)]))
    expect(await problems(store)).toEqual([])
    const file = new DatabaseSync(join(folder, 'svc.db'))
    file.exec(`UPDATE continuous_row SET cells='[1]'`)
    file.exec(`UPDATE continuous_task SET status='lost' WHERE number=1`)
    file.exec(`DELETE FROM job`)
    file.close()
    expect(await problems(store)).toEqual([
      expect.stringContaining('1 cells instead of 2'),
      expect.stringContaining('no such status'),
      expect.stringContaining('no job will run it'),
    ])
    await store.close()
  })
})
