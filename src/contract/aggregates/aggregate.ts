/** The structure of an aggregate query's request and JSON response. See docs/interface/aggregates.md. */
import * as z from 'zod'
import { MIXED_KINDS } from '../../catalogue/kinds.ts'
import { PERIOD_UNITS } from '../../catalogue/query-functions.ts'
import { kept } from '../kernel/primitives.ts'
import { queryWarning } from './warnings.ts'

/** Media type of an archive with one Parquet file per query. */
export const AGGREGATE_PARQUET = 'application/vnd.service.tar+gzip+parquet'

/** Tables whose columns are named `{table: column}`: every table except timeseries. */
export const COLUMN_TABLES = [
  'sleep',
  'activity',
  'workout',
  'body',
  'meal',
  'menstrual_cycle',
  'profile',
  'derived_readiness',
] as const

/** The table that an outer query reads: `{query: COLUMN}` is a column of its inner query's result. */
export const INNER_TABLE = 'query'

/** How `align` fills an empty cell. See docs/interface/aggregates.md#aggregates-6. */
export const CARRY_MODES = ['carry_forward', 'carry_backward', 'carry_nearest'] as const
export type CarryMode = (typeof CARRY_MODES)[number]

const COLUMN_FORMS = '{TABLE: COLUMN} such as {"sleep": "efficiency"}, {"timeseries": RESOURCE, "field": FIELD}'
const MACRO_FORM = '{"value_macro": MACRO, "version": "automatic"}'
const LIST_FORMS = '{"menstrual_cycle": LIST} or {"timeseries": "note", "field": "tags"}'
const ELEMENT_FORMS = '{"element": true}, {"field_for": "menstrual_cycle", LIST: FIELD}, or null to count'
const SUB_QUERY_FORM = '{"select": {"func": FUNCTION, "arg": …}, "from": {"unnest": …}, "where": TEXT}'
const ARGUMENT_FORMS = `{"index": TABLE}, ${COLUMN_FORMS}, ${MACRO_FORM}, ${SUB_QUERY_FORM}, or null to count rows`
const SELECT_FORMS =
  `{"index": TABLE}, ${COLUMN_FORMS}, ${MACRO_FORM}, ${SUB_QUERY_FORM}, {"group_key": "*" or a number}, ` +
  '{"source": COLUMN}, or {"func": FUNCTION, "arg": …}, with no other keys'
const GROUP_FORMS =
  '{"date_trunc": {"unit": …, "value": …}, "arg": {"index": TABLE}}, {"date_part": PART, "arg": {"index": TABLE}}, ' +
  `${COLUMN_FORMS}, ${MACRO_FORM} or {"source": COLUMN}, with no other keys`

/** Replaces a union's bare "Invalid input" with a list of the forms that this part of a query can have. */
const oneOf = (what: string, forms: string) => ({ error: () => `${what} must be one of ${forms}` })

