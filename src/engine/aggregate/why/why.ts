/** Explains one number: computes it with the query engine, and lists what made it. See docs/interface/why.md. */
import { columnUnit } from '../../../catalogue/query/column-unit.ts'
import { fieldUnit, summaryTable } from '../../../catalogue/query-columns.ts'
import { resultType } from '../../../catalogue/query-functions.ts'
import { isDivisible, resourceNamed } from '../../../catalogue/resources.ts'
import type { WhyDocument } from '../../../contract/aggregates/why.ts'
import { present } from '../../../core/present.ts'
import { type EpochMs, formatFloating, formatInstant } from '../../../core/time.ts'
import type { Executed, QueryCall, QueryUser } from '../execute.ts'
import { mergeOrder, mergeReason, sourceOrder, whyBetter } from '../functions/priority.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { executeStored, responseColumns } from '../run.ts'
import { readinessFormula } from '../scan/readiness.ts'
import type { QuerySource } from '../scan/source.ts'
import { Trace } from '../trace.ts'
import { refuseMixedKinds, warningsAbout } from '../warnings.ts'
import { type Cell, cellOf } from './cells.ts'
import { CollectedRows } from './collected-rows.ts'
import type { OriginsAsked } from './origins.ts'
import { planQuestion, type Question, toParameters, type WhyAsked } from './question.ts'
import { listRecords } from './record-list.ts'
import type { RowsFound } from './rows-found.ts'
import { rulesNamed } from './rules.ts'
import { listSamples } from './sample-list.ts'
import { summaryOf } from './wording.ts'

/** Where the data and its history come from. */
export interface WhySource {
  readonly source: QuerySource
  readonly origins: OriginsAsked
  /** The time of the data; null for the present. */
  readonly asOf: EpochMs | null
}

/** Returns the document that explains a number, without a signature. Throws a 422 for an invalid question. */
export async function explainNumber(
  { source, origins, asOf }: WhySource,
  user: QueryUser,
  asked: WhyAsked,
  call: QueryCall,
): Promise<WhyDocument> {
  const question = planQuestion(asked, call)
  const { planned, aggregate, batch } = question
  const { plan, refusesMixedKinds, loc } = present(planned.queries[0], 'the only query')
  const collected = new CollectedRows()
  const trace = new Trace(() => 0, undefined, collected)
  const query = { plan, window: planned.window, user, call, loc }
  const executed = await executeStored(source, query, [], trace)
  const order = sourceOrder([], call.priorities, plan.table)
  if (refusesMixedKinds) refuseAsParameter(executed, order, loc)
  const columns = await responseColumns(executed, query, [])
  const values = present(columns[0], 'the column of the function').values
  const kinds = columns[1]?.values ?? null
  const { func, argument } = aggregate
  const type = resultType(func, argument.type)
  const cells = Array.from(values, value => cellOf(type, value, executed.pool))
  const [value] = cells
  const ranking = { overrides: [], ...call }
  const found = await findRows({
    ...{ question, executed, collected, origins },
    ...{ limit: asked.limit, zone: user.fallbackTimeZone ?? 'UTC' },
    order: plan.merges ? mergeOrder(ranking, plan.table).compare : order,
    winners: order,
    why: plan.merges ? mergeReason(ranking, plan.table) : whyBetter([], call.priorities, plan.table),
    signal: call.signal,
  })
  const { sources, leftOut } = found
  const { window } = planned
  const { defaults } = call
  return {
    question: {
      user_id: user.userId,
      function: func.name,
      column: question.column,
      period: asked.period,
      from: formatFloating(window.from),
      to: formatFloating(window.to),
      time_zone: user.fallbackTimeZone ?? 'UTC',
      where: asked.where ?? null,
      merge: plan.merges,
      merge_from: asked.merge === undefined ? 'team' : 'request',
      mixed_kinds: asked.mixed_kinds ?? defaults?.mixedKinds ?? 'warn',
      as_of: asOf === null ? null : formatInstant(asOf),
    },
    query: batch,
    value: cells.length === 1 ? (value as Cell) : null,
    unit: func.name === 'count' ? null : unitOf(argument, type),
    by_kind: kinds
      ? cells.map((cell, i) => ({
          kind: cellOf('text', kinds[i] ?? Number.NaN, executed.pool) as string | null,
          value: cell,
        }))
      : [],
    summary: summaryOf({
      func: func.name,
      table: plan.table,
      rows: found.samples_total + found.records_total,
      sources,
      merges: plan.merges,
      leavesOut: leftOut.length > 0,
      hasWhere: plan.where !== null,
    }),
    formula: formulaOf(argument),
    conversion: conversionOf(argument),
    rules: rulesNamed([...rulesOf(question, executed), ...leftOut.map(({ rule }) => rule)]),
    warnings: [...warningsAbout(executed, order, 0)],
    sources: [...sources],
    samples: [...found.samples],
    samples_total: found.samples_total,
    records: [...found.records],
    records_total: found.records_total,
    left_out: [...leftOut],
    origins: [...found.origins],
    computed_at: formatInstant(call.now),
  }
}

