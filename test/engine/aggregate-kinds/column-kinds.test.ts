/** Kinds of values in columns of summaries, which depend on the provider. See docs/interface/kinds.md#kinds-5. */
import { describe, expect, it, test } from 'vitest'
import { COLUMN_KINDS, kindColumnName } from '../../../src/catalogue/column-kinds.ts'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { summaryTable } from '../../../src/catalogue/query-columns.ts'
import { AGGREGATE_FUNCTIONS } from '../../../src/catalogue/query-functions.ts'
import type { QueryWarning } from '../../../src/contract/aggregates/warnings.ts'
import type { StoredSummary } from '../../../src/store/sample.ts'
import { activity, ask, refusal, sleep, summary } from '../aggregate/memory-source.ts'

const ASKED = { anchor: '2026-11-20', past: { unit: 'week' as const, value: 2 } }
const KEYS = { group_key: '*' as const }
type Query = Parameters<typeof ask>[1]

interface Case {
  readonly table: 'workout' | 'activity' | 'sleep'
  readonly column: string
  readonly kinds: readonly [string, string]
  /** Providers whose values have these kinds. */
  readonly providers: readonly [string, string]
  /** Functions that do not mix the kinds, besides `count`. */
  readonly free: readonly string[]
}

const NOT_SUM = AGGREGATE_FUNCTIONS.map(({ name }) => name).filter(name => name !== 'sum')
const CASES: readonly Case[] = [
  {
    table: 'workout',
    column: 'calories',
    kinds: ['active', 'total'],
    providers: ['apple_health_kit', 'whoop_v2'],
    free: [],
  },
  {
    table: 'workout',
    column: 'calories',
    kinds: ['unknown', 'active'],
    providers: ['oura', 'apple_health_kit'],
    free: [],
  },
  {
    table: 'activity',
    column: 'calories_total',
    kinds: ['day', 'cycle'],
    providers: ['oura', 'whoop_v2'],
    free: NOT_SUM,
  },
  { table: 'sleep', column: 'efficiency', kinds: ['session', 'in_bed'], providers: ['polar', 'oura'], free: [] },
]

function rowOf({ table, column }: Case, provider: string, day: string, value: number | null): StoredSummary {
  const document = { [column]: value }
  if (table === 'sleep') return sleep(`${day}T06:00:00`, document, { provider })
  if (table === 'activity') return activity(day, document, { provider })
  return summary('workouts', `${day}T08:00:00`, document, { provider })
}

async function warnings(summaries: readonly StoredSummary[], query: Query): Promise<QueryWarning[]> {
  const all: QueryWarning[] = []
  await ask({ summaries }, query, { ...ASKED, warn: each => all.push(each) })
  return all.filter(({ code }) => code === 'mixed_kinds')
}

test('every column with kinds is tested, has a column that shows them, and names known providers', () => {
  expect(new Set(CASES.map(({ table, column }) => `${table}.${column}`))).toEqual(
    new Set(COLUMN_KINDS.map(({ table, column }) => `${table}.${column}`)),
  )
  expect(new Set(COLUMN_KINDS.map(({ table }) => table)).size).toBe(COLUMN_KINDS.length)
  for (const kinds of COLUMN_KINDS) {
    const names = summaryTable(kinds.table)?.columns.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([kinds.column, kindColumnName(kinds)]))
    const { slugs } = SHIPPED_REGISTRY
    expect(slugs).toEqual(expect.arrayContaining(kinds.others.flatMap(({ providers }) => [...providers])))
  }
})

