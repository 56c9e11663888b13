/** Executes one planned query: scan, where, group, functions. The result can then be read with any source order. */
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import type { SummaryTable } from '../../catalogue/query/column.ts'
import { summaryTable } from '../../catalogue/query-columns.ts'
import type { QueryWarning } from '../../contract/aggregates/warnings.ts'
import type { UserId } from '../../core/ids.ts'
import type { SummaryKind } from '../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import { TimeSlice } from '../../core/time-slice.ts'
import type { SourcePriority } from '../../store/priority.ts'
import type { SourceOrders } from '../../store/source-order.ts'
import type { QueryDefaults } from '../../store/team.ts'
import { Candidates } from './functions/candidates.ts'
import { type MergeOrder, mergeOrder } from './functions/priority.ts'
import { Filter } from './group/filter.ts'
import { Groups } from './group/groups.ts'
import { LeftOutRows, PlausibleFilter, type RowFilter } from './group/plausible-filter.ts'
import type { RowMask } from './group/row-mask.ts'
import { Rows } from './group/rows.ts'
import { mergedRows } from './merge/merged.ts'
import { MergeReport } from './merge/report.ts'
import { sessionBlocks } from './merge/sessions/session-blocks.ts'
import type { Window } from './plan/calendar.ts'
import { leftOutResources, uncheckedResources } from './plan/implausible.ts'
import { isMergedColumn, type Plan, planColumns } from './plan/plan.ts'
import type { Loc } from './plan/refusal.ts'
import { type Predicate, predicateColumns } from './plan/where.ts'
import type { Block } from './scan/block.ts'
import { usedColumnKinds } from './scan/column-kinds.ts'
import { sampleBlocks } from './scan/sample-blocks.ts'
import type { QuerySource } from './scan/source.ts'
import { readSummaries, summaryBlocks } from './scan/summary-blocks.ts'
import { TextPool } from './scan/text-pool.ts'
import type { Trace } from './trace.ts'

export interface QueryUser {
  readonly userId: UserId
  /** IANA time zone for data without an offset. Null means UTC. */
  readonly fallbackTimeZone: string | null
}

/** The context of a call, without the user and the request. */
export interface QueryCall {
  /** The engine's time. `carry_forward` does not extend past it. */
  readonly now: EpochMs
  readonly providers: ProviderRegistry
  /** The team's source priorities for all data types. */
  readonly priorities: readonly SourcePriority[]
  /** The order of sources in merges. */
  readonly orders?: SourceOrders
  /** The team's defaults for queries. */
  readonly defaults?: QueryDefaults
  /** Called for each warning about a result. */
  readonly warn?: (warning: QueryWarning) => void
  /** Called with the number of each query whose rows were merged. */
  readonly merged?: (query: number) => void
  readonly signal?: AbortSignal | undefined
}

/** The outcome of a query before its sources are ranked. */
export interface Executed {
  readonly plan: Plan
  readonly pool: TextPool
  readonly groups: Groups
  readonly candidates: Candidates
  /** The rows of a query without functions or groups. Empty for all other queries. */
  readonly rows: Rows
  /** Null if the rows were not merged. */
  readonly merge: MergeReport | null
  /** The implausible samples that were left out. Null if the query uses them. */
  readonly leftOut: LeftOutRows | null
}

/**
 * Reads the plan's data block by block. `loc` is the query's path in the body. Throws a 422 if the result exceeds the row limit. Once the
 * signal is aborted, throws the signal's reason.
 */
export async function execute(
  source: QuerySource,
  user: QueryUser,
  call: QueryCall,
  plan: Plan,
  window: Window,
  loc: Loc,
  overrides: readonly string[],
  trace?: Trace,
): Promise<Executed> {
  const pool = new TextPool()
  const order = plan.merges ? mergeOrder({ ...call, overrides }, plan.table) : null
  const table = summaryTable(plan.table)
  if (order && table) return executeSessions(source, user, table, { plan, pool, window, loc, call, trace, order })
  return executeBlocks(readBlocks(source, user, plan, window, pool), { plan, pool, window, loc, call, trace, order })
}

/** Merges nights or workouts, and executes the rest of the plan with the merged rows. */
async function executeSessions(
  source: QuerySource,
  user: QueryUser,
  table: SummaryTable,
  execution: Execution & { readonly order: MergeOrder },
): Promise<Executed> {
  const { plan, pool, window, call, trace, order } = execution
  trace?.begin('scan')
  const refs = planColumns(plan)
  const { stored, merged } = splitWhere(plan.where)
  const report = new MergeReport()
  const matches = await source.sessionMatches.list(user.userId)
  const blocks = sessionBlocks(
    await readSummaries(source, user, table, table.summary as SummaryKind, window, refs),
    table,
    {
      filter: stored && new Filter(stored, pool),
      mergedFilter: merged && new Filter(merged, pool),
      window,
      skipsNaps: plan.aggregates.length + plan.keys.length > 0 && !refs.some(({ name }) => name === 'role'),
      order,
      matches,
      report,
      pool,
      trace,
      signal: call.signal,
    },
  )
  const executed = await executeBlocks(blocks, { ...execution, plan: { ...plan, where: null }, order: null, report })
  return { ...executed, plan }
}

