/** Conflicts: nights and workouts that a merge may have matched incorrectly. See docs/interface/merging.md#merging-15. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFLICT_TABLES, type ConflictsAsked, listConflicts } from '../../../src/engine/aggregate/conflicts.ts'
import type { StoredSummary } from '../../../src/store/sample.ts'
import { seed } from '../../kit/seed.ts'
import { ask, memorySource, sleep, summary, USER, utc } from './memory-source.ts'

type Source = Pick<StoredSummary, 'provider' | 'sourceType'>
const RING: Source = { provider: 'oura', sourceType: 'ring' }
const WATCH: Source = { provider: 'garmin', sourceType: 'watch' }
const PHONE: Source = { provider: 'apple_health_kit', sourceType: 'phone' }

const iso = (at: number) => new Date(at).toISOString()

function night(id: string, source: Source, from: string, to: string, document: object = {}): StoredSummary {
  const [start, end] = [utc(`2026-11-${from}:00`), utc(`2026-11-${to}:00`)]
  const times = { bedtime_start: iso(start), bedtime_stop: iso(end), total: (end - start) / 1_000 }
  return { ...sleep(iso(end).slice(0, 19), { ...times, ...document }, source), id }
}

function workout(id: string, source: Source, from: string, to: string, sport: string, document: object = {}) {
  const [start, end] = [utc(`2026-11-${from}:00`), utc(`2026-11-${to}:00`)]
  const own = { time_start: iso(start), time_end: iso(end), sport: { slug: sport, name: sport }, ...document }
  return { ...summary('workouts', iso(start).slice(0, 19), own, source), id }
}

const ALL: ConflictsAsked = { tables: CONFLICT_TABLES, since: null, until: null, limit: 100 }

async function conflicts(summaries: readonly StoredSummary[], asked: Partial<ConflictsAsked> = {}) {
  const user = { userId: USER, fallbackTimeZone: null }
  return listConflicts(memorySource({ summaries }), user, { ...ALL, ...asked }, { priorities: [] })
}

/** Returns each conflict with the IDs of its sessions, and its reason. */
async function brief(summaries: readonly StoredSummary[], asked: Partial<ConflictsAsked> = {}) {
  const found = await conflicts(summaries, asked)
  return found.conflicts.map(each => [each.conflict, ...each.sessions.map(({ id }) => id), each.reason])
}

describe('rows that are nearly the same', () => {
  it('are nights with a third in common', async () => {
    const ring = night('ring', RING, '19T23:00', '20T03:00')
    const watch = night('watch', WATCH, '20T01:30', '20T06:30')
    expect(await brief([watch, ring])).toEqual([
      ['nearly_same', 'ring', 'watch', 'overlap 0.38, starts 150 min apart, ends 210 min apart'],
    ])
    const [found] = (await conflicts([watch, ring])).conflicts
    expect(found).toMatchObject({
      table: 'sleep',
      sessions: [
        { provider: 'oura', source_type: 'ring', start: '2026-11-19T23:00:00.000Z', end: '2026-11-20T03:00:00.000Z' },
        { provider: 'garmin', source_type: 'watch' },
      ],
    })
  })

  it('are not those of one source, the same ones, or others with less in common', async () => {
    const ring = night('ring', RING, '19T23:00', '20T03:00')
    expect(await brief([ring, night('watch', WATCH, '20T02:00', '20T07:00')])).toEqual([])
    expect(await brief([ring, night('watch', WATCH, '19T23:30', '20T03:30')])).toEqual([])
    const runs = [
      workout('a', WATCH, '20T07:00', '20T07:45', 'running'),
      workout('b', WATCH, '20T07:10', '20T08:00', 'running'),
    ]
    expect(await brief(runs)).toEqual([])
  })

  it('are workouts at one time with different sports, lengths or starts', async () => {
    const run = workout('run', PHONE, '20T07:00', '20T07:45', 'running')
    expect(await brief([run, workout('ride', WATCH, '20T07:01', '20T07:44', 'cycling')])).toEqual([
      [
        'nearly_same',
        'run',
        'ride',
        'overlap 1.00, starts 60 s apart, durations 0.96 alike, sports running and cycling',
      ],
    ])
    expect(await brief([run, workout('short', WATCH, '20T07:00', '20T07:20', 'running')])).toEqual([
      ['nearly_same', 'short', 'run', 'overlap 1.00, starts 0 s apart, durations 0.44 alike'],
    ])
    expect(await brief([run, workout('late', WATCH, '20T07:15', '20T08:00', 'running')])).toEqual([
      ['nearly_same', 'run', 'late', 'overlap 0.67, starts 15 min apart, durations 1.00 alike'],
    ])
  })
})

