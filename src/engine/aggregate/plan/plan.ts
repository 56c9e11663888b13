/** Turns a parsed query into a plan: finds its table, resolves its columns, names its outputs and checks its limits. */
import {
  AGGREGATE_FUNCTIONS,
  type AggregateFunction,
  aggregateFunction,
  FUNCTION_NAMES,
  QUERY_LIMITS,
  resultType,
} from '../../../catalogue/query-functions.ts'
import type { InnerQuery, Query, SelectItem } from '../../../contract/aggregates/aggregate.ts'
import { present } from '../../../core/present.ts'
import type { QueryDefaults } from '../../../store/team.ts'
import { type Alignment, planAlign } from './align-plan.ts'
import { type ColumnRef, sameColumn } from './columns.ts'
import { tableOfItem } from './items.ts'
import { type GroupKey, keyType, planKeys } from './keys.ts'
import { mixableResources, withKindGroups } from './kinds.ts'
import { type Loc, refuse, refuseName } from './refusal.ts'
import { type InnerColumn, innerScope, type Scope, tableScope } from './scope.ts'
import { type Predicate, parseWhere, predicateColumns } from './where.ts'

export interface PlannedAggregate {
  readonly func: AggregateFunction
  readonly argument: ColumnRef
}

/** One column of the result. */
export type Output =
  | { readonly kind: 'key'; readonly name: string; readonly key: number }
  | { readonly kind: 'aggregate'; readonly name: string; readonly aggregate: number }
  /** A plain column of a query without functions. */
  | { readonly kind: 'column'; readonly name: string; readonly ref: ColumnRef }

export interface Plan {
  readonly table: string
  /** REST path names of the resources in the timeseries table. Empty for summary tables. */
  readonly resources: readonly string[]
  readonly where: Predicate | null
  readonly keys: readonly GroupKey[]
  readonly aggregates: readonly PlannedAggregate[]
  /** Outputs in request order: either keys and aggregates, or columns. */
  readonly outputs: readonly Output[]
  /** Null if buckets without data get no row. */
  readonly align: Alignment | null
  /** Whether the rows are merged before they are grouped. */
  readonly merges: boolean
  /** The query whose result is this query's table. Its last output is the index of its rows. Null if the query reads a stored table. */
  readonly inner: Plan | null
}

/** Plans one query. `loc` is the query's path in the body. Throws a 422 for the invalid part. */
export function planQuery(query: Query, loc: Loc, defaults?: QueryDefaults): Plan {
  const plan = planGiven(query, loc, defaults)
  const splits = (query.mixed_kinds ?? defaults?.mixedKinds) === 'split'
  const mixable = splits ? mixableResources(plan.inner ?? plan) : []
  return mixable.length === 0 ? plan : planGiven(withKindGroups(query, mixable), loc, defaults)
}

function planGiven(query: Query, loc: Loc, defaults: QueryDefaults | undefined): Plan {
  const merges = query.merge ?? (defaults?.merges ? 'where possible' : false)
  if (query.from === undefined) {
    const plan = planOver(query, tableScope(resolveTable(query, loc)), null, loc)
    return withMerge(plan, merges, loc)
  }
  const inner = withMerge(planInner(query.from.query, [...loc, 'from', 'query']), merges, loc)
  return planOver(query, innerScope(inner.outputs.slice(0, -1).map(each => resultColumn(each, inner))), inner, loc)
}

/** The tables that can be merged. */
const MERGED_TABLES = ['timeseries', 'sleep', 'workout']

function withMerge(plan: Plan, asked: boolean | 'where possible', loc: Loc): Plan {
  const isMerged = MERGED_TABLES.includes(plan.table)
  const merges = asked === 'where possible' ? isMerged : asked
  if (merges && !isMerged) {
    const msg = `only the tables ${MERGED_TABLES.join(', ')} are merged, and this query reads ${plan.table}. Leave merge out.`
    throw refuse([...loc, 'merge'], msg)
  }
  const ofMerge = merges ? undefined : planColumns(plan).find(isMergedColumn)
  if (ofMerge)
    throw refuse(loc, `${ofMerge.name} is a column of merged rows. Add "merge": true to the query (--merge).`)
  return { ...plan, merges }
}

/** Returns all table columns that a plan needs. */
export function planColumns({ outputs, aggregates, keys, where }: Plan): readonly ColumnRef[] {
  return [
    ...outputs.flatMap(output => (output.kind === 'column' ? [output.ref] : [])),
    ...aggregates.map(({ argument }) => argument),
    ...keys.flatMap(key => (key.kind === 'column' ? [key.ref] : [])),
    ...(where ? predicateColumns(where) : []),
  ]
}