/**
 * Divides a condition into the parts that are about stored rows, which are checked before a merge, and those that are about merged rows.
 * See docs/interface/merging.md#merging-2.
 */
export function splitWhere(where: Predicate | null): {
  readonly stored: Predicate | null
  readonly merged: Predicate | null
} {
  const parts = where === null ? [] : conjuncts(where)
  const isLater = (part: Predicate) => predicateColumns(part).some(isMergedColumn)
  const all = (some: readonly Predicate[]): Predicate | null =>
    some.length === 0 ? null : { kind: 'and', parts: some }
  return { stored: all(parts.filter(part => !isLater(part))), merged: all(parts.filter(isLater)) }
}

function conjuncts(where: Predicate): readonly Predicate[] {
  return where.kind === 'and' ? where.parts.flatMap(conjuncts) : [where]
}

/** Parameters of a query's execution, other than the rows that it reads. */
interface Execution {
  readonly plan: Plan
  readonly pool: TextPool
  readonly window: Window
  readonly loc: Loc
  readonly call: QueryCall
  readonly trace: Trace | undefined
  /** The order in which the rows are merged. Null if they are not. */
  readonly order: MergeOrder | null
  /** What the merge that made these blocks did. */
  readonly report?: MergeReport
}

/** Filters, groups and aggregates a table's rows. Throws the same errors as `execute`. */
export async function executeBlocks(
  blocks: AsyncIterable<Block>,
  { plan, pool, window, loc, call, trace, order, report }: Execution,
): Promise<Executed> {
  const groups = new Groups(plan.keys, window, loc)
  const plain = plan.outputs.flatMap(output => (output.kind === 'column' ? [output.ref] : []))
  const rows = new Rows(plain, loc)
  const columnKinds = usedColumnKinds(plan.table, planColumns(plan))
  const unchecked = uncheckedResources(plan)
  const candidates = new Candidates(plan.aggregates, plan.keys.length > 0 && !plan.merges, { columnKinds, unchecked })
  const where = plan.where ? new Filter(plan.where, pool) : null
  const checked = leftOutResources(plan)
  const leftOut = checked.length > 0 ? new LeftOutRows(plan.keys, window, loc) : null
  const filter: RowFilter | null = leftOut ? new PlausibleFilter(where, checked, leftOut) : where
  const slice = new TimeSlice()
  const take = (block: Block, mask: RowMask | null): void => {
    trace?.rows?.taken(block, mask)
    trace?.begin('group')
    const runs = groups.assign(block, mask)
    trace?.begin('functions')
    if (plain.length > 0) rows.add(block, runs)
    else candidates.add(block, runs, groups.count)
    trace?.begin('scan')
  }
  trace?.begin('scan')
  let merge = report ?? null
  if (order !== null) {
    merge = new MergeReport()
    const { contributions, rows: observer } = trace ?? {}
    const observers = { contributions, observer }
    const merging = { filter, keys: plan.keys, window, order, report: merge, ...observers, signal: call.signal }
    for await (const merged of mergedRows(traced(blocks, trace), merging)) {
      contributions?.addCounted(merged)
      take(merged.block, merged.kept)
      trace?.begin('merge')
      if (slice.isOver) await slice.rest(call.signal)
    }
  } else {
    for await (const block of blocks) {
      if (!report) trace?.read(block)
      trace?.begin('where')
      take(block, filter?.mask(block) ?? null)
      if (slice.isOver) await slice.rest(call.signal)
    }
  }
  trace?.end()
  return { plan, pool, groups, candidates, rows, merge, leftOut }
}

async function* traced(blocks: AsyncIterable<Block>, trace: Trace | undefined): AsyncGenerator<Block> {
  for await (const block of blocks) {
    trace?.read(block)
    yield block
  }
  trace?.begin('merge')
}

function readBlocks(
  source: QuerySource,
  user: QueryUser,
  plan: Plan,
  window: Window,
  pool: TextPool,
): AsyncIterable<Block> {
  const table = summaryTable(plan.table)
  if (table) return summaryBlocks(source, user, table, window, pool, planColumns(plan))
  return sampleBlocks(source, user, plan.resources, plan.merges ? withDayBefore(window) : window, pool)
}

/** Returns the window from the midnight of the day before its first day: samples before a window determine what counts in it. */
function withDayBefore({ from, to }: Window): Window {
  return { from: (Math.floor(from / DAY_MS) - 1) * DAY_MS, to }
}
