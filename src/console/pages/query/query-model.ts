/** The builder's model of a query, and its conversion to the service's JSON and back. */
import { fieldsOf } from '../../api/body.ts'
import type { Input, ResponseOf } from '../../api/call.ts'

export type Batch = NonNullable<Input<'aggregate.query'>['body']>
export type Words = ResponseOf<'aggregate.columns'>

/** The JSON that refers to a column. */
export type Expression = Readonly<Record<string, string>>

export interface SelectedItem {
  /** Function name; empty for the column itself. */
  readonly func: string
  /** Column name as on the command line, such as sleep.efficiency or glucose.value; see `nameOf`. */
  readonly column: string
}

export type GroupItem =
  | { readonly kind: 'period'; readonly unit: string; readonly value: number }
  | { readonly kind: 'part'; readonly part: string }
  | { readonly kind: 'column'; readonly column: string }

export interface Model {
  readonly past: { readonly unit: string; readonly value: number }
  /** Last day of the window, YYYY-MM-DD. */
  readonly anchor: string
  readonly select: readonly SelectedItem[]
  readonly groupBy: readonly GroupItem[]
  readonly where: string
  /** Whether sources are merged before rows are grouped. */
  readonly merge: boolean
  readonly mixedKinds: MixedKinds
}

/** What happens if a function would mix values of several kinds. */
export type MixedKinds = NonNullable<Batch['queries'][number]['mixed_kinds']>

const MIXED_KINDS: readonly MixedKinds[] = ['warn', 'split', 'refuse']

/** A column with its builder name. */
export interface NamedColumn {
  readonly name: string
  readonly type: string
  readonly meaning: string
  /** Unit of a number; null if it has none. */
  readonly unit: string | null
  readonly table: string
  readonly expression: Expression
}

export type NamedColumns = ReadonlyMap<string, NamedColumn>

/** Returns the columns that a query can refer to directly, by builder name. */
export function namedColumns(words: Words): NamedColumns {
  const named = words.tables.flatMap(({ table, columns }) =>
    columns.flatMap(({ column, type, meaning, unit, expression }) => {
      if (expression === null) return []
      // sample column names already begin with their resource
      const name = table === 'timeseries' && column !== 'index' ? column : `${table}.${column}`
      return [[name, { name, type, meaning, unit, table, expression }] as const]
    }),
  )
  return new Map(named)
}

/** Returns an initial query: the hours of a day, such as 2026-11-20. */
export function firstModel(today: string): Model {
  return {
    // a number of days would also include the day before
    past: { unit: 'hour', value: 24 },
    anchor: today,
    select: [{ func: 'sum', column: 'steps.value' }],
    groupBy: [{ kind: 'period', unit: 'hour', value: 1 }],
    where: '',
    merge: false,
    mixedKinds: 'warn',
  }
}

/** Conditions by the type of a column. */
const EXAMPLES: Readonly<Record<string, string>> = { float: '> 0', int: '> 0', text: "= 'text'", bool: '= false' }

/** Returns an example condition on the first suitable column of the query, or else on its sources. */
export function exampleWhere({ select }: Model, columns: NamedColumns): string {
  for (const { column } of select) {
    const { name, type, expression = {} } = columns.get(column) ?? {}
    const example = EXAMPLES[type ?? '']
    if (example && !('value_macro' in expression || 'index' in expression)) return `${name} ${example}`
  }
  return "source_provider = 'oura'"
}

