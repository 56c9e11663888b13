/** Merged workouts: the same workout in several sources. See docs/interface/merging.md#merging-14. */
import { describe, expect, it } from 'vitest'
import type { StoredSummary } from '../../../src/store/sample.ts'
import { type Asked, ask, summary, utc } from './memory-source.ts'

const ASKED: Asked = { anchor: '2026-11-20', past: { unit: 'year', value: 1 } }

type Source = Pick<StoredSummary, 'provider' | 'sourceType'>
const WATCH: Source = { provider: 'garmin', sourceType: 'watch' }
const APPLE: Source = { provider: 'apple_health_kit', sourceType: 'watch' }
const WITHINGS: Source = { provider: 'withings', sourceType: 'watch' }
const BIKE: Source = { provider: 'zwift', sourceType: 'exercise_machine' }

let made = 0

function workout(source: Source, from: string, to: string, sport: string, document: Record<string, unknown> = {}) {
  const at = (time: string) => utc(`2026-11-20T${time.length === 5 ? `${time}:00` : time}`)
  return between(source, at(from), at(to), sport, document)
}

function between(source: Source, start: number, end: number, sport: string, document: Record<string, unknown> = {}) {
  const iso = (at: number) => new Date(at).toISOString()
  const own = { time_start: iso(start), time_end: iso(end), sport: { slug: sport, name: sport }, ...document }
  return { ...summary('workouts', iso(start).slice(0, 19), own, source), id: `w${made++}` }
}

async function sports(summaries: readonly StoredSummary[]) {
  const select = [{ workout: 'sport_slug' }, { workout: 'members' }]
  const result = await ask({ summaries }, { select, merge: true }, ASKED)
  return (result['sport_slug'] as string[]).map((sport, i) => `${sport} ${result['members']?.[i]}`)
}

const count = async (summaries: readonly StoredSummary[]) =>
  (await ask({ summaries }, { select: [{ func: 'count', arg: { index: 'workout' } }], merge: true }, ASKED))['count']

describe('merged workouts', () => {
  it('is one workout in two sources, with another name for the sport', async () => {
    const all = [workout(WITHINGS, '07:01:40', '07:44', 'cycling'), workout(APPLE, '07:00', '07:45', 'indoor_cycling')]
    expect(await sports(all)).toEqual(['indoor_cycling 2'])
    expect(await count(all)).toEqual([1])
    expect(
      await sports([workout(APPLE, '07:00', '07:45', 'running'), workout(WITHINGS, '07:00', '07:45', 'other')]),
    ).toEqual(['running 2'])
  })

  it('leaves other workouts at the same time apart', async () => {
    const run = workout(APPLE, '07:00', '07:45', 'running')
    expect(await sports([run, workout(WITHINGS, '07:01:40', '07:44', 'cycling')])).toHaveLength(2)
    // a warm-up before lifting
    const strength = workout(APPLE, '18:00', '19:00', 'traditional_strength_training')
    expect(await sports([workout(WATCH, '17:50', '18:00', 'running'), strength])).toHaveLength(2)
    // too late, too short, and too different in length
    expect(await sports([run, workout(WITHINGS, '07:11', '07:45', 'running')])).toHaveLength(2)
    expect(await sports([run, workout(WITHINGS, '07:00', '07:30', 'running')])).toHaveLength(2)
    // one source does not copy itself
    expect(await sports([run, workout(APPLE, '07:00', '07:45', 'running')])).toHaveLength(2)
    const triathlon = [
      workout(APPLE, '08:00', '08:30', 'open_water_swimming'),
      workout(APPLE, '08:30', '09:40', 'cycling'),
      workout(APPLE, '09:40', '10:30', 'running'),
    ]
    expect(await sports(triathlon)).toHaveLength(3)
  })

  it('counts the runs of a watch and the ride of a machine', async () => {
    const runs = ['06:00', '12:00', '18:00'].map(from => workout(WATCH, from, from.replace(':00', ':40'), 'running'))
    const ride = workout(BIKE, '20:00', '21:00', 'virtual_ride')
    const select = [{ group_key: '*' as const }, { func: 'count', arg: { index: 'workout' } }]
    const week = [{ date_trunc: { unit: 'week' as const, value: 1 }, arg: { index: 'workout' } }]
    const result = await ask({ summaries: [...runs, ride] }, { select, group_by: week, merge: true }, ASKED)
    expect(result['count']).toEqual([4])
  })

  it('takes each group of values from the best source that has it', async () => {
    const watch = workout(APPLE, '07:00', '07:45', 'cycling', { average_hr: 140, distance: 20_000, title: 'Ride' })
    const bike = workout(BIKE, '07:01', '07:45', 'virtual_ride', {
      ...{ average_hr: 139, max_hr: 170, distance: 21_000, average_speed: 7.8, average_watts: 210, max_watts: 600 },
      calories: 500,
    })
    const names = ['heart_rate_mean', 'heart_rate_maximum', 'distance_meter', 'speed_mean', 'power_mean', 'calories']
    const select = [...names, 'title', 'filled_from'].map(name => ({ workout: name }))
    expect(await ask({ summaries: [bike, watch] }, { select, merge: true }, ASKED)).toEqual({
      ...{ heart_rate_mean: [140], heart_rate_maximum: [null], distance_meter: [20_000], speed_mean: [null] },
      ...{ power_mean: [210], calories: [500], title: ['Ride'] },
      filled_from: ['zwift exercise_machine: power, calories'],
    })
  })

  it('removes 171 copies of 191 workouts', async () => {
    // the account of a watch whose workouts another provider copies, with another name for the sport and up to two minutes apart
    const day = utc('2026-01-01')
    const own = Array.from({ length: 171 }, (_, i) =>
      between(APPLE, day + i * 86_400_000, day + i * 86_400_000 + 2_700_000, 'indoor_cycling'),
    )
    const copies = Array.from({ length: 171 }, (_, i) => {
      const start = day + i * 86_400_000 + ((i * 37) % 240) * 1_000 - 120_000
      return between(WITHINGS, start, start + 2_640_000, 'cycling')
    })
    const only = Array.from({ length: 20 }, (_, i) =>
      between(WITHINGS, day + i * 86_400_000 + 36_000_000, day + i * 86_400_000 + 38_000_000, 'walking'),
    )
    expect(await count([...own, ...copies, ...only])).toEqual([191])
    const select = [{ group_key: '*' as const }, { func: 'count', arg: { index: 'workout' } }]
    const query = { select, group_by: [{ source: 'source_provider' }], merge: true }
    expect((await ask({ summaries: [...copies, ...only, ...own] }, query, ASKED))['count']).toEqual([171, 20])
  })
})
