/** Generated queries of every table: rows, totals and groups. */
import fc from 'fast-check'
import type { Carry } from '../align.ts'
import { DAY, type Period, plus, printDate } from '../calendar.ts'
import type { Kind } from '../data.ts'
import { columnKinds, type Inner, type Item, type Table, toField, whereKinds } from '../items.ts'
import { MACROS } from '../macros.ts'
import { type Asked, emptyResult, listResources, type PlainQuery, readable } from '../oracle.ts'
import { columnName, RESOURCES, resourceFields, resourceNamed, SOURCE_FIELDS } from '../resources.ts'
import { LISTS } from '../tables.ts'
import { bucket, dayNear, PROVIDERS, past, SOURCE_TYPES } from './pools.ts'
import { whereClause } from './where-arbitrary.ts'

/** The facts about a table that the query generator needs. */
export interface Vocabulary {
  readonly table: string
  /** The columns, if the table is the result of an inner query. */
  readonly inner?: Inner
  /** Items that select a value of a row. */
  readonly items: readonly Item[]
  readonly sources: readonly Item[]
  /** List sub-queries. */
  readonly lists: fc.Arbitrary<Item> | null
  readonly where: fc.Arbitrary<string>
}

const PARTS = ['minute', 'hour', 'day', 'week', 'month', 'year', 'weekday', 'week_of_year', 'day_of_year']
const FUNCTIONS: Readonly<Record<Kind, readonly string[]>> = {
  int: ['mean', 'min', 'max', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest', 'latest'],
  float: ['mean', 'min', 'max', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest', 'latest'],
  time: ['mean', 'min', 'max', 'count', 'oldest', 'newest', 'latest'],
  date: ['min', 'max', 'count', 'oldest', 'newest', 'latest'],
  text: ['count', 'oldest', 'newest', 'latest'],
  bool: ['count', 'oldest', 'newest', 'latest'],
}

/** The vocabulary of the timeseries table, with the resources in the data and occasionally one without samples. */
export function timeseries(resources: readonly string[], base: number): Vocabulary {
  const known = RESOURCES.filter(each => resources.includes(each.path))
  const named = [...known, resourceNamed('heartrate')]
  const items = named.flatMap(resource =>
    Object.keys(resourceFields(resource)).flatMap(field => {
      const item = { timeseries: resource.name, field }
      // the values are repeated, because most queries are about them
      const often = ['value', 'systolic', 'content'].includes(field)
      return often ? [item, item, item, item, { ...item, timeseries: resource.path }] : [item]
    }),
  )
  const kinds = whereKinds('timeseries')
  const columns = named.flatMap(resource =>
    Object.keys(resourceFields(resource)).map(field => columnName(resource, field)),
  )
  const values = named.map(resource => columnName(resource, Object.keys(resourceFields(resource))[0] as string))
  const names = [...columns, ...values, ...values, ...values, ...values, ...Object.keys(SOURCE_FIELDS)]
  const hasNotes = known.some(each => each.name === 'note')
  return {
    table: 'timeseries',
    items,
    sources: Object.keys(SOURCE_FIELDS).map(source => ({ source })),
    lists: hasNotes ? subQuery({ timeseries: 'note', field: 'tags' }, base) : null,
    where: whereText('timeseries', kinds, names, base),
  }
}

/** The vocabulary of a table with one row per summary. */
export function summaryTable(table: string, base: number): Vocabulary {
  const kinds = columnKinds(table)
  const names = Object.keys(kinds)
  const macros = table === 'sleep' ? Object.keys(MACROS).map(value_macro => ({ value_macro })) : []
  const lists = Object.keys(LISTS).map(list => subQuery({ menstrual_cycle: list }, base))
  return {
    table,
    items: [...names.map(name => ({ [table]: name })), ...macros, ...macros, ...macros],
    sources: ['source_type', 'source_provider', 'source_app_id', 'source_device_id'].map(source => ({ source })),
    lists: table === 'menstrual_cycle' ? fc.oneof(...lists) : null,
    where: whereText(table, kinds, names, base),
  }
}

/** The vocabulary of the result of an inner query. */
function innerTable(inner: Inner, base: number): Vocabulary {
  const table = 'query'
  // a comparison with a value that may differ in its last bits can end either way
  const kinds = Object.fromEntries(Object.entries(whereKinds(inner)).filter(([name]) => inner.columns[name]?.exact))
  const names = Object.keys(kinds)
  return {
    ...{ table, inner, sources: [], lists: null },
    items: Object.keys(inner.columns).map(query => ({ query })),
    where: names.length === 0 ? fc.constant('NOT 1 < 2') : whereText(table, kinds, names, base),
  }
}

/** The objects that the items of a query refer to. */
const tableIn = ({ table, inner }: Vocabulary): Table => inner ?? table

/** Queries over the results of other queries. */
export function nestedQuery(words: Vocabulary, base: number): fc.Arbitrary<PlainQuery> {
  return whereSome(words, grouped(words))
    .filter(query => hasBucket(query) && Object.keys(readable(emptyResult(query)).columns).length > 0)
    .chain(inner =>
      plainQuery(innerTable(readable(emptyResult(inner)), base)).map(query => ({ ...query, from: { query: inner } })),
    )
    .filter(query => hasNames(query) && !isFine(query))
}

/** Returns whether `align` fills buckets that are shorter than those of the inner query: a decade has too many hours. */
function isFine({ align, from, group_by }: PlainQuery): boolean {
  const [outer, inner] = [group_by, from?.query.group_by].map(keys => {
    const period = (keys ?? []).find(item => 'date_trunc' in item)?.['date_trunc'] as Period | undefined
    return period === undefined ? 0 : plus(0, period)
  }) as [number, number]
  return Boolean(align) && outer < inner
}

/** Returns whether all columns have a name of their own: a key can have that of an inner key, or of a function. */
function hasNames(query: PlainQuery): boolean {
  const names = emptyResult(query).map(({ name }) => name)
  return new Set(names).size === names.length
}

const hasBucket = ({ group_by }: PlainQuery): boolean => (group_by ?? []).some(item => 'date_trunc' in item)

/** Clauses that name some columns with their table. */
function whereText(table: string, kinds: Readonly<Record<string, Kind>>, names: readonly string[], base: number) {
  const full = (name: string) => `${table}.${name}`
  const all = { ...kinds, ...Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [full(name), kind])) }
  return whereClause(all, [...names, ...names, ...names, ...names.map(full)], base)
}