function build() {
  const period = z.strictObject({
    unit: z.enum(PERIOD_UNITS),
    value: z.int('must be a whole number of at least 1').min(1, 'must be a whole number of at least 1').default(1),
  })
  const name = z.string().min(1)
  const placeholder = z.strictObject({ placeholder: z.literal(true) })
  const index = z.strictObject({ index: name })
  const [sleep, activity, workout, body, meal, menstrualCycle, profile, readiness] = [
    z.strictObject({ sleep: name }),
    z.strictObject({ activity: name }),
    z.strictObject({ workout: name }),
    z.strictObject({ body: name }),
    z.strictObject({ meal: name }),
    z.strictObject({ menstrual_cycle: name }),
    z.strictObject({ profile: name }),
    z.strictObject({ derived_readiness: name }),
  ]
  const columns = [sleep, activity, workout, body, meal, menstrualCycle, profile, readiness] as const
  const timeseries = z.strictObject({ timeseries: name, field: name })
  const innerColumn = z.strictObject({ query: name })
  const macro = z.strictObject({ value_macro: name, version: z.literal('automatic').optional() })
  const source = z.strictObject({ source: name })
  const list = z.union([menstrualCycle, timeseries], oneOf('a list to unnest', LIST_FORMS))
  const element = z.union(
    // the only other key is a list; the engine checks that it is the unnested list
    [z.strictObject({ element: z.literal(true) }), z.object({ field_for: name }).catchall(name)],
    oneOf('the argument of a list function', ELEMENT_FORMS),
  )
  const subQuery = z.strictObject({
    select: z.strictObject({ func: name, arg: element.nullable() }),
    from: z.strictObject({ unnest: list }),
    where: z.string().nullish(),
  })
  const argument = z.union(
    [index, timeseries, ...columns, innerColumn, macro, subQuery],
    oneOf('the argument of a function', ARGUMENT_FORMS),
  )
  const groupKey = z.strictObject({
    group_key: z.union(
      [z.literal('*'), z.int()],
      oneOf('group_key', '"*" (all group keys) or a whole number of at least 0'),
    ),
  })
  const aggregate = z.strictObject({ func: name, arg: argument.nullable() })
  const selectItem = z.union(
    [aggregate, groupKey, index, timeseries, ...columns, innerColumn, macro, source, subQuery],
    oneOf('a select item', SELECT_FORMS),
  )
  const indexArgument = z.union([index, placeholder], oneOf('the argument of a group key', '{"index": TABLE}'))
  const groupItem = z.union(
    [
      z.strictObject({ date_trunc: period, arg: indexArgument }),
      z.strictObject({ date_part: name, arg: indexArgument }),
      timeseries,
      ...columns,
      innerColumn,
      macro,
      source,
    ],
    oneOf('a group key', GROUP_FORMS),
  )
  const inner = z.strictObject({
    select: z.array(selectItem).min(1, 'must select at least one item'),
    group_by: z.array(groupItem).nullish(),
    where: z.string().nullish(),
    align: z.strictObject({ carry: carrySchema(period) }).nullish(),
  })
  // an inner query cannot have another inner query
  const query = inner.extend({
    from: z.strictObject({ query: inner }).optional(),
    merge: z.boolean('must be true or false').nullish(),
    mixed_kinds: z.enum(MIXED_KINDS, `must be one of ${MIXED_KINDS.join(', ')}`).nullish(),
  })
  const relative = z.strictObject({ type: z.literal('relative'), anchor: z.string(), past: period })
  const timeframe = z.union(
    [relative, placeholder],
    oneOf(
      'timeframe',
      '{"type": "relative", "anchor": "YYYY-MM-DD", "past": {"unit": UNIT, "value": a whole number of at least 1}}',
    ),
  )
  return z.strictObject({
    timeframe,
    queries: z.array(query).min(1, 'must contain at least one query'),
    config: z.strictObject({ provider_priority_overrides: z.array(name).nullish() }).nullish(),
  })
}

/**
 * Returns the schema of `carry`. The cap is the maximum distance over which a value is carried. Without a cap, a value is carried across
 * all buckets.
 */
function carrySchema<P extends z.ZodType>(period: P) {
  const cap = period.nullish()
  const modes = `one of ${CARRY_MODES.join(', ')}`
  return z.discriminatedUnion(
    'mode',
    [
      z.strictObject({ mode: z.literal('carry_forward'), max_age: cap }),
      z.strictObject({ mode: z.literal('carry_backward'), max_age: cap }),
      z.strictObject({ mode: z.literal('carry_nearest'), span: cap }),
    ],
    { error: issue => (issue.code === 'invalid_union' ? `the mode of carry must be ${modes}` : undefined) },
  )
}

/** Returns the schema of the request body. The engine checks names and limits (src/engine/aggregate/plan/plan.ts). */
export const queryBatch = kept(build)

type Schema = ReturnType<typeof build>

/** A parsed request body. */
export type QueryBatch = z.output<Schema>
/** A request body as a caller sends it. */
export type QueryBatchInput = z.input<Schema>
export type Query = QueryBatch['queries'][number]
/** An inner query, whose result an outer query reads. */
export type InnerQuery = NonNullable<Query['from']>['query']
export type SelectItem = Query['select'][number]
export type GroupItem = NonNullable<Query['group_by']>[number]
/** The argument of a function; null to count rows. */
export type Argument = Extract<SelectItem, { func: string }>['arg']
export type SubQuery = Extract<SelectItem, { from: unknown }>
export type Align = NonNullable<Query['align']>
export type Timeframe = QueryBatch['timeframe']
export type Period = Extract<Timeframe, { type: 'relative' }>['past']

/** A table's columns by name, as arrays of equal length. */
export const tableColumns = () =>
  z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))

/** Returns the schema of the JSON response: one table per query, in request order. Merged tables have warnings. */
export const aggregationResponse = kept(() =>
  z.object({ results: z.array(z.object({ table: tableColumns(), warnings: z.array(queryWarning()).optional() })) }),
)
