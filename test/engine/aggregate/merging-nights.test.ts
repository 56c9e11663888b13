/** Merged nights: versions, parts, the same night in several sources, naps. See docs/interface/merging.md. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QueryWarning } from '../../../src/contract/aggregates/warnings.ts'
import type { StoredSummary } from '../../../src/store/sample.ts'
import { seed } from '../../kit/seed.ts'
import { type Asked, ask, refusal, sleep, utc } from './memory-source.ts'

const ASKED: Asked = { anchor: '2026-11-20', past: { unit: 'day', value: 3 } }

type Source = Pick<StoredSummary, 'provider' | 'sourceType'>
const WATCH: Source = { provider: 'garmin', sourceType: 'watch' }
const RING: Source = { provider: 'oura', sourceType: 'ring' }
const PHONE: Source = { provider: 'apple_health_kit', sourceType: 'phone' }

type QueryVariant = Parameters<typeof ask>[1]

let made = 0

/** Returns a night that ends on 20 November; times from 18:00 on are of the evening before. All of it is asleep. */
function night(source: Source, from: string, to: string, document: Record<string, unknown> = {}): StoredSummary {
  const at = (time: string) => utc(`2026-11-${time >= '18:00' && to < from ? '19' : '20'}T${time}:00`)
  return session(source, at(from), at(to), document)
}

function session(source: Source, start: number, end: number, document: Record<string, unknown> = {}): StoredSummary {
  const iso = (at: number) => new Date(at).toISOString()
  const seconds = (end - start) / 1_000
  const times = { bedtime_start: iso(start), bedtime_stop: iso(end), duration: seconds, total: seconds }
  const id = document['id'] ?? `id-${made++}`
  return { ...sleep(iso(end).slice(0, 19), { ...times, ...document }, source), id: String(id) }
}

const column = (name: string) => ({ sleep: name })
const SELECT = ['role', 'session_start', 'session_end', 'stage_asleep_second', 'members', 'sources'].map(column)

async function rows(summaries: readonly StoredSummary[], select: object[] = SELECT, asked = ASKED) {
  const result = await ask({ summaries }, { select: select as never, merge: true }, asked)
  const names = Object.keys(result)
  return (result[names[0] as string] ?? []).map((_, i) =>
    Object.fromEntries(names.map(name => [name, result[name]?.[i]])),
  )
}

/** Returns the role, the times of day and the hours of sleep of each row. */
async function brief(summaries: readonly StoredSummary[], asked = ASKED): Promise<string[]> {
  return (await rows(summaries, SELECT, asked)).map(row => {
    const time = (name: string) => String(row[name]).slice(11, 16)
    const minutes = Number(row['stage_asleep_second']) / 60
    const asleep = `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`
    return `${row['role']} ${time('session_start')}–${time('session_end')} ${asleep}`
  })
}

async function sum(summaries: readonly StoredSummary[], warn?: (warning: QueryWarning) => void) {
  const select = [{ func: 'sum', arg: column('stage_asleep_second') }]
  const result = await ask({ summaries }, { select, merge: true }, warn ? { ...ASKED, warn } : ASKED)
  return result['sum']
}