function subQuery(unnest: Item, base: number): fc.Arbitrary<Item> {
  const list = unnest['menstrual_cycle'] as string | undefined
  const kinds: Readonly<Record<string, Kind>> = list ? (LISTS[list] as Record<string, Kind>) : { element: 'text' }
  const scalar = (func: string, column: string): Item => ({
    func,
    arg: list ? { field_for: 'menstrual_cycle', [list]: column } : { element: true },
  })
  const selects = Object.entries(kinds).flatMap(([column, kind]) =>
    [...FUNCTIONS[kind], ...(kind === 'text' ? ['min', 'max'] : [])]
      .filter(func => !['oldest', 'newest', 'latest'].includes(func))
      .map(func => scalar(func, column)),
  )
  const where = fc.option(whereClause(kinds, Object.keys(kinds), base), { nil: undefined })
  return fc
    .tuple(fc.constantFrom<Item[]>({ func: 'count', arg: null }, ...selects), where)
    .map(([select, where]) => ({ select, from: { unnest }, ...(where === undefined ? {} : { where }) }))
}

/** Valid queries of a table, which the engine must answer. */
export function plainQuery(words: Vocabulary): fc.Arbitrary<PlainQuery> {
  return whereSome(words, fc.oneof({ weight: 1, arbitrary: rows(words) }, { weight: 5, arbitrary: grouped(words) }))
}