/** Returns whether only merged rows have a column. */
export function isMergedColumn(ref: ColumnRef): boolean {
  return ref.kind === 'summary' && ref.column.origin.kind === 'merged'
}

/** Plans an inner query. Its rows need a time: the start of their bucket. */
function planInner(query: InnerQuery, loc: Loc): Plan {
  const plan = planOver(query, tableScope(resolveTable(query, loc)), null, loc)
  const key = plan.keys.findIndex(({ kind }) => kind === 'trunc')
  if (key === -1) {
    const msg =
      'an inner query must group by a date_trunc, such as one day: its buckets are the rows of the outer query'
    throw refuse([...loc, 'group_by'], msg)
  }
  return { ...plan, outputs: [...plan.outputs, { kind: 'key', name: 'index', key }] }
}

/** Returns the name and type of an output of a grouped query. */
function resultColumn(output: Output, { keys, aggregates }: Plan): InnerColumn {
  const { name } = output
  if (output.kind === 'column') return { name, type: output.ref.type }
  if (output.kind === 'key') return { name, type: keyType(present(keys[output.key], 'a group key')) }
  const { func, argument } = present(aggregates[output.aggregate], 'an aggregate')
  return { name, type: resultType(func, argument.type) }
}

function planOver(query: InnerQuery, scope: Scope, inner: Plan | null, loc: Loc): Plan {
  const { select } = query
  const groupBy = query.group_by ?? []
  atMost(select.length, QUERY_LIMITS.selectItems, 'select items', [...loc, 'select'])
  atMost(groupBy.length, QUERY_LIMITS.groupKeys, 'group keys', [...loc, 'group_by'])
  const { table } = scope
  const keys = planKeys(groupBy, scope, [...loc, 'group_by'])
  const whereLoc = [...loc, 'where']
  const where =
    typeof query.where === 'string' ? parseWhere(query.where, name => scope.identifier(name, whereLoc), whereLoc) : null
  const { aggregates, outputs } = planSelect(select, scope, keys, [...loc, 'select'])
  const selected = new Set(outputs.flatMap(output => (output.kind === 'key' ? [output.key] : [])))
  const align = query.align ? planAlign(query.align, keys, selected, loc) : null
  const plan = { table, where, keys, aggregates, outputs, align, inner, merges: false }
  return { ...plan, resources: table === 'timeseries' ? listResources(plan, loc) : [] }
}

function atMost(count: number, limit: number, what: string, loc: Loc): void {
  if (count > limit) throw refuse(loc, `must have at most ${limit} ${what}, but has ${count}`, 'query_limit')
}

/** Returns the table that all items of a query read, as determined by the first item with a table. Throws a 422 if no item has a table. */
function resolveTable(query: InnerQuery, loc: Loc): string {
  for (const [i, item] of query.select.entries()) {
    const table = tableOfItem(item, [...loc, 'select', i])
    if (table !== undefined) return table
  }
  for (const [i, item] of (query.group_by ?? []).entries()) {
    const table = tableOfItem(item, [...loc, 'group_by', i])
    if (table !== undefined) return table
  }
  throw refuse([...loc, 'select'], 'must name a table. Select a column, an index or a function of one.')
}

function planSelect(select: readonly SelectItem[], scope: Scope, keys: readonly GroupKey[], loc: Loc) {
  const aggregates: PlannedAggregate[] = []
  const drafts: (Output & { readonly at: number })[] = []
  const grouped = keys.length > 0
  const aggregated = grouped || select.some(item => 'func' in item)
  for (const [at, item] of select.entries()) {
    const itemLoc = [...loc, at]
    if ('func' in item) {
      const planned = planAggregate(item, scope, itemLoc)
      drafts.push({ kind: 'aggregate', name: planned.func.name, aggregate: aggregates.push(planned) - 1, at })
    } else if ('group_key' in item) {
      for (const key of selectedKeys(item.group_key, keys, [...itemLoc, 'group_key'])) {
        drafts.push({ kind: 'key', name: `group_key.${key}`, key, at })
      }
    } else {
      drafts.push({ ...planPlain(item, scope, keys, aggregated, itemLoc), at })
    }
  }
  const outputs = named(drafts, aggregates)
  checkNames(outputs, loc)
  return { aggregates, outputs: outputs.map(({ at: _, ...output }) => output as Output) }
}

