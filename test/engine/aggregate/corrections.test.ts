/** Merges with corrections: pairs of sessions that were declared the same or different. See docs/interface/merging.md#merging-16. */
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import { CONFLICT_TABLES, listConflicts } from '../../../src/engine/aggregate/conflicts.ts'
import { explainQueryBatch } from '../../../src/engine/aggregate/explain.ts'
import type { StoredSummary } from '../../../src/store/sample.ts'
import type { SessionMatch } from '../../../src/store/session-match.ts'
import { ask, memorySource, sleep, summary, USER, utc } from './memory-source.ts'

type Source = Pick<StoredSummary, 'provider' | 'sourceType'>
const WATCH: Source = { provider: 'garmin', sourceType: 'watch' }
const RING: Source = { provider: 'oura', sourceType: 'ring' }
const PHONE: Source = { provider: 'apple_health_kit', sourceType: 'phone' }

const USER_IN_UTC = { userId: USER, fallbackTimeZone: null }
const ASKED = { anchor: '2026-11-20', past: { unit: 'day' as const, value: 4 } }
const iso = (at: number) => new Date(at).toISOString()

/** Returns a night of which everything is asleep. */
function night(id: string, source: Source, from: string, to: string, document: object = {}): StoredSummary {
  const [start, end] = [utc(`2026-11-${from}:00`), utc(`2026-11-${to}:00`)]
  const seconds = (end - start) / 1_000
  const times = { bedtime_start: iso(start), bedtime_stop: iso(end), duration: seconds, total: seconds }
  return { ...sleep(iso(end).slice(0, 19), { ...times, ...document }, source), id }
}

function workout(id: string, source: Source, from: string, to: string, sport: string, document: object = {}) {
  const [start, end] = [utc(`2026-11-20T${from}:00`), utc(`2026-11-20T${to}:00`)]
  const own = { time_start: iso(start), time_end: iso(end), sport: { slug: sport, name: sport }, ...document }
  return { ...summary('workouts', iso(start).slice(0, 19), own, source), id }
}

const DECLARED_AT = utc('2026-11-21T08:00:00')

function declare(verdict: 'same' | 'different', a: string, b: string, kind: SessionMatch['kind'] = 'sleep') {
  const [firstId, secondId] = [a, b].sort() as [string, string]
  return { kind, firstId, secondId, isSame: verdict === 'same', declaredAt: DECLARED_AT }
}
const same = (a: string, b: string) => declare('same', a, b)
const different = (a: string, b: string) => declare('different', a, b)

/** Returns the hours of sleep, the number of sessions and the sources of each row. */
async function nights(summaries: readonly StoredSummary[], matches: readonly SessionMatch[] = []): Promise<string[]> {
  const select = ['stage_asleep_second', 'members', 'sources'].map(name => ({ sleep: name }))
  const result = await ask({ summaries, matches }, { select, merge: true }, ASKED)
  return (result['members'] ?? []).map((members, i) => {
    const hours = Number(result['stage_asleep_second']?.[i]) / 3_600
    return `${hours} h, ${members}: ${result['sources']?.[i]}`
  })
}

async function workouts(summaries: readonly StoredSummary[], matches: readonly SessionMatch[] = []): Promise<string[]> {
  const select = ['distance_meter', 'members', 'sources'].map(name => ({ workout: name }))
  const result = await ask({ summaries, matches }, { select, merge: true }, ASKED)
  return (result['members'] ?? []).map(
    (members, i) => `${result['distance_meter']?.[i]} m, ${members}: ${result['sources']?.[i]}`,
  )
}

/** Returns the ID, the use and the reason of each session of the explained rows. */
async function explained(summaries: readonly StoredSummary[], matches: readonly SessionMatch[]) {
  const query = { select: [{ sleep: 'members' }], merge: true }
  const batch = queryBatch().parse({ timeframe: { type: 'relative', ...ASKED }, queries: [query] })
  const call = { now: 0, providers: SHIPPED_REGISTRY, priorities: [], elapsed: () => 0, diff: null }
  const [found] = await explainQueryBatch(memorySource({ summaries, matches }), USER_IN_UTC, batch, call)
  const sessions = found?.['sessions'] as { members: { id: string; use: string; reason: string }[] }[]
  return sessions.map(({ members }) => members.map(({ id, use, reason }) => `${id}, ${use}: ${reason}`))
}

async function conflicts(summaries: readonly StoredSummary[], matches: readonly SessionMatch[] = []) {
  const asked = { tables: CONFLICT_TABLES, since: null, until: null, limit: 100 }
  const found = await listConflicts(memorySource({ summaries, matches }), USER_IN_UTC, asked, { priorities: [] })
  return found.conflicts.map(({ conflict, sessions }) => [conflict, ...sessions.map(({ id }) => id)].join(' '))
}