describe('of one source', () => {
  it('counts a session inside a longer one of its source once', async () => {
    const nights = [night(RING, '05:31', '06:14'), night(RING, '00:31', '06:14')]
    expect(await brief(nights)).toEqual(['main_sleep 00:31–06:14 5 h 43'])
  })

  it('counts the last of growing versions', async () => {
    const nights = ['00:05', '01:18', '03:40', '06:05'].map(end => night(WATCH, '23:00', end))
    expect(await brief(nights)).toEqual(['main_sleep 23:00–06:05 7 h 05'])
    expect(await rows(nights, [column('members')])).toEqual([{ members: 4 }])
  })

  it('counts the version that was received last, if both are equally long', async () => {
    const first = { ...night(RING, '23:00', '07:00', { score: 70 }), updatedAt: 2 }
    const second = { ...night(RING, '23:00', '07:00', { score: 80 }), updatedAt: 3 }
    expect(await rows([second, first], [column('score')])).toEqual([{ score: 80 }])
  })

  it('joins parts with a gap of 55 minutes, and not of 61', async () => {
    const first = night(RING, '23:18', '04:25')
    expect(await brief([first, night(RING, '05:20', '09:51')])).toEqual(['main_sleep 23:18–09:51 9 h 38'])
    expect(await brief([first, night(RING, '05:26', '09:57')])).toEqual([
      'main_sleep 23:18–04:25 5 h 07',
      'second_sleep 05:26–09:57 4 h 31',
    ])
  })

  it('leaves two naps apart', async () => {
    const start = utc('2026-11-20T13:00:00')
    const naps = [
      session(RING, start, start + 20 * 60_000),
      session(RING, start + 20 * 60_000 + 471_000, start + 53 * 60_000 + 471_000),
    ]
    expect((await rows(naps)).map(({ role, stage_asleep_second: asleep }) => [role, asleep])).toEqual([
      ['nap', 1_200],
      ['nap', 1_980],
    ])
  })

  it('does not join a nap that its source calls one, or parts of more than 16 hours', async () => {
    const nap = night(RING, '06:30', '07:00', { type: 'acknowledged_nap' })
    expect(await brief([night(RING, '23:00', '06:00'), nap])).toEqual([
      'main_sleep 23:00–06:00 7 h 00',
      'nap 06:30–07:00 0 h 30',
    ])
    expect(await brief([night(RING, '18:00', '04:00'), night(RING, '04:30', '10:30')])).toHaveLength(2)
  })

  it('joins the values of parts', async () => {
    const first = night(RING, '23:00', '01:00', {
      ...{
        awake: 600,
        deep: 1_000,
        light: 500,
        latency: 300,
        hr_lowest: 50,
        hr_average: 60,
        score: 60,
        efficiency: 80,
      },
    })
    const last = night(RING, '01:30', '07:30', {
      ...{ awake: 300, deep: 2_000, latency: 900, hr_lowest: 47, hr_average: 56, score: 90, efficiency: 96 },
    })
    const names = [
      ...['duration_second', 'stage_awake_second', 'stage_deep_second', 'stage_light_second', 'latency_second'],
      ...['heart_rate_minimum', 'heart_rate_mean', 'score', 'efficiency', 'members'],
    ]
    expect(await rows([first, last], names.map(column))).toEqual([
      {
        ...{ duration_second: 28_800, stage_awake_second: 900, stage_deep_second: 3_000, stage_light_second: null },
        ...{ latency_second: 300, heart_rate_minimum: 47, heart_rate_mean: 57, score: 90, efficiency: 92, members: 2 },
      },
    ])
  })

  it('joins parts around a nap that the source calls one, and parts of which it does not report the sleep', async () => {
    const nap = night(RING, '03:05', '03:25', { type: 'acknowledged_nap' })
    const parts = [night(RING, '23:00', '03:00'), night(RING, '03:30', '07:00')]
    expect(await brief([...parts, nap])).toEqual(['nap 03:05–03:25 0 h 20', 'main_sleep 23:00–07:00 7 h 30'])
    const unknown = [night(RING, '23:00', '02:00', { total: 0 }), night(RING, '02:30', '07:00', { total: 0 })]
    expect(await rows(unknown, ['role', 'duration_second'].map(column))).toEqual([
      { role: 'main_sleep', duration_second: 27_000 },
    ])
    const byDay = night(RING, '09:30', '16:30', { total: 0, awake: 0 })
    expect((await rows([byDay])).map(({ role }) => role)).toEqual(['main_sleep'])
  })

  it('counts the time of parts that overlap once', async () => {
    const parts = [night(RING, '23:00', '04:00'), night(RING, '03:00', '07:00')]
    expect(await brief(parts)).toEqual(['main_sleep 23:00–07:00 8 h 00'])
  })

  it('joins the hypnograms of parts', async () => {
    const parts = [night(RING, '23:00', '02:00'), night(RING, '02:30', '07:00')]
    const cycles = parts.map(
      (part, i): StoredSummary => ({
        ...part,
        kind: 'sleep_cycle',
        id: `cycle-${i}`,
        document: {
          sleep_id: part.id,
          session_start: part.document['bedtime_start'],
          stage_start_offset_second: [0, 3_600, 4_000],
          stage_end_offset_second: [3_600, 4_000, 7_200],
          stage_type: [2, 4, 1],
        },
      }),
    )
    const macros = ['awakenings', 'awake_at'].map(value_macro => ({ value_macro }))
    const [row] = await rows([...parts, ...cycles], macros)
    expect(row).toMatchObject({ awakenings: 2 })
    expect(String(row?.['awake_at'])).toContain('04:30')
  })
})

