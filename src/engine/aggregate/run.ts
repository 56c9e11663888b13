/** Runs aggregate queries: plan, scan, where, group, rank sources, apply functions, build the result table. See docs/architecture.md. */
import { QUERY_LIMITS, resultType } from '../../catalogue/query-functions.ts'
import type { QueryBatch } from '../../contract/aggregates/aggregate.ts'
import { present } from '../../core/present.ts'
import { formatCount } from '../../core/text.ts'
import { nextLoopTick } from '../../core/time-slice.ts'
import { toLocal } from '../../core/zones.ts'
import type { ResultTable } from '../../table/table.ts'
import { alignColumns } from './align/align.ts'
import { type Executed, execute, executeBlocks, type QueryCall, type QueryUser } from './execute.ts'
import { checkOverrides, type SourceOrder, sourceOrder } from './functions/priority.ts'
import type { Window } from './plan/calendar.ts'
import { keyType } from './plan/keys.ts'
import { type Output, type Plan, planQuery } from './plan/plan.ts'
import { type Loc, refuse } from './plan/refusal.ts'
import { planWindow } from './plan/window.ts'
import { buildResultTable, type ResultColumn } from './result.ts'
import type { Block } from './scan/block.ts'
import { innerBlock, windowWith } from './scan/inner-block.ts'
import type { QuerySource } from './scan/source.ts'
import type { Trace } from './trace.ts'
import { refuseMixedKinds, warningsAbout } from './warnings.ts'

/** A request whose queries have all been checked but not yet run. */
export interface PlannedBatch {
  readonly window: Window
  readonly overrides: readonly string[]
  readonly queries: readonly { readonly plan: Plan; readonly refusesMixedKinds: boolean; readonly loc: Loc }[]
}

/** Checks a request at `root` in the body. Throws a 422 for the invalid part. */
export function planBatch(batch: QueryBatch, { providers, defaults }: QueryCall, root: Loc = ['body']): PlannedBatch {
  const { queries } = batch
  if (queries.length > QUERY_LIMITS.queries) {
    const msg = `must have at most ${QUERY_LIMITS.queries} queries, but has ${queries.length}`
    throw refuse([...root, 'queries'], msg, 'query_limit')
  }
  const window = planWindow(batch.timeframe, [...root, 'timeframe'])
  const overrides = batch.config?.provider_priority_overrides ?? []
  checkOverrides(providers, overrides, [...root, 'config', 'provider_priority_overrides'])
  const plans = queries.map((query, i) => {
    const loc: Loc = [...root, 'queries', i]
    const mixedKinds = query.mixed_kinds ?? defaults?.mixedKinds
    return { plan: planQuery(query, loc, defaults), refusesMixedKinds: mixedKinds === 'refuse', loc }
  })
  return { window, overrides, queries: plans }
}

/**
 * Returns one table per query, in request order. All queries are checked before the first one reads data. Throws a 422 for the invalid
 * part. See docs/interface/aggregates.md#aggregates-9.
 */
export async function runQueryBatch(
  source: QuerySource,
  user: QueryUser,
  batch: QueryBatch,
  call: QueryCall,
): Promise<readonly ResultTable[]> {
  const { window, overrides, queries } = planBatch(batch, call)
  const tables: ResultTable[] = []
  let cells = 0
  for (const [i, { plan, refusesMixedKinds, loc }] of queries.entries()) {
    const asked = { plan, window, user, call, loc }
    const executed = await executeStored(source, asked, overrides)
    const order = sourceOrder(overrides, call.priorities, executed.plan.table)
    if (refusesMixedKinds) refuseMixedKinds(executed, order, loc)
    const all = await responseColumns(executed, asked, overrides)
    cells += all.reduce((sum, { values }) => sum + values.length, 0)
    if (cells > QUERY_LIMITS.cells)
      throw tooMany('the results of one call must not have', QUERY_LIMITS.cells, 'cells', loc)
    tables.push(buildResultTable(all, executed.pool))
    if (executed.plan.merges) call.merged?.(i)
    if (call.warn) for (const warning of warningsAbout(executed, order, i)) call.warn(warning)
    await nextLoopTick()
    call.signal?.throwIfAborted()
  }
  return tables
}