/** Returns the request body. Unknown columns are passed on unchanged, and the service reports the problem. */
export function buildBatch(model: Model, columns: NamedColumns): Batch {
  const { past, anchor, select, groupBy, where, merge, mixedKinds } = model
  const table = columns.get(select.find(({ column }) => columns.has(column))?.column ?? '')?.table ?? 'timeseries'
  const named = (column: string): Expression => columns.get(column)?.expression ?? unknownColumn(column)
  const items = select.map(({ func, column }) => (func === '' ? named(column) : { func, arg: named(column) }))
  const groups = groupBy.map(group => {
    if (group.kind === 'column') return named(group.column)
    const arg = { index: table }
    if (group.kind === 'part') return { date_part: group.part, arg }
    return { date_trunc: { unit: group.unit, value: group.value }, arg }
  })
  const keys = groups.length === 0 ? [] : [{ group_key: '*' }]
  const query = {
    select: [...keys, ...items],
    ...(groups.length === 0 ? {} : { group_by: groups }),
    ...(where.trim() === '' ? {} : { where }),
    ...(merge ? { merge } : {}),
    // the default of the service
    ...(mixedKinds === 'warn' ? {} : { mixed_kinds: mixedKinds }),
  }
  // names are only text here; the service checks whether they exist
  return { timeframe: { type: 'relative', anchor, past }, queries: [query] } as Batch
}

function unknownColumn(column: string): Expression {
  const [table = column, name = ''] = column.split('.')
  return { [table]: name }
}

/** Converts a request body to the builder's model, or returns null if the builder cannot show all of it. */
export function readModel(batch: unknown, columns: NamedColumns): Model | null {
  const { timeframe, queries, config } = fieldsOf(batch)
  if (!Array.isArray(queries) || queries.length !== 1 || (config !== undefined && config !== null)) return null
  const { type, anchor, past } = fieldsOf(timeframe)
  const { unit, value = 1 } = fieldsOf(past)
  const { select, group_by = [], where = '', align, merge, mixed_kinds, ...other } = fieldsOf(queries[0])
  const isPlain =
    type === 'relative' && typeof anchor === 'string' && typeof unit === 'string' && typeof value === 'number'
  const mixedKinds = MIXED_KINDS.find(each => each === (mixed_kinds ?? 'warn'))
  if (!mixedKinds || typeof (merge ?? false) !== 'boolean') return null
  if (!isPlain || align || Object.keys(other).length > 0 || typeof (where ?? '') !== 'string') return null
  if (!Array.isArray(select) || !Array.isArray(group_by ?? [])) return null
  const byExpression = new Map([...columns.values()].map(each => [expressionKey(each.expression), each.name]))
  const groups = ((group_by ?? []) as unknown[]).map(each => readGroup(each, byExpression))
  const keys = select.filter(each => fieldsOf(each)['group_key'] === '*')
  const items = select.filter(each => fieldsOf(each)['group_key'] !== '*').map(each => readItem(each, byExpression))
  const areKeysFirst = groups.length === 0 ? keys.length === 0 : keys.length === 1 && select[0] === keys[0]
  if (!areKeysFirst || !all(groups) || !all(items) || items.length === 0) return null
  const texts = { where: (where as string | null) ?? '', mixedKinds }
  return { past: { unit, value }, anchor, select: items, groupBy: groups, merge: merge === true, ...texts }
}

function readItem(item: unknown, names: ReadonlyMap<string, string>): SelectedItem | null {
  const { func, arg, ...rest } = fieldsOf(item)
  const column = names.get(expressionKey(func === undefined ? rest : fieldsOf(arg)))
  if (column === undefined || (func !== undefined && (typeof func !== 'string' || Object.keys(rest).length > 0)))
    return null
  return { func: func ?? '', column }
}

/** Reads a group of a query; null if it is of a column without a name. */
export function readGroup(group: unknown, names: ReadonlyMap<string, string>): GroupItem | null {
  const { date_trunc, date_part, arg: _arg, ...rest } = fieldsOf(group)
  if (typeof date_part === 'string') return { kind: 'part', part: date_part }
  if (date_trunc !== undefined) {
    const { unit, value = 1 } = fieldsOf(date_trunc)
    return typeof unit === 'string' && typeof value === 'number' ? { kind: 'period', unit, value } : null
  }
  const column = names.get(expressionKey(rest))
  return column === undefined ? null : { kind: 'column', column }
}

/** Returns a key for comparing expressions: equal for the same keys and values, in any order, ignoring `version`. */
export function expressionKey(expression: Readonly<Record<string, unknown>>): string {
  const { version: _version, ...named } = expression
  return JSON.stringify(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function all<T>(list: readonly (T | null)[]): list is readonly T[] {
  return list.every(each => each !== null)
}
