/**
 * Checks a continuous query and derives its plan, its bucket and the data that it reads. See docs/interface/aggregates.md#aggregates-13.
 */
import { DATA_TYPE_OF_TABLE } from '../../catalogue/priority-data-types.ts'
import type { Query, QueryBatch, Timeframe } from '../../contract/aggregates/aggregate.ts'
import type { HandlerInput } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import type { SummaryKind } from '../../core/sample.ts'
import { approximateYears, type Span, type Window } from '../aggregate/plan/calendar.ts'
import { tableOfItem } from '../aggregate/plan/items.ts'
import { type Plan, planQuery } from '../aggregate/plan/plan.ts'
import { type Loc, refuse } from '../aggregate/plan/refusal.ts'
import { planWindow } from '../aggregate/plan/window.ts'

/** The `query` property of a continuous query: one query of a batch, with a timeframe if the query is bound to one. */
export type ContinuousBody = HandlerInput<Operations['continuous_query.create']>['body']['query']

/** Maximum bucket length, because each run would have to read all data of a longer bucket. */
const MOST_BUCKET_YEARS = 10
const LOC: Loc = ['body', 'query']

export interface ContinuousPlan {
  /** The query, in which every placeholder is replaced with its table. */
  readonly query: Query
  readonly plan: Plan
  /** The bucket of the query's only date_trunc, and the index of this key among the group keys. */
  readonly span: Span
  readonly bucketKey: number
  /** The window to which the query is bound. Null means all of time. */
  readonly window: Window | null
  /** See `ContinuousQuery.reads`. */
  readonly reads: readonly string[]
}

/** Plans a continuous query. Throws a 422 for the invalid part of the body. */
export function planContinuous(body: ContinuousBody): ContinuousPlan {
  const { timeframe, ...given } = body
  if (given.from !== undefined) {
    const msg =
      'a continuous query cannot have an inner query, because it computes only the buckets whose data has changed. Run the ' +
      'query with aggregate.query, or store the inner query as a continuous one'
    throw refuse([...LOC, 'from'], msg)
  }
  if (given.merge === true) {
    const msg =
      'a continuous query cannot merge sources, because it computes only the buckets whose data has changed. Run the query with ' +
      'aggregate.query'
    throw refuse([...LOC, 'merge'], msg)
  }
  if (given.mixed_kinds === 'refuse' || given.mixed_kinds === 'split') {
    const msg = 'must be warn in a continuous query. Choose one kind with where, or list the kind in group_by'
    throw refuse([...LOC, 'mixed_kinds'], msg)
  }
  const query = resolved(given as Query)
  const plan = planQuery(query, LOC)
  const bucketKey = plan.keys.findIndex(key => key.kind === 'trunc')
  const key = plan.keys[bucketKey]
  if (key?.kind !== 'trunc') {
    throw refuse([...LOC, 'group_by'], 'a continuous query must group by exactly one date_trunc, and this one has none')
  }
  if (approximateYears(key.span) > MOST_BUCKET_YEARS) {
    const loc = [...LOC, 'group_by', bucketKey, 'date_trunc']
    throw refuse(loc, `a bucket of a continuous query must be at most ${MOST_BUCKET_YEARS} years long`, 'query_limit')
  }
  const selected = new Set(plan.outputs.flatMap(output => (output.kind === 'key' ? [output.key] : [])))
  const missing = plan.keys.flatMap((_, i) => (selected.has(i) ? [] : [i]))
  if (missing.length > 0) {
    const which = missing.length === 1 ? `group key ${missing[0]} is` : `group keys ${missing.join(', ')} are`
    throw refuse(
      [...LOC, 'select'],
      `a continuous query must select all its group keys, but ${which} missing. Select {"group_key": "*"}.`,
    )
  }
  return { query, plan, span: key.span, bucketKey, window: toWindow(timeframe), reads: listReads(plan) }
}

/** Replaces each placeholder with the index of the table that the rest of the query uses. */
function resolved(query: Query): Query {
  const items = [
    ...query.select.map((item, i) => ({ item, loc: [...LOC, 'select', i] })),
    ...(query.group_by ?? []).map((item, i) => ({ item, loc: [...LOC, 'group_by', i] })),
  ]
  let table: string | undefined
  for (const { item, loc } of items) table ??= tableOfItem(item, loc)
  if (table === undefined) return query
  const index = { index: table }
  const groupBy = query.group_by?.map(item =>
    ('date_trunc' in item || 'date_part' in item) && 'placeholder' in item.arg ? { ...item, arg: index } : item,
  )
  return { ...query, ...(groupBy ? { group_by: groupBy } : {}) }
}

function toWindow(timeframe: Timeframe | undefined): Window | null {
  if (timeframe === undefined || 'placeholder' in timeframe) return null
  return planWindow(timeframe, [...LOC, 'timeframe'])
}

/** Summary kinds in each table. A night also needs its stages. */
const KINDS_OF_TABLE: Readonly<Record<string, readonly SummaryKind[]>> = {
  sleep: ['sleep', 'sleep_cycle'],
  activity: ['activity'],
  workout: ['workouts'],
  body: ['body'],
  meal: ['meal'],
  menstrual_cycle: ['menstrual_cycle'],
  profile: ['profile'],
  derived_readiness: ['sleep', 'activity'],
}

function listReads({ table, resources }: Plan): readonly string[] {
  const followed = DATA_TYPE_OF_TABLE[table]
  return [
    ...resources.map(resource => `timeseries/${resource}`),
    ...(KINDS_OF_TABLE[table] ?? []).map(kind => `summary/${kind}`),
    ...(followed === undefined ? [] : [`priority/${followed}`]),
  ]
}

/** Returns the batch that runs the query over a window that ends at midnight. */
export function toBatch(query: Query, overrides: readonly string[] | null, timeframe: Timeframe): QueryBatch {
  return {
    timeframe,
    queries: [query],
    config: overrides === null ? null : { provider_priority_overrides: [...overrides] },
  }
}