describe('sessions that are declared the same', () => {
  const ring = night('ring', RING, '19T23:00', '20T03:00')
  const watch = night('watch', WATCH, '20T02:30', '20T07:30')

  it('are one night, with the values of the better source', async () => {
    expect(await nights([ring, watch])).toHaveLength(2)
    expect(await nights([ring, watch], [same('ring', 'watch')])).toEqual(['5 h, 2: garmin watch, oura ring'])
    expect(await explained([ring, watch], [same('ring', 'watch')])).toEqual([
      ['watch, values: the best source', 'ring, none: declared the same on 2026-11-21'],
    ])
  })

  it('are one night even if they have no time in common', async () => {
    const late = night('late', WATCH, '20T04:00', '20T07:00')
    expect(await nights([ring, late], [same('ring', 'late')])).toEqual(['3 h, 2: garmin watch, oura ring'])
  })

  it('are parts of a night if they are from one source, whatever is between them', async () => {
    const early = night('early', RING, '19T22:00', '19T23:00')
    const late = night('late', RING, '20T05:00', '20T06:00')
    const nap = night('nap', RING, '20T08:00', '20T08:30', { type: 'acknowledged_nap' })
    expect(await nights([early, late, nap])).toHaveLength(3)
    expect(await nights([early, late, nap], [same('early', 'late')])).toEqual([
      '2 h, 2: oura ring',
      '0.5 h, 1: oura ring',
    ])
    expect(await nights([early, late, nap], [same('early', 'nap')])).toEqual([
      '1 h, 1: oura ring',
      '1.5 h, 2: oura ring',
    ])
    expect(await explained([early, late], [same('early', 'late')])).toEqual([
      [
        'early, values: part 1 of 2, declared the same on 2026-11-21, the best source',
        'late, values: part 2 of 2, declared the same on 2026-11-21, the best source',
      ],
    ])
  })

  it('are joined by the rules to other parts of the night', async () => {
    const parts = [
      night('a', RING, '19T22:00', '19T23:00'),
      night('b', RING, '20T01:00', '20T03:00'),
      night('c', RING, '20T03:30', '20T05:30'),
    ]
    expect(await nights(parts)).toEqual(['1 h, 1: oura ring', '4 h, 2: oura ring'])
    expect(await nights(parts, [same('a', 'b')])).toEqual(['5 h, 3: oura ring'])
    expect((await explained(parts, [same('a', 'b')])).flat()[2]).toBe('c, values: part 3 of 3, the best source')
  })

  it('are versions of one another if they are from one source and half of one overlaps', async () => {
    const versions = [
      night('longest', RING, '19T22:00', '20T02:00'),
      night('other', RING, '20T00:45', '20T03:45'),
      night('third', RING, '20T01:00', '20T02:00'),
    ]
    const apart = different('longest', 'other')
    expect(await nights(versions, [apart])).toEqual(['4 h, 2: oura ring', '3 h, 1: oura ring'])
    expect(await nights(versions, [apart, same('other', 'third')])).toEqual(['4 h, 1: oura ring', '3 h, 2: oura ring'])
  })

  it('hold through other sessions', async () => {
    const phone = night('phone', PHONE, '20T09:00', '20T10:00')
    const chain = [same('ring', 'watch'), same('ring', 'phone')]
    expect(await nights([ring, watch, phone], chain)).toEqual([
      '5 h, 3: garmin watch, oura ring, apple_health_kit phone',
    ])
    // without the one in the middle, nothing is known about the others
    expect(await nights([watch, phone], chain)).toHaveLength(2)
  })

  it('are one workout, of two sources or of one', async () => {
    const run = workout('run', WATCH, '07:00', '07:45', 'running', { distance: 9_000 })
    const ride = workout('ride', PHONE, '07:01', '07:44', 'cycling', { distance: 8_000, title: 'Ride' })
    const again = workout('again', WATCH, '07:20', '07:50', 'running', { distance: 5_000 })
    expect(await workouts([run, ride, again])).toHaveLength(3)
    expect(await workouts([run, ride], [declare('same', 'run', 'ride', 'workouts')])).toEqual([
      '9000 m, 2: garmin watch, apple_health_kit phone',
    ])
    expect(await workouts([again, run], [declare('same', 'run', 'again', 'workouts')])).toEqual([
      '9000 m, 2: garmin watch',
    ])
  })

  it('stay as they are while one of them has no usable end', async () => {
    const endless = night('endless', WATCH, '20T03:00', '20T02:00')
    const sameSource = night('broken', RING, '20T03:00', '20T02:00')
    const matches = [same('ring', 'endless'), same('ring', 'broken')]
    const all = [ring, endless, sameSource]
    expect(await nights(all, matches)).toEqual(await nights(all))
  })
})

