/** Turns a question about one number into the aggregate query that returns it. See docs/interface/why.md#why-1. */
import { VALUE_MACROS } from '../../../catalogue/query/macros.ts'
import { summaryTable } from '../../../catalogue/query-columns.ts'
import { type Argument, type QueryBatch, queryBatch } from '../../../contract/aggregates/aggregate.ts'
import type { HandlerInput } from '../../../contract/kernel/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { invalid, ServiceError, type ValidationIssue } from '../../../core/errors.ts'
import { present } from '../../../core/present.ts'
import { DAY_MS, formatDate } from '../../../core/time.ts'
import type { QueryCall } from '../execute.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { PlannedAggregate } from '../plan/plan.ts'
import { planBatch } from '../run.ts'
import { parsePeriod } from './period.ts'

export type WhyAsked = HandlerInput<Operations['aggregate.why']>['query']

/** A question and the query that answers it. */
export interface Question {
  readonly batch: QueryBatch
  readonly planned: ReturnType<typeof planBatch>
  readonly aggregate: PlannedAggregate
  /** The column as `svc aggregate columns` names it: `steps.value`, `sleep.efficiency`. */
  readonly column: string
  /** Whether the period is a bucket, in which sources compete. */
  readonly isBucket: boolean
}

/** Checks a question. Throws a 422 that names the invalid parameter. */
export function planQuestion(asked: WhyAsked, call: QueryCall): Question {
  const { window, bucket } = parsePeriod(asked.period)
  const argument = argumentNamed(asked.column)
  const table = 'timeseries' in argument ? 'timeseries' : (Object.keys(argument)[0] as string)
  const index = 'value_macro' in argument ? 'sleep' : table
  const batch = queryBatch().parse({
    timeframe: {
      type: 'relative',
      anchor: formatDate(window.to - DAY_MS),
      // a timeframe in days would begin a day earlier
      past: { unit: 'hour', value: (window.to - window.from) / (DAY_MS / 24) },
    },
    queries: [
      {
        select: [{ func: asked.function, arg: argument }],
        ...(bucket && { group_by: [{ date_trunc: bucket, arg: { index } }] }),
        ...(asked.where !== undefined && { where: asked.where }),
        ...(asked.merge !== undefined && { merge: asked.merge }),
        ...(asked.mixed_kinds !== undefined && { mixed_kinds: asked.mixed_kinds }),
      },
    ],
  })
  const planned = inParameters(() => planBatch(batch, call, ['query']))
  const aggregate = present(planned.queries[0]?.plan.aggregates[0], 'the function of the question')
  return { batch, planned, aggregate, column: columnText(aggregate.argument), isBucket: bucket !== null }
}

/** Returns the column that a text names: `steps`, `blood_pressure.systolic`, `sleep.efficiency`, `sleep_score`. Its names are not checked. */
function argumentNamed(text: string): Exclude<Argument, null> {
  const [head, ...rest] = text.split('.') as [string, ...string[]]
  if (head === 'timeseries' && rest.length > 0) return sampleField(rest as [string, ...string[]])
  const name = rest.join('.')
  if (VALUE_MACROS.some(macro => macro.name === (name || head) && (name === '' || head === 'sleep')))
    return { value_macro: name || head }
  if (rest.length > 0 && summaryTable(head)) return { [head]: name } as Exclude<Argument, null>
  return sampleField([head, ...rest])
}

function sampleField([resource, ...field]: readonly [string, ...string[]]): Exclude<Argument, null> {
  return { timeseries: resource, field: field.length === 0 ? 'value' : field.join('.') }
}

function columnText(ref: ColumnRef): string {
  if (ref.kind === 'sample') return ref.name.includes('.') ? ref.name : `${ref.name}.value`
  return `${ref.table}.${ref.name}`
}

/** The parameter that a part of the query comes from. Every other part comes from the column. */
const PARAMETERS = { where: 'where', func: 'function', merge: 'merge', mixed_kinds: 'mixed_kinds', timeframe: 'period' }

/** Runs a check of the query. A 422 then names the parameter of the question. */
export function inParameters<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw toParameters(error)
  }
}

/** Returns an error about the query as one about the question. */
export function toParameters(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !Array.isArray(error.body['detail'])) return error
  const issues = (error.body['detail'] as readonly ValidationIssue[]).map(issue => {
    const part = issue.loc.findLast(each => typeof each === 'string' && Object.hasOwn(PARAMETERS, each))
    return { ...issue, loc: ['query', part === undefined ? 'column' : PARAMETERS[part as keyof typeof PARAMETERS]] }
  })
  return invalid(issues, error.code, error.suggestions)
}