function whereSome(words: Vocabulary, queries: fc.Arbitrary<PlainQuery>): fc.Arbitrary<PlainQuery> {
  return fc
    .tuple(queries, fc.option(words.where, { nil: undefined, freq: 2 }))
    .map(([query, where]) => (where === undefined ? query : { ...query, where }))
    .filter(
      query => namesTable(query, words.table) && (words.table !== 'timeseries' || listResources(query).length > 0),
    )
}

/** Returns whether a query refers to the table: a row count by source refers to none. */
function namesTable(query: PlainQuery, table: string): boolean {
  const named = JSON.stringify([query.select, query.group_by ?? []])
  return [`"${table}"`, '"value_macro"'].some(word => named.includes(word))
}

/** Queries for plain columns. */
function rows(words: Vocabulary): fc.Arbitrary<PlainQuery> {
  const lists = words.lists ? [{ weight: 2, arbitrary: words.lists }] : []
  const item = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...words.items) },
    { weight: 1, arbitrary: fc.constantFrom(...words.sources, { index: words.table }) },
    { weight: 1, arbitrary: fc.constant({ index: words.table }) },
    ...lists,
  )
  const name = (each: Item) => toField(each, tableIn(words)).name
  return fc
    .tuple(fc.constantFrom(...words.items), fc.uniqueArray(item, { maxLength: 5, selector: name }))
    .map(([first, more]) => ({ select: [first, ...more.filter(each => name(each) !== name(first))] }))
}

function aggregate(words: Vocabulary): fc.Arbitrary<Item> {
  const lists = words.lists ? [{ weight: 12, arbitrary: words.lists }] : []
  const argument = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...words.items) },
    { weight: 1, arbitrary: fc.constant<Item>({ index: words.table }) },
    ...lists,
  )
  // the samples of several resources have no common mean time
  const isAllowed = (func: string, arg: Item) => !(func === 'mean' && arg['index'] === 'timeseries')
  const ofField = argument.chain(arg =>
    fc
      .constantFrom(...FUNCTIONS[toField(arg, tableIn(words)).kind].filter(func => isAllowed(func, arg)))
      .map((func): Item => ({ func, arg })),
  )
  return fc.oneof(
    { weight: 15, arbitrary: ofField },
    { weight: 1, arbitrary: fc.constant({ func: 'count', arg: null }) },
  )
}

/** Queries for functions, in total or in groups. */
function grouped(words: Vocabulary): fc.Arbitrary<PlainQuery> {
  const index = { index: words.table }
  const trunc = bucket.map((date_trunc): Item => ({ date_trunc, arg: index }))
  const parts = fc
    .subarray(PARTS, { maxLength: 3 })
    .map(list => list.map((date_part): Item => ({ date_part, arg: index })))
  const table = tableIn(words)
  const exact = words.items.filter(item => toField(item, table).exact)
  const columns =
    exact.length === 0
      ? fc.constant<Item[]>([])
      : fc.uniqueArray(fc.constantFrom(...exact), { maxLength: 2, selector: item => toField(item, table).name })
  const keys = fc.record({
    trunc: fc.option(trunc, { freq: 4 }),
    parts: fc.oneof({ weight: 3, arbitrary: fc.constant<Item[]>([]) }, { weight: 1, arbitrary: parts }),
    columns: fc.oneof({ weight: 3, arbitrary: fc.constant<Item[]>([]) }, { weight: 1, arbitrary: columns }),
    sources: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Item[]>([]) },
      { weight: 1, arbitrary: fc.subarray([...words.sources]) },
    ),
    order: fc.integer({ min: 0, max: 1000 }),
  })
  const functions = fc.uniqueArray(aggregate(words), {
    minLength: 1,
    maxLength: 6,
    selector: ({ func, arg }) => `${func === 'latest' ? 'newest' : func} ${toField(arg as Item | null, table).name}`,
  })
  return fc
    .record({ keys, functions, carry: carry, selected: fc.constantFrom('*', 'each', 'one', 'columns') })
    .map(({ keys, functions, carry, selected }): PlainQuery => {
      const names = keys.columns.map(item => toField(item, table).name)
      const sources = keys.sources.filter(item => !names.includes(item['source'] as string))
      // ten are allowed
      const list = [...(keys.trunc ? [keys.trunc] : []), ...keys.parts, ...keys.columns, ...sources].slice(0, 10)
      const turned = [...list.slice(keys.order % (list.length || 1)), ...list.slice(0, keys.order % (list.length || 1))]
      if (turned.length === 0) return { select: functions }
      const period = keys.trunc?.['date_trunc'] as Period | undefined
      // the oracle is too slow to fill weeks of one-minute buckets
      const spined = period !== undefined && (period.unit !== 'minute' || period.value >= 15)
      const aligned = carry !== null && spined && keys.parts.length === 0
      const select = [...keyItems(turned, aligned && selected === 'one' ? '*' : selected), ...functions]
      const query = { select: keys.order % 3 === 0 ? [...select].reverse() : select, group_by: turned }
      return aligned ? { ...query, align: { carry: fitting(carry, period) } } : query
    })
}