describe('sessions that are declared different', () => {
  const ring = night('ring', RING, '19T23:00', '20T07:00')
  const watch = night('watch', WATCH, '19T23:10', '20T07:10')

  it('are two nights', async () => {
    expect(await nights([ring, watch])).toHaveLength(1)
    expect(await nights([ring, watch], [different('ring', 'watch')])).toEqual([
      '8 h, 1: oura ring',
      '8 h, 1: garmin watch',
    ])
  })

  it('are neither versions nor parts of one another', async () => {
    const nap = night('nap', RING, '20T05:00', '20T06:00')
    expect(await nights([ring, nap], [different('ring', 'nap')])).toHaveLength(2)
    const next = night('next', RING, '20T07:30', '20T09:00')
    const last = night('last', RING, '20T09:10', '20T09:40')
    expect(await nights([ring, next, last])).toEqual(['10 h, 3: oura ring'])
    // the last part would be joined through the one between them
    expect(await nights([ring, next, last], [different('ring', 'last')])).toEqual([
      '9.5 h, 2: oura ring',
      '0.5 h, 1: oura ring',
    ])
  })

  it('are not joined through a third session', async () => {
    const phone = night('phone', PHONE, '19T23:05', '20T07:05')
    expect(await nights([ring, watch, phone])).toEqual(['8 h, 3: garmin watch, oura ring, apple_health_kit phone'])
    // the ring was first
    expect(await nights([ring, watch, phone], [different('ring', 'phone')])).toEqual([
      '8 h, 1: apple_health_kit phone',
      '8 h, 2: garmin watch, oura ring',
    ])
    // the phone belongs to the ring, and with it stays apart from the watch
    const matches = [different('ring', 'watch'), same('ring', 'phone')]
    expect(await nights([ring, watch, phone], matches)).toEqual([
      '8 h, 2: oura ring, apple_health_kit phone',
      '8 h, 1: garmin watch',
    ])
    // the rules join parts in the watch first, so that the ring cannot join its own
    const parts = [
      ...[night('w1', WATCH, '19T22:00', '20T01:00'), night('w2', WATCH, '20T01:30', '20T05:00')],
      ...[night('r1', RING, '19T22:00', '20T01:00'), night('r2', RING, '20T01:30', '20T05:00')],
    ]
    expect(await nights(parts, [same('w2', 'r1'), different('w1', 'r2')])).toEqual([
      '6.5 h, 3: garmin watch, oura ring',
      '3.5 h, 1: oura ring',
    ])
  })

  it('let a session join another one that is the same', async () => {
    const [early, late] = [night('early', WATCH, '19T23:00', '20T02:00'), night('late', WATCH, '20T03:30', '20T07:00')]
    expect((await nights([early, late, ring])).sort()).toEqual([
      '3.5 h, 1: garmin watch',
      '8 h, 2: garmin watch, oura ring',
    ])
    expect((await nights([early, late, ring], [different('early', 'ring')])).sort()).toEqual([
      '3 h, 1: garmin watch',
      '8 h, 2: garmin watch, oura ring',
    ])
  })

  it('are two workouts', async () => {
    const all = [workout('a', WATCH, '07:00', '07:45', 'running'), workout('b', PHONE, '07:00', '07:45', 'running')]
    expect(await workouts(all)).toHaveLength(1)
    expect(await workouts(all, [declare('different', 'a', 'b', 'workouts')])).toHaveLength(2)
  })

  it('have no effect while one of them does not exist', async () => {
    expect(await nights([ring, watch], [different('ring', 'gone'), same('gone', 'watch')])).toHaveLength(1)
  })
})

describe('conflicts', () => {
  it('leave out pairs that were declared either way', async () => {
    const [ring, watch] = [night('ring', RING, '19T23:00', '20T03:00'), night('watch', WATCH, '20T01:30', '20T06:30')]
    expect(await conflicts([ring, watch])).toEqual(['nearly_same ring watch'])
    expect(await conflicts([ring, watch], [different('ring', 'watch')])).toEqual([])
    expect(await conflicts([ring, watch], [same('ring', 'watch')])).toEqual([])
  })

  it('leave out values that differ if the sessions were declared the same', async () => {
    const ring = night('ring', RING, '19T23:00', '20T07:00', { total: 27_000 })
    const watch = night('watch', WATCH, '19T23:10', '20T07:00', { total: 16_000 })
    expect(await conflicts([ring, watch])).toEqual(['values_differ watch ring'])
    expect(await conflicts([ring, watch], [same('ring', 'watch')])).toEqual([])
  })

  it('still have other pairs of the same sessions', async () => {
    const [ring, watch] = [night('ring', RING, '19T23:00', '20T03:00'), night('watch', WATCH, '20T01:30', '20T06:30')]
    const phone = night('phone', PHONE, '20T01:30', '20T03:30')
    expect(await conflicts([ring, watch, phone], [different('ring', 'watch')])).toEqual(['values_differ watch phone'])
  })
})
