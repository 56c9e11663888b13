/** Declaring sessions the same or different: responses, refusals, re-imports, undo, and the audit trail. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { MOST_SESSION_MATCHES } from '../../../src/store/session-match.ts'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'

const files = temporaryFolder()
let h: Harness
let user_id: string
let made = 0

beforeEach(async () => {
  h = await openHarness()
  user_id = (await h.call('user.create', { body: { client_user_id: 'ada' } })).user_id
})
afterEach(() => h.engine.close())

const asleep = (source: string, from: string, to: string): string =>
  record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisAsleepCore', undefined, {
    ...{ sourceName: source, startDate: `2026-11-${from}:00 +0000`, endDate: `2026-11-${to}:00 +0000` },
  })
const run = (source: string, day: string) =>
  `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="${source}" startDate="2026-11-${day} 07:00:00 +0000" endDate="2026-11-${day} 07:45:00 +0000"/>`

/** Two nights that a merge keeps apart, a nap, two nights that it joins, a later one, and a workout. */
const EXPORT = exportXml(
  [
    ...[asleep('Watch', '10 23:00', '11 03:00'), asleep('Phone', '11 01:30', '11 06:30')],
    asleep('Watch', '11 12:00', '11 13:00'),
    ...[asleep('Watch', '12 23:00', '13 07:00'), asleep('Phone', '12 23:10', '13 07:10')],
    ...[asleep('Watch', '15 23:00', '16 07:00'), run('Watch', '11')],
  ].join('\n'),
)

async function load() {
  const path = join(files, `file-${made++}`)
  writeFileSync(path, EXPORT)
  return h.call('import.create', { params: { user_id }, query: {}, body: { kind: 'file', path } })
}

/** Returns the IDs of the nights, or of the workouts, in order of time. */
async function ids(resource: 'sleep' | 'workouts' = 'sleep'): Promise<string[]> {
  const query = { start_date: '2026-11-01', end_date: '2026-11-30' }
  const body = (await h.call('summary.get', { params: { user_id, resource }, query })) as unknown as Record<
    string,
    { id: string; bedtime_start?: string }[]
  >
  const sessions = body[resource] ?? []
  return sessions.toSorted((a, b) => `${a.bedtime_start}`.localeCompare(`${b.bedtime_start}`)).map(({ id }) => id)
}

/** Returns the number of merged sessions in each row of the sleep table. */
async function rows(): Promise<unknown> {
  const { results } = await h.call('aggregate.query', {
    params: { user_id },
    body: {
      timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'day', value: 15 } },
      queries: [{ select: [{ sleep: 'members' }], merge: true }],
    },
  })
  return (results[0] as { table: { members: number[] } }).table.members
}

const pair = (session_id = '', other_session_id = '') => ({ params: { user_id, session_id, other_session_id } })
const correct = (verdict: 'same' | 'different', a?: string, b?: string) =>
  h.call('aggregate.correct', { ...pair(a, b), body: { verdict } })
const refused = (verdict: 'same' | 'different', a?: string, b?: string) =>
  h.refusal('aggregate.correct', { ...pair(a, b), body: { verdict } })
const list = async (query: object = {}) =>
  (await h.call('aggregate.corrections', { params: { user_id }, query })).corrections

async function exportedLines(): Promise<string[]> {
  const reply = await runOperation(h.engine.context, 'user.export', {
    input: { params: { user_id }, query: {}, body: undefined },
    credentials: { kind: 'team', team: h.team, linkToken: null },
    accept: 'application/x-ndjson',
  })
  if (reply.kind !== 'bytes') throw new Error('bytes were expected')
  const pieces: Uint8Array[] = []
  for await (const piece of reply.bytes as AsyncIterable<Uint8Array>) pieces.push(piece)
  return Buffer.concat(pieces).toString().trimEnd().split('\n')
}