/** Returns the group keys in the select: all at once, one by one, only one, or the columns among them by their own names. */
function keyItems(keys: readonly Item[], how: string): readonly Item[] {
  if (how === '*') return [{ group_key: '*' }]
  if (how === 'one') return [{ group_key: keys.length - 1 }]
  return keys.map((key, at) => {
    const isColumn = !('date_trunc' in key) && !('date_part' in key)
    return how === 'columns' && isColumn ? key : { group_key: at }
  })
}

const carry = fc.option(
  fc.record({
    mode: fc.constantFrom('carry_forward' as const, 'carry_backward' as const, 'carry_nearest' as const),
    times: fc.option(fc.integer({ min: 1, max: 5 }), { freq: 3 }),
    days: fc.boolean(),
  }),
  { freq: 2 },
)

/** Returns a cap of this many buckets, or of as many days if that is at least one bucket. */
function fitting(
  { mode, times, days }: { mode: Carry['mode']; times: number | null; days: boolean },
  period: Period,
): Carry {
  const unit = days && period.unit === 'day' ? 'week' : days && period.unit === 'week' ? 'month' : period.unit
  const cap = times === null ? null : { unit, value: period.value * times }
  return mode === 'carry_nearest' ? { mode, span: cap } : { mode, max_age: cap }
}

/** The timeframe, the priorities and the engine's now for a call. */
export function asked(base: number): fc.Arbitrary<Asked> {
  const team = fc.record({
    dataType: fc.constantFrom(
      ...(['workouts', 'activity', 'sleep', 'body', 'timeseries', 'timeseries', 'sleep'] as const),
    ),
    provider: fc.constantFrom(...PROVIDERS),
    sourceType: fc.option(fc.constantFrom(...SOURCE_TYPES)),
    priority: fc.integer({ min: -1, max: 3 }),
  })
  return fc.record({
    anchor: fc
      .oneof(
        { weight: 3, arbitrary: dayNear(base, 4) },
        { weight: 2, arbitrary: dayNear(base + 20 * DAY, 20) },
        dayNear(base, 50),
      )
      .map(printDate),
    past,
    overrides: fc.oneof(fc.constant([]), fc.uniqueArray(fc.constantFrom(...PROVIDERS, 'labcorp'), { maxLength: 3 })),
    team: fc.uniqueArray(team, {
      maxLength: 8,
      selector: each => `${each.dataType} ${each.provider} ${each.sourceType}`,
    }),
    now: fc.oneof(dayNear(base, 5), dayNear(base, 90)).map(at => plus(at, { unit: 'minute', value: 777 })),
  })
}
