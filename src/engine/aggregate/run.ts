/** Runs aggregate queries: plan, scan, where, group, prioritise, functions, Arrow table (design 5). */
import { summaryTable } from '../../catalogue/query-columns.ts'
import { QUERY_LIMITS } from '../../catalogue/query-functions.ts'
import type { QueryBatch, Timeframe } from '../../contract/aggregate.ts'
import type { UserId } from '../../core/ids.ts'
import { type EpochMs, formatDate, parseDate } from '../../core/time.ts'
import type { Store } from '../../store/port.ts'
import type { ResultTable } from '../../table/table.ts'
import type { Block } from './block.ts'
import { addMonths, type Span, type Window, windowOf, yearsOf } from './calendar.ts'
import { evaluate } from './filter.ts'
import { Groups } from './groups.ts'
import { Lanes } from './lanes.ts'
import { type Output, type Plan, type PlannedAggregate, planQuery } from './plan.ts'
import { checkOverrides, type SourcePriority, sourceOrder } from './priority.ts'
import { type Loc, refuse } from './refusal.ts'
import { buildTable, keyType, type ResultColumn } from './result.ts'
import { Rows } from './rows.ts'
import { sampleBlocks } from './sample-blocks.ts'
import { summaryBlocks } from './summary-blocks.ts'
import { TextPool } from './text-pool.ts'

/** Four-digit years, with room for the longest window and bucket before them. */
const FIRST_ANCHOR = Date.UTC(1900, 0, 1)
const LAST_ANCHOR = Date.UTC(2199, 11, 31)

/** Where the data come from: the two reads of the store that a query needs. */
export type QuerySource = Pick<Store, 'scanSamples' | 'summaries'>

export interface QueryUser {
  readonly userId: UserId
  /** IANA zone for data that carry no offset; null: UTC. */
  readonly fallbackTimeZone: string | null
}

/** What a call knows beside the user and the request. */
export interface QueryCall {
  /** The engine's now: carry_forward extends no further. */
  readonly now: EpochMs
  /** The team's source priorities, all data types. */
  readonly priorities: readonly SourcePriority[]
  readonly signal?: AbortSignal | undefined
}

/**
 * One table a query, in the order of the request (interface.md 4.9). Every query is checked before the first one reads.
 * Throws a 422 that points at the offending part.
 */
export async function runQueryBatch(
  source: QuerySource,
  user: QueryUser,
  batch: QueryBatch,
  call: QueryCall,
): Promise<readonly ResultTable[]> {
  const { queries } = batch
  if (queries.length > QUERY_LIMITS.queries) {
    const msg = `at most ${QUERY_LIMITS.queries} queries a call, here are ${queries.length}`
    throw refuse(['body', 'queries'], msg, 'query_limit')
  }
  const window = planWindow(batch.timeframe)
  const overrides = batch.config?.provider_priority_overrides ?? []
  checkOverrides(overrides, ['body', 'config', 'provider_priority_overrides'])
  const locs = queries.map((_, i): Loc => ['body', 'queries', i])
  const plans = queries.map((query, i) => planQuery(query, locs[i] as Loc))
  const tables: ResultTable[] = []
  for (const [i, plan] of plans.entries()) {
    tables.push(await runPlan(source, user, call, plan, window, overrides, locs[i] as Loc))
  }
  return tables
}

function planWindow(timeframe: Timeframe): Window {
  const loc: Loc = ['body', 'timeframe']
  if ('placeholder' in timeframe) {
    throw refuse([...loc, 'placeholder'], 'a placeholder belongs to a continuous query; write a relative timeframe')
  }
  const anchor = parseDate(timeframe.anchor)
  if (anchor === undefined || anchor < FIRST_ANCHOR || anchor > LAST_ANCHOR) {
    const range = `${formatDate(FIRST_ANCHOR)} to ${formatDate(LAST_ANCHOR)}`
    throw refuse([...loc, 'anchor'], `anchor is a calendar date, YYYY-MM-DD, from ${range}`)
  }
  if (isTooLong(anchor, timeframe.past)) {
    throw refuse([...loc, 'past'], `the window is at most ${QUERY_LIMITS.windowYears} years long`, 'query_limit')
  }
  return windowOf(anchor, timeframe.past)
}

function isTooLong(anchor: EpochMs, past: Span): boolean {
  const years = QUERY_LIMITS.windowYears
  // The estimate first: a huge number of units has no date to compare with.
  return yearsOf(past) > years + 1 || windowOf(anchor, past).from < addMonths(anchor, -12 * years)
}

async function runPlan(
  source: QuerySource,
  user: QueryUser,
  call: QueryCall,
  plan: Plan,
  window: Window,
  overrides: readonly string[],
  loc: Loc,
): Promise<ResultTable> {
  const pool = new TextPool()
  const groups = new Groups(plan.keys, window, loc)
  const grouped = plan.keys.length > 0
  const plain = plan.outputs.flatMap(output => (output.kind === 'column' ? [output.ref] : []))
  const rows = new Rows(plain, loc)
  const lanes = new Lanes(plan.aggregates, grouped ? sourceOrder(overrides, call.priorities, plan.table) : null)
  for await (const block of blocksOf(source, user, plan, window, pool)) {
    const truth = plan.where ? evaluate(plan.where, block, pool) : null
    const groupOfRow = groups.assign(block, truth)
    if (plain.length > 0) rows.add(block, groupOfRow)
    else lanes.add(block, groupOfRow, groups.count)
  }
  const columns = plain.length > 0 ? rowColumns(plan, rows) : groupColumns(plan, groups, lanes, pool)
  return buildTable(columns, pool)
}

function blocksOf(
  source: QuerySource,
  user: QueryUser,
  plan: Plan,
  window: Window,
  pool: TextPool,
): AsyncIterable<Block> {
  const table = summaryTable(plan.table)
  if (table) return summaryBlocks(source, user, table, window, pool)
  return sampleBlocks(source, user, plan.resources, window, pool)
}

function rowColumns(plan: Plan, rows: Rows): readonly ResultColumn[] {
  const values = rows.results()
  return plan.outputs.flatMap((output, i) =>
    output.kind === 'column' ? [{ name: output.name, type: output.ref.type, values: values[i] as Float64Array }] : [],
  )
}

function groupColumns(plan: Plan, groups: Groups, lanes: Lanes, pool: TextPool): readonly ResultColumn[] {
  const order = groups.sorted(pool)
  return plan.outputs.map(output => groupColumn(output, plan, groups, lanes, order))
}

function groupColumn(output: Output, plan: Plan, groups: Groups, lanes: Lanes, order: Int32Array): ResultColumn {
  const { name } = output
  if (output.kind === 'key') {
    const key = plan.keys[output.key] as Plan['keys'][number]
    return { name, type: keyType(key), values: Float64Array.from(order, group => groups.value(output.key, group)) }
  }
  if (output.kind === 'column') throw new Error('a grouped query has no plain columns')
  const { func, argument } = plan.aggregates[output.aggregate] as PlannedAggregate
  const type = func.gives === 'same' ? argument.type : func.gives
  return { name, type, values: lanes.results(output.aggregate, order) }
}