describe('a correction', () => {
  it('joins two nights or keeps them apart, whatever the order of their IDs, until it is undone', async () => {
    await load()
    const [first, second, , third, fourth] = await ids()
    expect(await rows()).toEqual([1, 1, 1, 2, 1])
    await correct('same', first, second)
    await correct('different', fourth, third)
    expect(await rows()).toEqual([2, 1, 1, 1, 1])
    expect((await h.call('aggregate.conflicts', { params: { user_id }, query: {} })).conflicts).toEqual([])
    expect(await h.call('aggregate.undo_correction', pair(second, first))).toEqual({ success: true })
    expect(await h.call('aggregate.undo_correction', pair(third, fourth))).toEqual({ success: true })
    expect(await rows()).toEqual([1, 1, 1, 2, 1])
    const again = await h.refusal('aggregate.undo_correction', pair(third, fourth))
    expect([again.code, again.message]).toEqual(['not_found', 'There is no correction of these two sessions.'])
  })

  it('is listed with its sessions, newest first, and keeps its time if it is declared again', async () => {
    await load()
    const [first, second, , third, fourth] = await ids()
    const declared = await correct('different', third, fourth)
    expect(declared).toMatchObject({ table: 'sleep', verdict: 'different', declared_at: '2026-11-20T12:00:00+00:00' })
    expect(declared.sessions.map(({ id }) => id)).toEqual([third, fourth].sort())
    h.time.ms += 60_000
    expect(await correct('different', fourth, third)).toEqual(declared)
    const later = await correct('same', first, second)
    expect(await list()).toEqual([later, declared])
    expect(await list({ table: 'workout' })).toEqual([])
    const changed = await correct('same', third, fourth)
    expect(await list()).toEqual(
      [changed, later].sort((a, b) => (`${a.sessions[0]?.id}` < `${b.sessions[0]?.id}` ? -1 : 1)),
    )
  })

  it('stays when the data is imported again, and when the user is restored', async () => {
    await load()
    const before = await ids()
    const [first, second] = before
    await correct('same', first, second)
    await load()
    expect(await ids()).toEqual(before)
    expect(await rows()).toEqual([2, 1, 2, 1])
    await h.call('user.delete', { params: { user_id } })
    await h.call('user.undo_delete', { body: { user_id } })
    expect(await rows()).toEqual([2, 1, 2, 1])
  })

  it('has no effect while its sessions do not exist', async () => {
    const { import_id } = await load()
    const [first, second] = await ids()
    await correct('same', first, second)
    await h.call('import.undo', { params: { import_id: `${import_id}` } })
    expect(await rows()).toEqual([])
    expect(await list()).toMatchObject([{ verdict: 'same', sessions: [{ provider: null }, { start: null }] }])
    await load()
    expect(await rows()).toEqual([2, 1, 2, 1])
  })

  it('leaves a line in the audit trail for each change', async () => {
    await load()
    const [first, second] = await ids()
    await correct('same', first, second)
    await h.call('aggregate.undo_correction', pair(first, second))
    await refused('same', first, first)
    const { entries } = await h.call('audit.list', { query: { limit: 3 } })
    const object = { user_id, session_id: first, other_session_id: second }
    expect(entries).toMatchObject([
      { operation: 'aggregate.correct', outcome: 'invalid_request' },
      { operation: 'aggregate.undo_correction', object, outcome: 'ok' },
      { operation: 'aggregate.correct', object, outcome: 'ok' },
    ])
  })

  it('is part of the export of its user', async () => {
    await load()
    const [first, second] = await ids()
    await correct('different', first, second)
    expect(
      (await exportedLines()).filter(line => line.includes('"about":"correction"')).map(line => JSON.parse(line)),
    ).toEqual([
      {
        ...{ about: 'correction', resource: 'sleep', session_ids: [first, second].sort() },
        ...{ verdict: 'different', declared_at: '2026-11-20T12:00:00+00:00' },
      },
    ])
  })

  it('is removed with its user', async () => {
    await load()
    const [first, second] = await ids()
    await correct('same', first, second)
    await h.call('user.delete', { params: { user_id } })
    h.time.ms += 8 * DAY_MS
    await h.call('engine.run_due', {})
    expect(await h.engine.context.store.sessionMatches.list(user_id as UserId)).toEqual([])
  })
})

describe('refuses', () => {
  const UNKNOWN = '00000000-0000-4000-8000-000000000000'

  it('unknown sessions, and says where their IDs are', async () => {
    await load()
    const [first] = await ids()
    const unknown = await refused('same', first, UNKNOWN)
    expect([unknown.status, unknown.message]).toEqual([
      404,
      'The second ID is not the ID of a night or workout of this user.',
    ])
    expect(unknown.suggestions.join(' ')).toContain('svc aggregate conflicts USER')
    expect((await refused('different', UNKNOWN, first)).message).toContain('The first ID')
  })

  it('a session and itself, a night and a workout, and nights that are far apart', async () => {
    await load()
    const [[first, , , third, , last], [workout]] = [await ids(), await ids('workouts')]
    expect(await refused('different', first, first)).toMatchObject({ status: 422 })
    expect((await refused('same', first, workout)).message).toContain('workout table')
    expect((await refused('same', third, last)).message).toContain('more than 24 hours away')
    expect(await correct('different', third, last)).toMatchObject({ verdict: 'different' })
  })

  it('what other corrections contradict', async () => {
    await load()
    const [first, second, third] = await ids()
    await correct('same', first, second)
    await correct('different', second, third)
    expect(await refused('same', third, first)).toMatchObject({ code: 'conflict', status: 409 })
    await h.call('aggregate.undo_correction', pair(second, third))
    await correct('same', second, third)
    const contradicting = await refused('different', first, third)
    expect(contradicting.message).toBe('Together, other corrections say that these sessions are the same.')
    // the pair's own correction is replaced
    expect(await correct('different', first, second)).toMatchObject({ verdict: 'different' })
  })

  it('more corrections than a user may have', async () => {
    await load()
    const [first, second] = await ids()
    const { sessionMatches } = h.engine.context.store
    for (let i = 0; i < MOST_SESSION_MATCHES; i++) {
      const [firstId, secondId] = [`a ${i}`, `b ${i}`]
      const match = { kind: 'sleep' as const, firstId, secondId, isSame: true, declaredAt: NOON }
      await sessionMatches.declare(user_id as UserId, match)
    }
    const full = await refused('same', first, second)
    expect([full.status, full.message]).toEqual([409, 'This user already has 1,000 corrections, which is the limit.'])
  })
})
