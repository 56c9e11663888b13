/** Sub-queries over lists: one scalar per row, with a where of their own, alone and as the argument of a function. */
import { describe, expect, test } from 'vitest'
import { ask, ofCycle, refusal, series, summary } from './memory-source.ts'

const cycle = (day: string, document: Record<string, unknown>) =>
  summary('menstrual_cycle', day, { period_start: day, ...document })

const temperature = (date: string, value: number | null) => ({ date, value })
const summaries = [
  cycle('2024-10-01', {
    basal_body_temperature: [
      temperature('2024-10-01', 36.25),
      temperature('2024-10-02', 36.5),
      temperature('2024-10-03', null),
      temperature('2024-10-04', 37.5),
    ],
    sexual_activity: [
      { date: '2024-10-08', protection_used: true },
      { date: '2024-10-09', protection_used: false },
      { date: '2024-10-10', protection_used: null },
    ],
  }),
  cycle('2024-11-01', { basal_body_temperature: [], sexual_activity: null }),
  cycle('2024-12-01', {}),
]

async function values(...items: ReturnType<typeof ofCycle>[]): Promise<unknown[][]> {
  return Object.values(await ask({ summaries }, { select: items }))
}

describe('a list sub-query', () => {
  test.each([
    ['count', 3, 0],
    ['sum', 110.25, null],
    ['mean', 36.75, null],
    ['min', 36.25, null],
    ['max', 37.5, null],
    ['median', 36.5, null],
    // deviations -0.5, -0.25, 0.75: squares 0.875 over 2
    ['stddev', Math.sqrt(0.4375), null],
  ])('ignores nulls in %s; without elements count is 0 and the rest is null', async (func, result, ofNothing) => {
    expect(await values(ofCycle('basal_body_temperature', func, 'value'))).toEqual([[result, ofNothing, ofNothing]])
  })

  test('without an argument counts all elements', async () => {
    expect(await values(ofCycle('basal_body_temperature', 'count', null))).toEqual([[4, 0, 0]])
  })

  test('applies min and max to dates, and to texts by code unit', async () => {
    expect(await values(ofCycle('basal_body_temperature', 'max', 'date'))).toEqual([['2024-10-04', null, null]])
    const flows = [cycle('2024-10-01', { menstrual_flow: ['medium', 'heavy', 'light'].map(flow => ({ flow })) })]
    const select = ['min', 'max'].map(func => ofCycle('menstrual_flow', func, 'flow'))
    expect(await ask({ summaries: flows }, { select })).toEqual({
      'min.menstrual_flow.flow': ['heavy'],
      'max.menstrual_flow.flow': ['medium'],
    })
  })

  test.each([
    ["date >= '2024-10-02' AND value < 37", 1],
    ["date > '2024-10-01' AND NOT value < 37", 1],
    ['value > 36 OR value <= 36', 3],
    ["date = '2024-10-03' OR value > 37", 2],
    ['value > 100', 0],
  ])('keeps the elements for which where is true: %s', async (where, count) => {
    expect(await values(ofCycle('basal_body_temperature', 'count', null, where))).toEqual([[count, 0, 0]])
  })

  test('can compare a boolean of an element, which is null if absent', async () => {
    expect(await values(ofCycle('sexual_activity', 'count', null, 'protection_used = true'))).toEqual([[1, 0, 0]])
    expect(await values(ofCycle('sexual_activity', 'count', null, 'NOT protection_used = true'))).toEqual([[1, 0, 0]])
  })
})

describe('a sub-query as the argument of a function', () => {
  const count = ofCycle('basal_body_temperature', 'count', null)
  const warm = ofCycle('basal_body_temperature', 'count', null, 'value > 36.4')

  test('gets a combined name, or just the function name if all arguments are the same', async () => {
    const outer = (func: string, arg: typeof count) => ({ func, arg })
    expect(await ask({ summaries }, { select: [outer('max', count), outer('mean', count)] })).toEqual({
      max: [4],
      mean: [4 / 3],
    })
    const mixed = [outer('max', count), outer('mean', ofCycle('basal_body_temperature', 'mean', 'value'))]
    expect(await ask({ summaries }, { select: mixed })).toEqual({
      'max.count.basal_body_temperature': [4],
      'mean.mean.basal_body_temperature.value': [36.75],
    })
  })

  test('is a separate column for each where, even under the same name', async () => {
    const select = [
      { func: 'max', arg: count },
      { func: 'sum', arg: warm },
    ]
    expect(await ask({ summaries }, { select })).toEqual({
      'max.count.basal_body_temperature': [4],
      'sum.count.basal_body_temperature': [2],
    })
    const same = [
      { func: 'max', arg: count },
      { func: 'max', arg: warm },
    ]
    expect(await refusal({ select: same })).toMatchObject({ loc: 'body.queries.0.select.1' })
  })
})

