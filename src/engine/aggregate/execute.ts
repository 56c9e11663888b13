/** Executes one planned query: scan, where, group, functions. The result can then be read with any source order. */
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import { summaryTable } from '../../catalogue/query-columns.ts'
import type { QueryWarning } from '../../contract/aggregates/warnings.ts'
import type { UserId } from '../../core/ids.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import { TimeSlice } from '../../core/time-slice.ts'
import type { SourcePriority } from '../../store/priority.ts'
import { Candidates } from './functions/candidates.ts'
import { type MergeOrder, mergeOrder } from './functions/priority.ts'
import { Filter } from './group/filter.ts'
import { Groups } from './group/groups.ts'
import type { RowMask } from './group/row-mask.ts'
import { Rows } from './group/rows.ts'
import { MergeReport, mergedRows } from './merge/merged.ts'
import type { Window } from './plan/calendar.ts'
import type { ColumnRef } from './plan/columns.ts'
import type { Plan } from './plan/plan.ts'
import type { Loc } from './plan/refusal.ts'
import { predicateColumns } from './plan/where.ts'
import type { Block } from './scan/block.ts'
import { sampleBlocks } from './scan/sample-blocks.ts'
import type { QuerySource } from './scan/source.ts'
import { summaryBlocks } from './scan/summary-blocks.ts'
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
  /** Called for each warning about a result. */
  readonly warn?: (warning: QueryWarning) => void
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
  const order = plan.merges ? mergeOrder(overrides, call.priorities, plan.table) : null
  return executeBlocks(readBlocks(source, user, plan, window, pool), { plan, pool, window, loc, call, trace, order })
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
}

/** Filters, groups and aggregates a table's rows. Throws the same errors as `execute`. */
export async function executeBlocks(
  blocks: AsyncIterable<Block>,
  { plan, pool, window, loc, call, trace, order }: Execution,
): Promise<Executed> {
  const groups = new Groups(plan.keys, window, loc)
  const plain = plan.outputs.flatMap(output => (output.kind === 'column' ? [output.ref] : []))
  const rows = new Rows(plain, loc)
  const candidates = new Candidates(plan.aggregates, plan.keys.length > 0 && !plan.merges)
  const filter = plan.where ? new Filter(plan.where, pool) : null
  const slice = new TimeSlice()
  const take = (block: Block, mask: RowMask | null): void => {
    trace?.begin('group')
    const runs = groups.assign(block, mask)
    trace?.begin('functions')
    if (plain.length > 0) rows.add(block, runs)
    else candidates.add(block, runs, groups.count)
    trace?.begin('scan')
  }
  trace?.begin('scan')
  let merge: MergeReport | null = null
  if (order !== null) {
    merge = new MergeReport()
    const merging = { filter, keys: plan.keys, window, order, report: merge, signal: call.signal }
    for await (const { block, kept } of mergedRows(traced(blocks, trace), merging)) {
      take(block, kept)
      trace?.begin('merge')
      if (slice.isOver) await slice.rest(call.signal)
    }
  } else {
    for await (const block of blocks) {
      trace?.read(block)
      trace?.begin('where')
      take(block, filter?.mask(block) ?? null)
      if (slice.isOver) await slice.rest(call.signal)
    }
  }
  trace?.end()
  return { plan, pool, groups, candidates, rows, merge }
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
  if (table) return summaryBlocks(source, user, table, window, pool, columnsNamed(plan))
  return sampleBlocks(source, user, plan.resources, plan.merges ? withDayBefore(window) : window, pool)
}

/** Returns the window from the midnight of the day before its first day: samples before a window determine what counts in it. */
function withDayBefore({ from, to }: Window): Window {
  return { from: (Math.floor(from / DAY_MS) - 1) * DAY_MS, to }
}

/** Returns all table columns that the plan needs. */
function columnsNamed({ outputs, aggregates, keys, where }: Plan): readonly ColumnRef[] {
  return [
    ...outputs.flatMap(output => (output.kind === 'column' ? [output.ref] : [])),
    ...aggregates.map(({ argument }) => argument),
    ...keys.flatMap(key => (key.kind === 'column' ? [key.ref] : [])),
    ...(where ? predicateColumns(where) : []),
  ]
}