describe('sources of one row', () => {
  it('are listed if their values differ by more than half', async () => {
    const ring = night('ring', RING, '19T23:00', '20T07:00', { total: 27_000 })
    const watch = (total: number | null) => night('watch', WATCH, '19T23:10', '20T07:00', { total })
    expect(await brief([ring, watch(16_000)])).toEqual([
      ['values_differ', 'watch', 'ring', 'stage_asleep_second 16000 s and 27000 s'],
    ])
    for (const total of [18_000, 27_000, 0, null]) expect(await brief([ring, watch(total)])).toEqual([])
    const run = (id: string, source: Source, document: object) =>
      workout(id, source, '20T07:00', '20T07:45', 'running', document)
    expect(
      await brief([
        run('a', WATCH, { distance: 9_000, calories: 900 }),
        run('b', PHONE, { distance: 5_000, calories: 500 }),
      ]),
    ).toEqual([['values_differ', 'a', 'b', 'distance_meter 9000 m and 5000 m, calories 900 kcal and 500 kcal']])
  })
})

describe('the list', () => {
  const days = ['18', '19', '20'].flatMap(day => [
    workout(`run ${day}`, PHONE, `${day}T07:00`, `${day}T07:45`, 'running'),
    workout(`ride ${day}`, WATCH, `${day}T07:01`, `${day}T07:44`, 'cycling'),
    night(`ring ${day}`, RING, `${day}T00:00`, `${day}T04:00`),
    night(`watch ${day}`, WATCH, `${day}T02:30`, `${day}T06:30`),
  ])
  const first = async (asked: Partial<ConflictsAsked> = {}) => (await brief(days, asked)).map(each => each[1])

  it('is newest first, over both tables, and can be limited to a table and a time', async () => {
    expect(await first()).toEqual(['run 20', 'ring 20', 'run 19', 'ring 19', 'run 18', 'ring 18'])
    expect(await first({ tables: CONFLICT_TABLES.slice(0, 1) })).toEqual(['ring 20', 'ring 19', 'ring 18'])
    const [since, until] = [utc('2026-11-19T00:00:00'), utc('2026-11-19T07:00:00')]
    expect(await first({ since, until })).toEqual(['run 19', 'ring 19'])
    expect(await first({ since: since + 1, until: until - 1 })).toEqual([])
    expect(await first({ until: utc('9999-12-31T23:59:59') })).toEqual(await first())
  })

  it('says whether there are more than its limit', async () => {
    for (const limit of [1, 2, 3, 5, 6]) {
      const found = await conflicts(days, { limit })
      expect([found.conflicts.length, found.has_more]).toEqual([limit, limit < 6])
    }
  })

  it('does not depend on the order of the data, and never names sessions that a merge joined', async () => {
    const hour = fc.integer({ min: 0, max: 60 })
    const session = fc.record({
      source: fc.constantFrom(RING, WATCH, PHONE),
      start: hour,
      hours: fc.integer({ min: 1, max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(session, { maxLength: 9 }), async sessions => {
        const summaries = sessions.map(({ source, start, hours }, i): StoredSummary => {
          const at = (hour: number) => iso(utc('2026-11-18T00:00:00') + hour * 3_600_000).slice(8, 16)
          return night(`n${i}`, source, at(start), at(start + hours))
        })
        const found = await brief(summaries)
        expect(await brief(summaries.toReversed())).toEqual(found)
        const pairs = found.filter(([conflict]) => conflict === 'nearly_same')
        const asked = { anchor: '2026-11-22', past: { unit: 'week' as const, value: 1 } }
        const { members = [] } = await ask({ summaries }, { select: [{ sleep: 'members' }], merge: true }, asked)
        // a pair needs two rows
        expect(pairs.length === 0 || members.length > 1).toBe(true)
      }),
      { seed },
    )
  })
})