describe('of several sources', () => {
  it('is one night in two sources', async () => {
    const nights = [night(RING, '23:10', '07:00'), night(WATCH, '23:25', '06:50')]
    expect(await brief(nights)).toEqual(['main_sleep 23:25–06:50 7 h 25'])
    expect(await brief(nights, { ...ASKED, priority: ['oura'] })).toEqual(['main_sleep 23:10–07:00 7 h 50'])
    const team = [{ dataType: 'sleep', provider: 'oura', sourceType: null, priority: 2 }] as never
    expect(await brief(nights, { ...ASKED, priorities: team })).toEqual(['main_sleep 23:10–07:00 7 h 50'])
    expect(await rows(nights, [column('members'), column('sources')])).toEqual([
      { members: 2, sources: 'garmin watch, oura ring' },
    ])
    expect(await sum(nights)).toEqual([7 * 3_600 + 25 * 60])
  })

  it('does not join two nights that resemble a worse one', async () => {
    const a = session(WATCH, utc('2026-11-19T22:00:00'), utc('2026-11-20T02:00:00'))
    const c = session(RING, utc('2026-11-20T04:00:00'), utc('2026-11-20T08:00:00'))
    const b = session(PHONE, utc('2026-11-20T00:00:00'), utc('2026-11-20T06:00:00'))
    for (const all of [
      [a, b, c],
      [c, b, a],
    ]) {
      expect((await rows(all)).map(row => row['sources'])).toEqual([
        'garmin watch, apple_health_kit phone',
        'oura ring',
      ])
    }
  })

  it('takes the stages from one source, and fills what it lacks from another one that it names', async () => {
    const watch = night(WATCH, '23:25', '06:50', { hr_lowest: 51 })
    const ring = night(RING, '23:10', '07:00', { deep: 5_000, light: 15_000, rem: 7_000, score: 88, hr_lowest: 49 })
    const phone = night(PHONE, '23:00', '07:30', { score: 12, deep: 1, temperature_delta: 0.2, respiratory_rate: 14 })
    const names = ['session_start', 'stage_deep_second', 'score', 'heart_rate_minimum', 'respiratory_rate']
    const [row] = await rows([phone, watch, ring], [...names, 'filled_from', 'sources', 'source_provider'].map(column))
    expect(row).toMatchObject({
      ...{ stage_deep_second: 5_000, score: 88, heart_rate_minimum: 49, respiratory_rate: 14, source_provider: 'oura' },
      filled_from: 'apple_health_kit phone: skin_temperature_delta, respiratory_rate',
      sources: 'garmin watch, oura ring, apple_health_kit phone',
    })
    expect(String(row?.['session_start'])).toContain('23:10')
  })

  it('does not let a fragment stand for the night of another source', async () => {
    const stages = { deep: 900, light: 900, rem: 900 }
    const nights = [night(WATCH, '23:45', '00:15', { ...stages, score: 50 }), night(RING, '23:00', '07:00', stages)]
    expect(await brief(nights)).toEqual(['main_sleep 23:00–07:00 8 h 00'])
    expect(await rows(nights, [column('filled_from')])).toEqual([{ filled_from: 'garmin watch: score' }])
  })

  it('compares times without an offset in the zone of the user', async () => {
    const local = { ...night(RING, '23:00', '07:00'), offset: null }
    const floating = { ...local.document, bedtime_start: '2026-11-20T08:00:00', bedtime_stop: '2026-11-20T16:00:00' }
    const nights = [
      { ...local, document: floating },
      { ...night(WATCH, '23:10', '07:00'), offset: null },
    ]
    const select = ['members', 'role', 'session_start'].map(column)
    const result = await ask({ summaries: nights, timeZone: 'Asia/Tokyo' }, { select, merge: true }, ASKED)
    expect(result).toMatchObject({ members: [2], role: ['main_sleep'] })
    expect(String(result['session_start']?.[0])).toContain('08:10')
  })

  it('has two devices of one source as two sources', async () => {
    const nights = ['a', 'b'].map(deviceId => ({ ...night(WATCH, '23:00', '07:00'), deviceId }))
    expect(await rows(nights, [column('members'), column('sources')])).toEqual([
      { members: 2, sources: 'garmin watch' },
    ])
  })

  it('leaves sessions without both ends, and sessions of days, as they are', async () => {
    const open = { ...night(PHONE, '23:00', '07:00'), document: { total: 100, bedtime_stop: '2026-11-20T07:00:00Z' } }
    const endless = session(RING, utc('2026-11-18T07:00:00'), utc('2026-11-20T07:00:00'))
    const nights = [night(WATCH, '23:00', '07:00'), open, endless]
    expect((await rows(nights, [column('members')])).map(row => row['members'])).toEqual([1, 1, 1])
  })
})

