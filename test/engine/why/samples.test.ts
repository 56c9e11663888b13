/** Where a number of samples comes from: the number itself, its sources, its samples, and what was left out. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WhyDocument } from '../../../src/contract/aggregates/why.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'
import { DAY, leftOut, PHONE, steps, WATCH, whyKit } from './kit.ts'

const kit = whyKit()
const counted = ({ samples }: WhyDocument) =>
  samples.map(({ start, value, counted: part, source }) => [start.slice(11), value, part, source])

describe('the number', () => {
  it('is that of the aggregate query, bit for bit, and is the sum of its sources and samples', async () => {
    const at = fc.integer({ min: 0, max: 1500 })
    const item = fc.record({
      at,
      minutes: fc.integer({ min: 0, max: 200 }),
      value: fc.double({ min: 0, max: 1e4, noNaN: true }),
      who: fc.boolean(),
    })
    const asked = {
      merge: fc.boolean(),
      period: fc.constantFrom(DAY, '2026-11', '2026-W47', `${DAY}..2026-11-17`),
      function: fc.constantFrom('sum', 'mean', 'max', 'count'),
    }
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 12 }), fc.record(asked), async (items, question) => {
        await kit.clear()
        const time = (minutes: number) =>
          new Date(Date.parse(`${DAY}T00:00:00Z`) + minutes * 60_000).toISOString().slice(0, 19)
        await kit.push(
          ...items.map(each =>
            steps(time(each.at), time(each.at + each.minutes), each.value, each.who ? WATCH : PHONE),
          ),
        )
        const why = await kit.ask(question)
        const found = await kit.queried(why)
        // a query of one bucket has no row without data, whereas a range of days always has one
        const hasNoRow = why.sources.length === 0 && !question.period.includes('..')
        expect(found).toEqual(hasNoRow ? [] : [why.value])
        if (hasNoRow) expect(why.value).toBeNull()
        if (question.function !== 'sum') return
        const total = (values: readonly (number | null)[]) =>
          values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
        const near = Number(why.value ?? 0)
        expect(total(why.sources.map(each => each.value))).toBeCloseTo(near, 6)
        expect(total(why.samples.map(each => each.counted as number))).toBeCloseTo(near, 6)
      }),
      { numRuns: times(25), seed },
    )
  })

  it('has its unit, the query that returns it, and one sentence', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH))
    expect(await kit.ask()).toMatchObject({
      value: 100,
      unit: 'count',
      summary: 'The sum of 1 sample from 1 source.',
      query: { timeframe: { anchor: DAY, past: { unit: 'hour', value: 24 } } },
      question: {
        column: 'steps.value',
        from: `${DAY}T00:00:00`,
        to: '2026-11-17T00:00:00',
        merge: false,
        merge_from: 'team',
      },
    })
  })

  it('is missing on a day without data, which is not an error', async () => {
    expect(await kit.ask()).toMatchObject({
      value: null,
      samples: [],
      sources: [],
      summary: 'There is no data in this period.',
    })
  })

  it('is computed for the local day of the user', async () => {
    await kit.h.call('user.patch', { params: { user_id: kit.user_id }, body: { fallback_time_zone: 'Asia/Tokyo' } })
    await kit.push(steps('2026-11-15T15:00:00', '2026-11-15T16:00:00', 7, WATCH), steps('14:59', '15:00', 5, WATCH))
    const why = await kit.ask()
    expect([why.value, why.question.time_zone, counted(why)]).toEqual([
      12,
      'Asia/Tokyo',
      [
        ['00:00:00', 7, 7, 0],
        ['23:59:00', 5, 5, 0],
      ],
    ])
  })

  it('follows the team about merging unless the question says otherwise', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH), steps('10:00', '11:00', 50, PHONE))
    expect(await kit.ask({ merge: true })).toMatchObject({
      value: 150,
      question: { merge: true, merge_from: 'request' },
    })
    await kit.h.call('team.update', { params: { team_id: kit.h.team.teamId }, body: { merge: true } })
    const team = await kit.h.engine.localTeam()
    const call = {
      input: {
        params: { user_id: kit.user_id },
        query: { function: 'sum', column: 'steps', period: DAY },
        body: undefined,
      },
      credentials: { kind: 'team' as const, team, linkToken: null },
      accept: 'application/json',
    }
    const reply = await runOperation(kit.h.engine.context, 'aggregate.why', call)
    expect(reply).toMatchObject({ body: { value: 150, question: { merge: true, merge_from: 'team' } } })
  })

  it('has one value for each kind if kinds are split, and refuses to mix them if asked', async () => {
    const hrv = (minute: string, value: number, more: object = {}) => ({
      resource: 'hrv',
      timestamp: `${DAY}T08:${minute}:00Z`,
      value,
      ...WATCH,
      ...more,
    })
    await kit.push(hrv('00', 40), hrv('05', 60, { type: 'sdnn' }))
    const hrvOf = { function: 'mean', column: 'hrv' } as const
    const why = await kit.ask({ ...hrvOf, mixed_kinds: 'split' })
    expect([why.value, why.unit, why.by_kind]).toEqual([
      null,
      'ms',
      [
        { kind: 'rmssd', value: 40 },
        { kind: 'sdnn', value: 60 },
      ],
    ])
    expect(why.sources.map(({ kind, rows_used }) => [kind, rows_used])).toEqual([
      ['rmssd', 1],
      ['sdnn', 1],
    ])
    expect((await kit.ask(hrvOf)).warnings).toMatchObject([{ code: 'mixed_kinds' }])
    expect(await kit.refusal({ ...hrvOf, mixed_kinds: 'refuse' })).toMatchObject({
      code: 'mixed_kinds',
      message: /^mixed_kinds: /,
    })
  })
})

describe('the samples', () => {
  it('are those that count, with the part that counts', async () => {
    await kit.push(
      steps('08:00', '09:00', 100, WATCH),
      steps('08:30', '09:30', 60, PHONE),
      steps('23:30', '2026-11-17T00:30:00', 20, WATCH),
    )
    const why = await kit.ask({ merge: true })
    expect(why.value).toBe(140)
    expect(counted(why)).toEqual([
      ['08:00:00', 100, 100, 0],
      ['08:30:00', 60, 30, 1],
      ['23:30:00', 20, 10, 0],
    ])
    expect(
      why.sources.map(({ provider, value, share, rows, rows_used }) => [provider, value, share, rows, rows_used]),
    ).toEqual([
      ['garmin', 110, 110 / 140, 2, 2],
      ['apple_health_kit', 30, 30 / 140, 1, 1],
    ])
  })

  it('are limited, but counted and added up completely', async () => {
    await kit.push(...[0, 1, 2, 3].map(i => steps(`0${i}:00`, `0${i}:30`, 1 + i, WATCH)))
    const why = await kit.ask({ limit: 2 })
    expect([why.value, why.samples_total, counted(why)]).toEqual([
      10,
      4,
      [
        ['00:00:00', 1, 1, 0],
        ['01:00:00', 2, 2, 0],
      ],
    ])
    expect((await kit.ask({ limit: 0 })).samples).toEqual([])
  })
})

describe('what was left out', () => {
  it('is another source without a merge', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH), steps('10:00', '11:00', 50, PHONE))
    expect(leftOut(await kit.ask())).toEqual([['other_source', 1, 50, 'aggregates-7', 'garmin watch comes first']])
  })

  it('is nothing in a range of days, in which all sources count', async () => {
    await kit.push(steps('08:00', '09:00', 100, WATCH), steps('08:00', '09:00', 50, PHONE))
    const why = await kit.ask({ period: `${DAY}..${DAY}` })
    expect([why.value, leftOut(why), why.rules.map(({ rule }) => rule)]).toEqual([150, [], ['aggregates-7']])
  })

  it('is the time that a better source covers, and overlaps of one source', async () => {
    await kit.push(
      steps('08:00', '09:00', 100, WATCH),
      steps('08:30', '09:30', 60, PHONE),
      steps('08:30', '09:30', 40, WATCH),
    )
    expect(leftOut(await kit.ask({ merge: true }))).toEqual([
      ['overlap', 1, 20, 'merging-3', 'an earlier sample of the same source covers that time'],
      ['covered', 1, 60, 'merging-3', 'garmin watch covers that time'],
    ])
  })

  it('is the total of a day, or what the total replaces', async () => {
    const total = steps('00:00', '23:59', 5000, PHONE)
    await kit.push(total, ...Array.from({ length: 8 }, (_, i) => steps(`${10 + i}:00`, `${11 + i}:00`, 10, WATCH)))
    expect(leftOut(await kit.ask({ merge: true }))).toMatchObject([
      ['day_total', 1, 5000, 'merging-5', expect.any(String)],
    ])
    await kit.clear()
    await kit.push(total, steps('10:00', '11:00', 10, WATCH))
    const why = await kit.ask({ merge: true })
    expect([why.value, leftOut(why)]).toEqual([
      5000,
      [['replaced_by_total', 1, 10, 'merging-5', 'the total of the day counts instead']],
    ])
  })

  it('is the other sources of a level on a day', async () => {
    const beat = (time: string, value: number, of: object) => ({
      resource: 'heartrate',
      timestamp: `${DAY}T${time}:00Z`,
      value,
      ...of,
    })
    await kit.push(beat('08:00', 60, WATCH), beat('09:00', 70, WATCH), beat('10:00', 90, PHONE))
    const why = await kit.ask({ function: 'mean', column: 'heartrate', merge: true })
    expect([why.value, leftOut(why)]).toEqual([
      65,
      [['other_source', 1, null, 'merging-6', 'garmin watch counts on that day']],
    ])
  })

  it('is what the condition drops, and implausible values in a merge', async () => {
    const beat = (minute: string, value: number) => ({
      resource: 'heartrate',
      timestamp: `${DAY}T08:${minute}:00Z`,
      value,
      ...WATCH,
    })
    await kit.push(beat('00', 60), beat('05', 0), beat('10', 120))
    const asked = { function: 'mean', column: 'heartrate', merge: true } as const
    expect(leftOut(await kit.ask(asked))).toEqual([
      ['implausible', 1, null, 'plausibility-4', 'its value is outside the limits of the resource'],
    ])
    const why = await kit.ask({ ...asked, where: 'heartrate < 100' })
    expect([why.value, leftOut(why)[0]]).toEqual([60, ['implausible', 1, null, 'plausibility-4', expect.any(String)]])
    expect(leftOut(why)[1]).toEqual(['where', 1, null, 'aggregates-5', 'the condition does not keep it'])
  })
})

describe('a question', () => {
  it('is refused with the parameter that is wrong', async () => {
    const messages = await Promise.all(
      [
        { period: 'monday' },
        { period: '2026-02-30' },
        { period: '2026-W54' },
        { period: '2026-11-20..2026-11-19' },
        { period: '2024-01-01..2026-01-01' },
        { function: 'total' },
        { column: 'step' },
        { column: 'sleep.index' },
        { where: 'steps >' },
        { column: 'activity.steps', merge: true },
      ].map(async each => (await kit.refusal(each)).message.slice(0, 40)),
    )
    expect(messages).toEqual([
      'period: must be a day (2026-11-20), an I',
      'period: must be a day (2026-11-20), an I',
      'period: must be a day (2026-11-20), an I',
      'period: must not end before it starts. P',
      'period: must be at most 366 days long',
      'function: unknown function "total". Avai',
      'column: unknown timeseries resource "ste',
      'column: unknown column of sleep "index".',
      'where: at character 8: expected a column',
      'merge: only the tables timeseries, sleep',
    ])
  })

  it('about an unknown user returns 404', async () => {
    const params = { user_id: '10000000-0000-4000-8000-000000000001' }
    const query = { function: 'sum', column: 'steps', period: DAY }
    expect(await kit.h.refusal('aggregate.why', { params, query })).toMatchObject({ status: 404 })
  })
})