describe('the tags of notes', () => {
  const tags = (func: string, element: boolean, where?: string) => ({
    select: { func, arg: element ? { element: true as const } : null },
    from: { unnest: { timeseries: 'note', field: 'tags' } },
    ...(where === undefined ? {} : { where }),
  })
  const samples = [
    series({ resource: 'note' }, [
      ['2024-12-13T08:00:00', 0, { text: { content: 'a', tags: '["food","exercise"]' } }],
      ['2024-12-13T09:00:00', 0, { text: { content: 'b' } }],
      ['2024-12-13T10:00:00', 0, { text: { content: 'c', tags: '["food"]' } }],
    ]),
    series({ resource: 'heartrate' }, [['2024-12-13T09:30:00', 60]]),
  ]

  test('that are stored as plain text are a single tag', async () => {
    const samples = [
      series({ resource: 'note' }, [['2024-12-13T08:00:00', 0, { text: { content: 'a', tags: 'food' } }]]),
    ]
    const select = [tags('count', false), tags('min', true)]
    expect(await ask({ samples }, { select })).toEqual({ 'count.tags': [1], 'min.tags.element': ['food'] })
  })

  test('are scalars: the element itself', async () => {
    const select = [tags('count', false), tags('min', true), tags('count', true, "element != 'food'")]
    expect(await ask({ samples }, { select: select.slice(0, 2) })).toEqual({
      'count.tags': [2, 0, 1],
      'min.tags.element': ['exercise', null, 'food'],
    })
    expect(await ask({ samples }, { select: select.slice(2) })).toEqual({ 'count.tags.element': [1, 0, 0] })
  })

  test('are null in rows of another resource', async () => {
    const select = [tags('count', false), { timeseries: 'heartrate', field: 'value' }]
    expect(await ask({ samples }, { select })).toEqual({
      'count.tags': [2, 0, null, 1],
      heartrate: [null, null, 60, null],
    })
    const outer = [
      { func: 'mean', arg: tags('count', false) },
      { func: 'count', arg: null },
    ]
    expect(await ask({ samples }, { select: [...outer, { func: 'max', arg: select[1] as never }] })).toEqual({
      'mean.count.tags': [1],
      'count.index': [4],
      'max.heartrate': [60],
    })
  })
})

describe('refusals contain the position of', () => {
  const flow = ofCycle('menstrual_flow', 'count', null)
  const unnest = (list: unknown) => ({ ...flow, from: { unnest: list } })
  const arg = (of: unknown, func = 'count') => ({ ...flow, select: { func, arg: of } })
  test.each([
    [unnest({ menstrual_cycle: 'menstrual_flo' }), 'from.unnest.menstrual_cycle', 'Did you mean "menstrual_flow"?'],
    [unnest({ menstrual_cycle: 'period_end' }), 'from.unnest.menstrual_cycle', 'Available: menstrual_flow'],
    [unnest({ timeseries: 'note', field: 'content' }), 'from.unnest.field', 'Available: tags'],
    [unnest({ timeseries: 'steps', field: 'value' }), 'from.unnest.field', 'steps has no list'],
    [unnest({ timeseries: 'notes', field: 'tags' }), 'from.unnest.timeseries', 'Did you mean "note"?'],
    [arg(null, 'newest'), 'select.func', 'no index'],
    [arg(null, 'oldest'), 'select.func', 'no index'],
    [arg(null, 'avg'), 'select.func', 'Available: mean, min'],
    [arg(null, 'mean'), 'select.arg', 'only count does'],
    [arg({ element: true }), 'select.arg.element', '{"field_for": "menstrual_cycle", "menstrual_flow": …}'],
    [arg({ field_for: 'sleep', menstrual_flow: 'flow' }), 'select.arg.field_for', 'field_for'],
    [arg({ field_for: 'menstrual_cycle' }), 'select.arg', 'the list that is unnested, menstrual_flow'],
    [arg({ field_for: 'menstrual_cycle', cervical_mucus: 'date' }), 'select.arg.cervical_mucus', 'unnested'],
    [arg({ field_for: 'menstrual_cycle', menstrual_flow: 'flwo' }), 'select.arg.menstrual_flow', '"flow"'],
    [arg({ field_for: 'menstrual_cycle', menstrual_flow: 'flow' }, 'mean'), 'select.func', 'min, max, count'],
    [{ ...flow, where: "flo = 'none'" }, 'where', 'Did you mean "flow"?'],
    [{ ...flow, where: 'flow = ' }, 'where', 'found the end'],
  ])('%j', async (item, loc, words) => {
    const refused = await refusal({ select: [item] })
    expect(refused).toMatchObject({ status: 422, loc: `body.queries.0.select.0.${loc}` })
    expect(refused.message).toContain(words)
    expect(await refusal({ select: [{ func: 'max', arg: item }] })).toMatchObject({
      loc: `body.queries.0.select.0.arg.${loc}`,
    })
  })

  test('a list on its own, wherever it is used', async () => {
    for (const [query, loc] of [
      [{ select: [{ menstrual_cycle: 'menstrual_flow' }] }, 'select.0.menstrual_cycle'],
      [{ select: [{ func: 'count', arg: { timeseries: 'note', field: 'tags' } }] }, 'select.0.arg.field'],
      [{ select: [{ index: 'menstrual_cycle' }], where: 'menstrual_flow = 1' }, 'where'],
    ] as const) {
      const refused = await refusal(query)
      expect(refused).toMatchObject({ code: 'unknown_column', loc: `body.queries.0.${loc}` })
      expect(refused.message).toContain('only a sub-query')
    }
  })

  test('a sub-query of another table, and one that is alone in a grouped query', async () => {
    expect(await refusal({ select: [{ sleep: 'score' }, flow] })).toMatchObject({
      loc: 'body.queries.0.select.1.from.unnest.menstrual_cycle',
    })
    const by = [{ date_trunc: { unit: 'day' }, arg: { index: 'menstrual_cycle' } }]
    const refused = await refusal({ select: [{ group_key: '*' }, flow], group_by: by })
    expect(refused).toMatchObject({ loc: 'body.queries.0.select.1' })
    expect(refused.message).toContain('count.menstrual_flow cannot be selected by itself')
  })
})
