/**
 * The request and the JSON answer of an aggregate query (interface.md 4.9, interface-gaps 4.9): their structure only.
 */
import { z } from 'zod'
import { LATER_TABLES } from '../catalogue/query-columns.ts'
import { PERIOD_UNITS } from '../catalogue/query-functions.ts'

/** Tables whose columns are named `{table: column}`; which of them can be read is the engine's to say. */
export const COLUMN_TABLES = ['sleep', 'activity', ...LATER_TABLES] as const

const ARGUMENT_FORMS =
  '{"index": TABLE}, {"timeseries": RESOURCE, "field": FIELD} or {TABLE: COLUMN} as in {"sleep": "efficiency"}'
const SELECT_FORMS =
  `${ARGUMENT_FORMS}, {"group_key": "*" or a number}, {"source": COLUMN}, ` +
  'or {"func": FUNCTION, "arg": …}, with no other keys'
const GROUP_FORMS =
  '{"date_trunc": {"unit": …, "value": …}, "arg": {"index": TABLE}}, {"date_part": PART, "arg": {"index": TABLE}}, ' +
  '{"source": COLUMN}, {"timeseries": RESOURCE, "field": FIELD} or {TABLE: COLUMN}, with no other keys'

/** Says what a part of a query can look like, instead of a union's bare "Invalid input". */
const oneOf = (what: string, forms: string) => ({ error: () => `${what} is one of ${forms}` })

function build() {
  const period = z.strictObject({
    unit: z.enum(PERIOD_UNITS),
    value: z.int('value is a whole number of at least 1').min(1, 'value is a whole number of at least 1').default(1),
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
  const macro = z.strictObject({ value_macro: name, version: z.literal('automatic').optional() })
  const source = z.strictObject({ source: name })
  const subQuery = z.strictObject({
    select: z.unknown(),
    from: z.strictObject({ unnest: z.unknown() }),
    where: z.string().nullish(),
  })
  const argument = z.union(
    [index, timeseries, ...columns, macro, subQuery],
    oneOf('the argument of a function', ARGUMENT_FORMS),
  )
  const groupKey = z.strictObject({
    group_key: z.union([z.literal('*'), z.int()], oneOf('group_key', '"*" (all of them) or a whole number from 0')),
  })
  const aggregate = z.strictObject({ func: name, arg: argument })
  const selectItem = z.union(
    [aggregate, groupKey, index, timeseries, ...columns, macro, source, subQuery],
    oneOf('a select item', SELECT_FORMS),
  )
  const indexArgument = z.union([index, placeholder], oneOf('the argument of a group key', '{"index": TABLE}'))
  const groupItem = z.union(
    [
      z.strictObject({ date_trunc: period, arg: indexArgument }),
      z.strictObject({ date_part: name, arg: indexArgument }),
      timeseries,
      ...columns,
      macro,
      source,
    ],
    oneOf('a group key', GROUP_FORMS),
  )
  const query = z.strictObject({
    select: z.array(selectItem).min(1, 'a query selects at least one item'),
    group_by: z.array(groupItem).nullish(),
    where: z.string().nullish(),
    align: z.unknown().optional(),
  })
  const relative = z.strictObject({ type: z.literal('relative'), anchor: z.string(), past: period })
  const timeframe = z.union(
    [relative, placeholder],
    oneOf(
      'timeframe',
      '{"type": "relative", "anchor": "YYYY-MM-DD", "past": {"unit": UNIT, "value": a whole number from 1}}',
    ),
  )
  return z.strictObject({
    timeframe,
    queries: z.array(query).min(1, 'there is at least one query'),
    config: z.strictObject({ provider_priority_overrides: z.array(name).nullish() }).nullish(),
  })
}

type Schema = ReturnType<typeof build>
let batchSchema: Schema | undefined

/** The request body. What its names stand for, and the limits, the engine checks (src/engine/aggregate/plan.ts). */
export function queryBatch(): Schema {
  batchSchema ??= build()
  return batchSchema
}

/** A parsed request body. */
export type QueryBatch = z.output<Schema>
/** A request body as a caller writes it. */
export type QueryBatchInput = z.input<Schema>
export type Query = QueryBatch['queries'][number]
export type SelectItem = Query['select'][number]
export type GroupItem = NonNullable<Query['group_by']>[number]
export type Timeframe = QueryBatch['timeframe']
export type Period = Extract<Timeframe, { type: 'relative' }>['past']

const buildResponse = () =>
  z.object({
    results: z.array(
      z.object({ table: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))) }),
    ),
  })

type ResponseSchema = ReturnType<typeof buildResponse>
let responseSchema: ResponseSchema | undefined

/** The JSON answer: a table a query in the order of the request, each column an array of equal length. */
export function aggregationResponse(): ResponseSchema {
  responseSchema ??= buildResponse()
  return responseSchema
}
