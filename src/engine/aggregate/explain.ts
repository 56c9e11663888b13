/**
 * Explains aggregate queries: what was read, which source won each group and why, and how another provider order would change the result.
 */
import { QUERY_LIMITS } from '../../catalogue/query-functions.ts'
import type { QueryBatch } from '../../contract/aggregates/aggregate.ts'
import { formatFloating } from '../../core/time.ts'
import { toColumns } from '../../table/json.ts'
import type { Executed, QueryCall, QueryUser } from './execute.ts'
import type { CandidateRows } from './functions/candidates.ts'
import { checkOverrides, sourceOrder, whyBetter } from './functions/priority.ts'
import type { Plan } from './plan/plan.ts'
import { buildResultTable, type ResultColumn } from './result.ts'
import { executeStored, planBatch, responseColumns, tooMany } from './run.ts'
import type { BlockSource } from './scan/block.ts'
import type { QuerySource } from './scan/source.ts'
import { Trace } from './trace.ts'

type Cells = Readonly<Record<string, unknown>>

export interface ExplainCall extends QueryCall {
  /** Returns the milliseconds since some fixed moment. */
  readonly elapsed: () => number
  /** Another provider order to compare with, or null. */
  readonly diff: readonly string[] | null
}

/** Returns one entry per query, in the format described at `explainReply`. Throws the same errors as running the queries. */
export async function explainQueryBatch(
  source: QuerySource,
  user: QueryUser,
  batch: QueryBatch,
  call: ExplainCall,
): Promise<readonly Cells[]> {
  const planning = new Trace(call.elapsed)
  planning.begin('plan')
  const { window, overrides, queries } = planBatch(batch, call, ['body', 'query'])
  if (call.diff) checkOverrides(call.providers, call.diff, ['body', 'diff'])
  planning.end()
  const results: Cells[] = []
  let explained = 0
  for (const { plan, loc } of queries) {
    const trace = new Trace(call.elapsed)
    const asked = { plan, window, user, call, loc }
    const executed = await executeStored(source, asked, trace)
    explained += executed.groups.count
    const limit = QUERY_LIMITS.explainedGroups
    if (explained > limit) throw tooMany('one call must not explain', limit, 'groups', loc)
    const cellsWith = async (order: readonly string[]) => {
      const all = await responseColumns(executed, asked, order, trace)
      trace.begin('table')
      const cells = toColumns(buildResultTable(all, executed.pool))
      trace.end()
      return cells
    }
    const before = await cellsWith(overrides)
    const stages = [...planning.stages(), ...trace.stages()]
    const reads = trace.reads().map(({ source: from, chunks, rows, bytes }) => ({
      ...named(from),
      type: from.type,
      chunks,
      rows,
      bytes,
    }))
    const diff = call.diff && { priority: [...call.diff], rows: changedRows(plan, before, await cellsWith(call.diff)) }
    results.push({
      table: plan.table,
      window: { from: formatFloating(window.from), to: formatFloating(window.to) },
      stages,
      reads,
      groups: await explainGroups(executed, overrides, call),
      diff,
    })
  }
  return results
}

const named = ({ resource, provider, sourceType }: BlockSource) => ({ resource, provider, source_type: sourceType })

/** Returns every group with its sources. Empty for a query without groups. */
async function explainGroups(
  executed: Executed,
  overrides: readonly string[],
  call: QueryCall,
): Promise<readonly Cells[]> {
  const { plan, groups, candidates, pool } = executed
  if (plan.keys.length === 0) return []
  const order = groups.sorted(pool)
  const keyColumns = plan.keys.map(
    (_, k): ResultColumn => ({
      name: `group_key.${k}`,
      type: groups.type(k),
      values: Float64Array.from(order, group => groups.value(k, group)),
    }),
  )
  const keys = toColumns(buildResultTable(keyColumns, pool))
  const ranked = candidates.rowsOf(sourceOrder(overrides, call.priorities, plan.table))
  const why = whyBetter(overrides, call.priorities, plan.table)
  return Array.from(order, (group, row) => {
    const sources = ranked(group).flatMap(contenders => verdicts(contenders, why))
    const count = (used: boolean) => sources.reduce((sum, each) => sum + (each.used === used ? each.rows : 0), 0)
    return { key: rowCells(keys, row), sources, rows_used: count(true), rows_dropped: count(false) }
  })
}

/** Returns whether each contender won, and why. The first contender is the winner. */
function verdicts(contenders: readonly CandidateRows[], why: (better: BlockSource, worse: BlockSource) => string) {
  const [best, second] = contenders as readonly [CandidateRows, ...CandidateRows[]]
  return contenders.map(({ source, rows }) => {
    const used = source === best.source
    const reason = !used
      ? why(best.source, source)
      : second
        ? why(source, second.source)
        : 'the only source in the group'
    return { ...named(source), rows, used, reason }
  })
}

/** Returns the rows whose cells differ, and the columns in which they differ. Both responses have the same groups in the same order. */
function changedRows(plan: Plan, before: Record<string, unknown[]>, after: Record<string, unknown[]>) {
  const keyNames = plan.outputs.flatMap(output => (output.kind === 'key' ? [output.name] : []))
  const names = plan.outputs.flatMap(output => (output.kind === 'key' ? [] : [output.name]))
  const count = Object.values(before)[0]?.length ?? 0
  const rows: Cells[] = []
  for (let row = 0; row < count; row++) {
    const changed = names.filter(name => before[name]?.[row] !== after[name]?.[row])
    if (changed.length === 0) continue
    rows.push({
      key: rowCells(before, row, keyNames),
      before: rowCells(before, row, changed),
      after: rowCells(after, row, changed),
    })
  }
  return rows
}

function rowCells(columns: Readonly<Record<string, unknown[]>>, row: number, names = Object.keys(columns)): Cells {
  return Object.fromEntries(names.map(name => [name, columns[name]?.[row] ?? null]))
}