describe.each(CASES)('$kinds of $table.$column', each => {
  const { table, column, kinds, providers, free } = each
  const [one, other] = kinds
  const [first, second] = providers
  const name = `${table}.${column}`
  // TypeScript does not know that the table is the only key
  const kind = { [table]: `${column}_kind` } as { workout: string }
  const value = { [table]: column } as { workout: string }
  const ones = ['2026-11-16', '2026-11-17', '2026-11-18'].map(day => rowOf(each, first, day, 80))
  const others = ['2026-11-10', '2026-11-11'].map(day => rowOf(each, second, day, 80))
  const byWeek = [{ date_trunc: { unit: 'week' as const, value: 1 }, arg: { index: table } }]
  const sum = { func: 'sum', arg: value }
  const expected = [
    {
      code: 'mixed_kinds',
      query: 0,
      resource: name,
      kinds: [
        { kind: one, samples: 3 },
        { kind: other, samples: 2 },
      ],
    },
  ]

  it('has the kind as a column, which where and group_by can use', async () => {
    const data = { summaries: [...ones, ...others] }
    const grouped = await ask(data, { select: [KEYS, sum], group_by: [kind] }, ASKED)
    expect(grouped).toEqual({ 'group_key.0': [one, other].sort(), sum: one < other ? [240, 160] : [160, 240] })
    expect(await ask(data, { select: [sum], where: `${name}_kind = '${other}'` }, ASKED)).toEqual({ sum: [160] })
  })

  it('warns for functions that mix the kinds, with and without groups, in any order', async () => {
    for (const { name: func, takes } of AGGREGATE_FUNCTIONS) {
      if (!takes.includes('float')) continue
      const select = [{ func, arg: value }]
      const wanted = func === 'count' || free.includes(func) ? [] : expected
      for (const data of [
        [...ones, ...others],
        [...others, ...ones],
      ]) {
        expect(await warnings(data, { select } as Query), func).toEqual(wanted)
        expect(await warnings(data, { select: [KEYS, ...select], group_by: byWeek } as Query), func).toEqual(wanted)
      }
    }
  })

  it('does not warn about one kind, about rows without a value, or if the query separates the kinds', async () => {
    const empty = ['2026-11-12', '2026-11-13'].map(day => rowOf(each, second, day, null))
    for (const data of [ones, others, [...ones, ...empty]]) expect(await warnings(data, { select: [sum] })).toEqual([])
    const all = [...ones, ...others]
    expect(await warnings(all, { select: [KEYS, sum], group_by: [...byWeek, kind] })).toEqual([])
    expect(await warnings(all, { select: [sum], where: `${name}_kind = '${one}'` })).toEqual([])
    const byProvider = [{ source: 'source_provider' }]
    expect(await warnings(all, { select: [KEYS, sum], group_by: byProvider } as Query)).toEqual([])
  })

  it('refuses a mixture with a condition for each kind, each of which works', async () => {
    const query = { select: [sum], mixed_kinds: 'refuse' as const }
    const data = { summaries: [...ones, ...others] }
    const refused = await refusal(query, ASKED, data)
    expect(refused).toMatchObject({ code: 'mixed_kinds', status: 422, loc: 'body.queries.0.mixed_kinds' })
    expect(refused.message).toContain(`${one} (rows: 3) and ${other} (rows: 2) of ${name}`)
    const conditions = [...refused.message.matchAll(/where (\S+ = '\w+')/g)].map(([, text]) => text as string)
    expect(conditions).toHaveLength(2)
    const sums = await Promise.all(conditions.map(where => ask(data, { ...query, where }, ASKED)))
    expect(sums.map(each => each['sum'])).toEqual([[240], [160]])
    expect(await ask({ summaries: ones }, query, ASKED)).toEqual({ sum: [240] })
  })

  it('splits groups by kind, also those of an inner query', async () => {
    const data = { summaries: [...ones, ...others] }
    const shown = `${column}_kind`
    const split = { mixed_kinds: 'split' as const }
    const sums = one < other ? [240, 160] : [160, 240]
    const names = [one, other].sort()
    expect(await ask(data, { select: [sum], ...split }, ASKED)).toEqual({ sum: sums, [shown]: names })
    const weekly = { select: [KEYS, sum], group_by: byWeek }
    const outer = { func: 'sum', arg: { query: 'sum' } }
    const nested = await ask(data, { from: { query: weekly }, select: [outer], ...split } as Query, ASKED)
    expect(nested).toEqual({ sum: sums, [shown]: names })
  })
})

describe('merged workouts', () => {
  const times = { time_start: '2026-11-18T08:00:00Z', time_end: '2026-11-18T09:00:00Z', sport: { slug: 'running' } }
  const workout = (provider: string, more: object) =>
    summary('workouts', '2026-11-18T08:00:00', { ...times, ...more }, { provider, sourceType: 'watch' })

  it('have the kind of the source that their energy comes from', async () => {
    const filled = [workout('garmin', { calories: null }), workout('apple_health_kit', { calories: 300 })]
    const select = ['calories', 'calories_kind', 'members'].map(name => ({ workout: name }))
    expect(await ask({ summaries: filled }, { select, merge: true } as Query, ASKED)).toEqual({
      calories: [300],
      calories_kind: ['active'],
      members: [2],
    })
    const total = { func: 'sum', arg: { workout: 'calories' } }
    const other = summary('workouts', '2026-11-17T08:00:00', { calories: 100 }, { provider: 'apple_health_kit' })
    expect(await warnings([...filled, other], { select: [total], merge: true } as Query)).toEqual([])
    const whoop = summary('workouts', '2026-11-16T08:00:00', { calories: 100 }, { provider: 'whoop_v2' })
    expect(await warnings([...filled, whoop], { select: [total], merge: true } as Query)).toHaveLength(1)
  })
})