/** A planned query and its parameters. */
export interface PlannedQuery {
  readonly plan: Plan
  readonly window: Window
  readonly user: QueryUser
  readonly call: QueryCall
  readonly loc: Loc
}

/** Executes the query that reads stored data: the inner query, if there is one. `overrides` are the providers that a merge prefers. */
export function executeStored(
  source: QuerySource,
  asked: PlannedQuery,
  overrides: readonly string[],
  trace?: Trace,
): Promise<Executed> {
  const { plan, window, user, call, loc } = asked
  const { inner } = plan
  if (inner === null) return execute(source, user, call, plan, window, loc, overrides, trace)
  return execute(source, user, call, inner, window, [...loc, 'from', 'query'], overrides, trace)
}

/** Returns the response's columns. `stored` is the result of `executeStored`, and `overrides` lists the providers to prefer in it. */
export async function responseColumns(
  stored: Executed,
  { plan, window, user, call, loc }: PlannedQuery,
  overrides: readonly string[],
  trace?: Trace,
): Promise<readonly ResultColumn[]> {
  const alignedColumns = (executed: Executed, at: Loc): readonly ResultColumn[] => {
    trace?.begin('priority')
    const columns = unalignedColumns(executed, sourceOrder(overrides, call.priorities, executed.plan.table))
    trace?.begin('align')
    return aligned(columns, executed, user, call, at)
  }
  if (plan.inner === null) return alignedColumns(stored, loc)
  const { pool } = stored
  const block = innerBlock(alignedColumns(stored, [...loc, 'from', 'query']))
  trace?.begin('functions')
  const outer = { plan, pool, window: windowWith(window, block), loc, call, trace: undefined, order: null }
  return alignedColumns(await executeBlocks(only(block), outer), loc)
}

async function* only(block: Block): AsyncGenerator<Block> {
  yield block
}

/** Returns the 422 error for queries that are each valid but together too large. */
export function tooMany(what: string, limit: number, of: string, loc: Loc) {
  const msg = `${what} more than ${formatCount(limit)} ${of}. Request less, or split it into several calls.`
  return refuse(loc, msg, 'query_limit')
}

/** Adds the empty buckets requested by `align` to the columns. */
function aligned(
  columns: readonly ResultColumn[],
  { plan, pool }: Executed,
  user: QueryUser,
  call: QueryCall,
  loc: Loc,
): readonly ResultColumn[] {
  // the first lookup of a zone is slow, so look it up only if needed
  if (plan.align === null) return columns
  return alignColumns(columns, plan, toLocal(user.fallbackTimeZone ?? 'UTC', call.now), loc, pool)
}

/** Returns the response's columns before `align`. `order` determines which source's rows count in each group. */
function unalignedColumns(executed: Executed, order: SourceOrder): readonly ResultColumn[] {
  const { plan, rows } = executed
  if (plan.outputs.some(output => output.kind === 'column')) {
    const values = rows.results()
    return plan.outputs.flatMap((output, i) =>
      output.kind === 'column'
        ? [{ name: output.name, type: output.ref.type, values: present(values[i], 'the values of a column') }]
        : [],
    )
  }
  const groups = executed.groups.sorted(executed.pool)
  const priority = plan.keys.length > 0 ? order : null
  return plan.outputs.map(output => groupColumn(output, executed, groups, priority))
}

function groupColumn(
  output: Output,
  { plan, groups, candidates }: Executed,
  order: Int32Array,
  priority: SourceOrder | null,
): ResultColumn {
  const { name } = output
  if (output.kind === 'key') {
    const key = present(plan.keys[output.key], 'a group key')
    return { name, type: keyType(key), values: Float64Array.from(order, group => groups.value(output.key, group)) }
  }
  if (output.kind === 'column') throw new Error('a grouped query has no plain columns')
  const { func, argument } = present(plan.aggregates[output.aggregate], 'an aggregate')
  const type = resultType(func, argument.type)
  return { name, type, values: candidates.results(output.aggregate, order, priority) }
}