function planAggregate(item: Extract<SelectItem, { func: string }>, scope: Scope, loc: Loc): PlannedAggregate {
  const func = aggregateFunction(item.func)
  if (!func) throw refuseName([...loc, 'func'], 'function', item.func, FUNCTION_NAMES, 'invalid_request')
  if (item.arg === null && func.name !== 'count') {
    throw refuse([...loc, 'arg'], `null counts rows, which only count does. Give ${func.name} a column.`)
  }
  // null counts rows, so use the index, which every row has
  const argument = scope.column(item.arg ?? { index: scope.table }, [...loc, 'arg'])
  if (!func.takes.includes(argument.type)) {
    const fitting = AGGREGATE_FUNCTIONS.filter(each => each.takes.includes(argument.type)).map(each => each.name)
    const what = `${func.name} does not apply to ${argument.name}, a column of type ${argument.type}`
    throw refuse([...loc, 'func'], `${what}. Allowed: ${fitting.join(', ')}`)
  }
  if (func.name === 'mean' && argument.kind === 'index' && scope.table === 'timeseries') {
    throw refuse(
      [...loc, 'func'],
      'mean does not apply to the index of the timeseries table, whose rows belong to several resources. Take the mean of a time in ' +
        'another table, such as {"index": "sleep"}.',
    )
  }
  return { func, argument }
}

/** Returns the selected keys. `"*"` selects every key, and a number selects the key at that index, starting at 0. */
function selectedKeys(wanted: '*' | number, keys: readonly GroupKey[], loc: Loc): readonly number[] {
  if (keys.length === 0) throw refuse(loc, 'there are no group keys to select, because the query has no group_by')
  if (wanted === '*') return keys.map((_, i) => i)
  if (wanted >= 0 && wanted < keys.length) return [wanted]
  throw refuse(loc, `there is no group key ${wanted}. Group keys are numbered 0 to ${keys.length - 1}.`)
}

/** Plans a bare column. An ungrouped query can select any column, but a grouped query can select only the columns that it groups by. */
function planPlain(
  item: Exclude<SelectItem, { func: string } | { group_key: unknown }>,
  scope: Scope,
  keys: readonly GroupKey[],
  aggregated: boolean,
  loc: Loc,
): Output {
  const ref = scope.column(item, loc)
  if (!aggregated) return { kind: 'column', name: ref.name, ref }
  const key = keys.findIndex(each => each.kind === 'column' && sameColumn(each.ref, ref))
  if (key >= 0) return { kind: 'key', name: ref.name, key }
  const rule =
    'In a query with functions or group keys, a column must be the argument of a function or listed in group_by.'
  throw refuse(loc, `${ref.name} cannot be selected by itself. ${rule}`)
}

/**
 * Names each aggregate by its function alone if all aggregates have the same argument, and `func.column` otherwise. See
 * docs/interface/aggregates.md#aggregates-11.
 */
function named<T extends Output>(drafts: readonly T[], aggregates: readonly PlannedAggregate[]): readonly T[] {
  const [first] = aggregates
  const alone = first !== undefined && aggregates.every(each => sameColumn(each.argument, first.argument))
  return drafts.map(draft => {
    if (draft.kind !== 'aggregate' || alone) return draft
    const { func, argument } = present(aggregates[draft.aggregate], 'an aggregate')
    return { ...draft, name: `${func.name}.${argument.name}` }
  })
}

function checkNames(outputs: readonly (Output & { readonly at: number })[], loc: Loc): void {
  const seen = new Set<string>()
  for (const { name, at } of outputs) {
    if (seen.has(name))
      throw refuse([...loc, at], `the result would have two columns named ${name}. Remove one of them.`)
    seen.add(name)
  }
}

/** Returns all resources named in a query. They make up its timeseries table. */
function listResources(plan: Omit<Plan, 'resources'>, loc: Loc): readonly string[] {
  const resources = new Set<string>()
  const add = (ref: ColumnRef): void => {
    if ('resource' in ref && ref.resource !== null) resources.add(ref.resource)
  }
  for (const output of plan.outputs) if (output.kind === 'column') add(output.ref)
  for (const { argument } of plan.aggregates) add(argument)
  for (const key of plan.keys) if (key.kind === 'column') add(key.ref)
  if (plan.where) for (const ref of predicateColumns(plan.where)) add(ref)
  if (resources.size > 0) return [...resources]
  throw refuse([...loc, 'select'], 'a timeseries query must name at least one resource in select, group_by or where')
}
