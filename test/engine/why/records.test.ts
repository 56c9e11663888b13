/** Where a number of nights, workouts or days comes from: the stored summaries, what each supplies, and what was left out. */
import { describe, expect, it } from 'vitest'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { leftOut, whyKit } from './kit.ts'

const kit = whyKit()
const NIGHT = '2026-11-11'

const asleep = (source: string, from: string, to: string): string =>
  record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisAsleepCore', undefined, {
    ...{ sourceName: source, startDate: `2026-11-${from}:00 +0000`, endDate: `2026-11-${to}:00 +0000` },
  })
const run = (source: string, day: string) =>
  `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="${source}" startDate="2026-11-${day} 07:00:00 +0000" endDate="2026-11-${day} 07:45:00 +0000"/>`
const load = (...records: readonly string[]) => kit.load(exportXml(records.join('\n')))

describe('a night', () => {
  it('has its members with their own values, and the one that supplies the number', async () => {
    await load(asleep('Watch', '10 23:00', '11 07:00'), asleep('Phone', '10 23:30', '11 06:30'))
    const why = await kit.ask({ column: 'sleep.duration_second', period: NIGHT, merge: true })
    expect(await kit.queried(why)).toEqual([why.value])
    expect(why).toMatchObject({
      value: 28_800,
      unit: 's',
      summary: 'The sum of 1 night from 1 source, merged.'.replace(', merged', ''),
      records_total: 1,
    })
    const [night] = why.records
    expect(night?.role).toBe('main_sleep')
    expect(night?.members.map(({ value, use, supplies }) => [value, use, supplies])).toEqual([
      [28_800, 'values', true],
      [25_200, 'none', false],
    ])
    expect(leftOut(why)).toMatchObject([
      [
        expect.stringMatching(/same_session|version/),
        1,
        25_200,
        expect.stringMatching(/^merging-/),
        expect.any(String),
      ],
    ])
  })

  it('has its parts, and says which naps are left out', async () => {
    const part = (id: number, from: string, to: string, duration: number) => ({
      ...{ summary: 'sleep', id: `10000000-0000-4000-8000-0000000000${id}`, provider: 'garmin', source_type: 'watch' },
      ...{ at: `2026-11-${to}:00Z`, date: NIGHT },
      document: {
        bedtime_start: `2026-11-${from}:00+00:00`,
        bedtime_stop: `2026-11-${to}:00+00:00`,
        duration,
        total: duration,
      },
    })
    await kit.push(
      part(10, '10T23:00', '11T03:00', 14_400),
      part(11, '11T03:30', '11T07:00', 12_600),
      part(12, '11T13:00', '11T14:00', 3600),
    )
    const why = await kit.ask({ column: 'sleep.duration_second', period: NIGHT, merge: true })
    expect(await kit.queried(why)).toEqual([why.value])
    expect(why.records[0]?.members.map(({ value, supplies }) => [value, supplies])).toEqual([
      [14_400, true],
      [12_600, true],
    ])
    expect([why.value, leftOut(why)]).toEqual([27_000, [['nap', 1, 3600, 'merging-13', expect.any(String)]]])
  })

  it('that a condition drops is left out, before and after the merge', async () => {
    await load(asleep('Watch', '10 23:00', '11 07:00'), asleep('Watch', '11 13:00', '11 14:00'))
    const asked = { column: 'sleep.duration_second', period: NIGHT, merge: true } as const
    const long = await kit.ask({ ...asked, where: "duration_second < 10000 and role != 'main_sleep'" })
    expect([long.value, leftOut(long)]).toEqual([3600, [['where', 1, 28_800, 'aggregates-5', expect.any(String)]]])
    const main = await kit.ask({ ...asked, where: "role = 'main_sleep'" })
    expect([main.value, leftOut(main)]).toEqual([28_800, [['where', 1, 3600, 'merging-2', expect.any(String)]]])
  })
})

describe('a workout', () => {
  it('of two sources is one, whose other member is left out', async () => {
    await load(run('Watch', '11'), run('Phone', '11'))
    const why = await kit.ask({ function: 'count', column: 'workout.session_start', period: NIGHT, merge: true })
    expect([why.value, why.unit, why.records[0]?.members.length]).toEqual([1, null, 2])
    expect(leftOut(why)).toMatchObject([
      ['same_session', 1, null, 'merging-14', expect.stringMatching(/^the same as one that counts: overlap 1.00/)],
    ])
  })
})

describe('a day of one source', () => {
  it('leaves the days of other sources out, and shows how a value is converted', async () => {
    const day = (provider: string, source_type: string, low: number) => ({
      ...{
        summary: 'activity',
        id: `10000000-0000-4000-8000-0000000000${low}`,
        provider,
        source_type,
        at: `${NIGHT}T00:00:00Z`,
        date: NIGHT,
      },
      document: { calendar_date: NIGHT, low },
    })
    await kit.push(day('garmin', 'watch', 10), day('apple_health_kit', 'phone', 20))
    const why = await kit.ask({ column: 'activity.intensity_low_second', period: NIGHT })
    expect(why).toMatchObject({ value: 600, unit: 's', conversion: { fields: ['low'], factor: 60, unit: 's' } })
    expect(leftOut(why)).toEqual([['other_source', 1, 1200, 'aggregates-7', 'garmin watch comes first']])
  })
})

describe('a computed column', () => {
  it('has its formula, its inputs and the summaries that they come from', async () => {
    await kit.h.call('engine.seed', { body: { people: 1, days: 30 } })
    const [user] = (await kit.h.call('user.list', { query: {} })).users.filter(
      ({ client_user_id }) => client_user_id !== 'ada',
    )
    const params = { user_id: String(user?.user_id) }
    const query = { function: 'newest', column: 'derived_readiness.recovery_score', period: '2026-11' }
    const why = await kit.h.call('aggregate.why', { params, query })
    expect(why.formula).toMatch(/^round\(100 \/ /)
    const inputs = why.records.at(-1)?.inputs
    expect(Object.keys(inputs ?? {})).toContain('hrv_baseline_mean_ms')
    expect(why.records.at(-1)?.members.length).toBeGreaterThan(0)
  })
})