function refuseAsParameter(...asked: Parameters<typeof refuseMixedKinds>): void {
  try {
    refuseMixedKinds(...asked)
  } catch (error) {
    throw toParameters(error)
  }
}

function findRows(asked: Parameters<typeof listSamples>[0]): Promise<RowsFound> {
  return asked.executed.plan.table === 'timeseries' ? listSamples(asked) : listRecords(asked)
}

function unitOf(argument: ColumnRef, type: string): string | null {
  if (type !== 'float' && type !== 'int') return null
  if (argument.kind === 'summary') return columnUnit(argument.column)
  if (argument.kind !== 'sample' || argument.resource === null) return null
  const resource = resourceNamed(argument.resource)
  return resource ? fieldUnit(resource, argument.field.origin) : null
}

function formulaOf(argument: ColumnRef): string | null {
  if (argument.kind === 'macro') return argument.macro.meaning.replace('Value macro: ', '')
  if (argument.kind !== 'summary') return null
  const { origin } = argument.column
  if (origin.kind === 'readiness') return readinessFormula(origin.value) ?? argument.column.meaning
  if (origin.kind === 'share') return `${origin.part.join('.')} / ${origin.whole.join('.')} × 100`
  return null
}

function conversionOf(argument: ColumnRef): WhyDocument['conversion'] {
  if (argument.kind !== 'summary') return null
  const { origin } = argument.column
  const unit = columnUnit(argument.column)
  if (origin.kind === 'document' && origin.factor !== 1)
    return { fields: [origin.path.join('.')], factor: origin.factor, unit }
  if (origin.kind === 'sum') return { fields: origin.paths.map(path => path.join('.')), factor: origin.factor, unit }
  return null
}

/** Returns the rules that apply to every number of this kind. */
function rulesOf({ aggregate: { argument }, isBucket }: Question, { plan }: Executed): readonly string[] {
  const base = [
    ...(plan.where ? ['aggregates-5'] : []),
    ...(plan.keys.some(key => key.kind === 'column') ? ['kinds-3'] : []),
  ]
  if (!plan.merges) return [...base, isBucket ? 'aggregates-7' : 'aggregates-7 without a bucket']
  if (summaryTable(plan.table)) {
    return [...base, ...(plan.table === 'sleep' ? ['merging-9', 'merging-10', 'merging-12'] : ['merging-14'])]
  }
  const resource = argument.kind === 'sample' ? resourceNamed(argument.resource ?? '') : undefined
  if (!resource || resource.shape === 'text') return [...base, 'merging-7']
  return [...base, ...(isDivisible(resource) ? ['merging-3', 'merging-4'] : ['merging-6'])]
}