describe('roles', () => {
  it('tells main sleep, naps and second sleeps apart', async () => {
    expect(await brief([night(RING, '23:10', '07:00'), night(PHONE, '13:00', '13:40')])).toEqual([
      'main_sleep 23:10–07:00 7 h 50',
      'nap 13:00–13:40 0 h 40',
    ])
    // a shift worker
    expect(await brief([night(RING, '08:00', '15:30'), night(RING, '20:00', '23:30')])).toEqual([
      'main_sleep 08:00–15:30 7 h 30',
      'second_sleep 20:00–23:30 3 h 30',
    ])
    // a short night is the main sleep
    expect(await brief([night(RING, '03:00', '05:30')])).toEqual(['main_sleep 03:00–05:30 2 h 30'])
  })

  it('leaves naps out of functions, and says so', async () => {
    const nights = [night(RING, '23:10', '07:00'), night(RING, '13:00', '13:40'), night(PHONE, '16:00', '16:20')]
    const warnings: QueryWarning[] = []
    expect(await sum(nights, warning => warnings.push(warning))).toEqual([7 * 3_600 + 50 * 60])
    expect(warnings).toEqual([{ code: 'naps_left_out', query: 0, resource: 'sleep', naps: 2 }])

    const select = [{ group_key: '*' as const }, { func: 'sum', arg: column('stage_asleep_second') }]
    const query = { select, group_by: [column('role')], merge: true }
    expect(await ask({ summaries: nights }, query, ASKED)).toEqual({
      'group_key.0': ['main_sleep', 'nap'],
      sum: [28_200, 3_600],
    })
    expect(await rows(nights)).toHaveLength(3)

    // naps that the condition drops are not counted as left out, and a day of naps is no group
    const few: QueryVariant = {
      select: [{ func: 'count', arg: { index: 'sleep' } }],
      where: 'members > 1',
      merge: true,
    }
    const none: QueryWarning[] = []
    await ask({ summaries: nights }, few, { ...ASKED, warn: warning => none.push(warning) })
    expect(none).toEqual([])
    const days: QueryVariant = {
      select: [{ group_key: '*' as const }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'sleep' } }],
      merge: true,
    }
    expect(await ask({ summaries: nights.slice(1) }, days, ASKED)).toEqual({ 'group_key.0': [] })
  })

  it('applies where first, and conditions on merged rows afterwards', async () => {
    const nights = [night(RING, '23:10', '07:00'), night(WATCH, '23:25', '06:50'), night(WATCH, '13:00', '13:40')]
    const select = [column('source_provider'), column('role')]
    const where = (text: string) => ask({ summaries: nights }, { select, where: text, merge: true }, ASKED)
    expect(await where("source_provider = 'oura'")).toEqual({ source_provider: ['oura'], role: ['main_sleep'] })
    expect(await where("role = 'nap'")).toEqual({ source_provider: ['garmin'], role: ['nap'] })
    expect(await where("source_provider = 'oura' AND members > 1")).toEqual({ source_provider: [], role: [] })
    expect(await where("(source_provider = 'oura' AND role = 'main_sleep') AND members = 1")).toEqual({
      ...{ source_provider: ['oura'], role: ['main_sleep'] },
    })
    expect(await where("NOT (role = 'nap' OR members = 1)")).toEqual({
      source_provider: ['garmin'],
      role: ['main_sleep'],
    })
  })

  it('refuses the columns of merged rows without a merge', async () => {
    const refused = await refusal({ select: [column('role')] })
    expect(refused).toMatchObject({ status: 422, loc: 'body.queries.0' })
    expect(refused.message).toContain('"merge": true')
  })
})

describe('properties', () => {
  const minute = fc.integer({ min: 0, max: 2 * 1_440 })
  const sessions = fc.array(
    fc.record({ source: fc.constantFrom(WATCH, RING, PHONE), from: minute, minutes: fc.integer({ min: 5, max: 700 }) }),
    { minLength: 1, maxLength: 12 },
  )
  const base = utc('2026-11-18')
  const built = (list: readonly { source: Source; from: number; minutes: number }[]) =>
    list.map(({ source, from, minutes }, i) =>
      session(source, base + from * 60_000, base + (from + minutes) * 60_000, { id: `s${i}` }),
    )

  it('holds for any nights: order, copies, and worse sources', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, fc.integer(), async (list, turn) => {
        const all = built(list)
        const expected = await rows(all)
        const turned = all.map((_, i) => all[(i + Math.abs(turn)) % all.length] as StoredSummary).reverse()
        expect(await rows(turned)).toEqual(expected)

        // a copy under another provider adds no row and changes no value
        const values = (list: Record<string, unknown>[]) => list.map(({ members: _, sources: __, ...rest }) => rest)
        const best = all.filter(({ provider }) => provider === WATCH.provider)
        const copies = best.map(each => ({ ...each, id: `${each.id}-copy`, provider: 'strava', sourceType: 'app' }))
        expect(values(await rows([...best, ...copies]))).toEqual(values(await rows(best)))

        // each night of the best source is in a row, or a much longer one of another source stands for it
        const intervals = (list: Record<string, unknown>[]) =>
          list.map(row => [row['session_start'], row['session_end']].map(at => utc(String(at).slice(0, 19))))
        const withWorse = intervals(expected)
        for (const [start = 0, end = 0] of intervals(await rows(best))) {
          const found = withWorse.some(
            ([from = 0, to = 0]) =>
              (from === start && to === end) ||
              ((to - from) / 2 > end - start && Math.min(to, end) - Math.max(from, start) >= (end - start) / 2),
          )
          expect(found).toBe(true)
        }
      }),
      { seed, numRuns: 60 },
    )
  })
})
