/**
 * Explains aggregate queries: what was read, which source won each group and why, and how another provider order would change the result.
 */
import { allLimitsText, limitsOf } from '../../catalogue/plausibility.ts'
import { QUERY_LIMITS } from '../../catalogue/query-functions.ts'
import { isDivisible, resourceNamed } from '../../catalogue/resources.ts'
import type { QueryBatch } from '../../contract/aggregates/aggregate.ts'
import { formatFloating } from '../../core/time.ts'
import { toColumns } from '../../table/json.ts'
import type { Executed, QueryCall, QueryUser } from './execute.ts'
import type { CandidateRows } from './functions/candidates.ts'
import { checkOverrides, mergeReason, type SourceOrder, sourceOrder, whyBetter } from './functions/priority.ts'
import { type ImplausibleSamples, implausibleIn, implausibleSamples } from './implausible.ts'
import { type Contribution, Contributions } from './merge/contributions.ts'
import type { MergedSource } from './merge/report.ts'
import type { Member } from './merge/sessions/clusters.ts'
import type { Resolved } from './merge/sessions/fields.ts'
import { storedSession } from './merge/sessions/session.ts'
import type { Window } from './plan/calendar.ts'
import type { Plan } from './plan/plan.ts'
import { type Loc, refuse } from './plan/refusal.ts'
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
    const stored = plan.inner ?? plan
    const isMergedSeries = stored.merges && stored.table === 'timeseries'
    const trace = new Trace(call.elapsed, isMergedSeries ? contributionsTo(plan, window, loc) : undefined)
    const asked = { plan, window, user, call, loc }
    const executed = await executeStored(source, asked, overrides, trace)
    const { merges } = stored
    const order = sourceOrder(overrides, call.priorities, executed.plan.table)
    if (!merges || isMergedSeries) explained += executed.groups.count
    if (merges && call.diff && plan.outputs.some(output => output.kind === 'column')) {
      throw refuse(['body', 'diff'], 'cannot compare the rows of a merged query without functions. Leave it out.')
    }
    const limit = QUERY_LIMITS.explainedGroups
    if (explained > limit) throw tooMany('one call must not explain', limit, 'groups', loc)
    const cellsWith = async (order: readonly string[]) => {
      const states = merges && order !== overrides ? await executeStored(source, asked, order) : executed
      const all = await responseColumns(states, asked, order, trace)
      trace.begin('table')
      const cells = toColumns(buildResultTable(all, states.pool))
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
    const sessions = explainSessions(executed)
    explained += sessions.length
    if (explained > limit) throw tooMany('one call must not explain', limit, 'groups and merged rows', loc)
    results.push({
      table: plan.table,
      window: { from: formatFloating(window.from), to: formatFloating(window.to) },
      stages,
      reads,
      groups: merges ? mergedGroups(executed, trace, overrides, call) : explainGroups(executed, overrides, call),
      ...explainImplausible(implausibleSamples(executed, order)),
      merged: executed.merge?.sources.map(each => mergedSource(each, executed, overrides, call)) ?? null,
      sessions,
      diff,
    })
  }
  return results
}

const named = ({ resource, provider, sourceType }: BlockSource) => ({ resource, provider, source_type: sourceType })

/** Returns what a merge did with a source, and why it has its rank. */
function mergedSource(
  { source, rank, rows, parts }: MergedSource,
  { plan, merge }: Executed,
  overrides: readonly string[],
  call: QueryCall,
): Cells {
  const why = mergeReason({ ...call, overrides }, plan.table)
  const isNext = (other: MergedSource) =>
    other.source.resource === source.resource && other.source.type === source.type && other.rank === rank + 1
  const next = merge?.sources.find(isNext)
  const { app = null, device = null } = source
  const reason = next ? why(source, next.source) : rank === 1 ? 'the only source' : 'the last source'
  return { ...named(source), type: source.type, app_id: app, device_id: device, rank, rows, parts, reason }
}

/** Returns the merged rows that consist of several stored sessions. */
function explainSessions({ merge }: Executed): readonly Cells[] {
  const several = (merge?.sessions ?? [])
    .map(({ local, cluster, resolved, role }) => ({
      index: formatFloating(local),
      role,
      members: cluster.flatMap(member => explainMember(member, resolved)),
    }))
    .filter(({ members }) => members.length > 1)
  return several.sort((a, b) => (a.index < b.index ? -1 : 1))
}

/** Returns the stored sessions of one member. */
export function explainMember({ session, match }: Member, { winner, filled }: Resolved): readonly Cells[] {
  const fields = filled.find(({ from }) => from === session)?.fields ?? []
  const use = session === winner ? 'values' : fields.length > 0 ? 'fields' : 'none'
  const isPassedOver = match === null && session !== winner
  const reason =
    match?.reason() ?? (isPassedOver ? 'the best source, but too short or without stages' : 'the best source')
  const parts = session.parts.map((row, i) => {
    const part = session.parts.length > 1 ? [`part ${i + 1} of ${session.parts.length}`] : []
    const declared = session.partReasons?.get(row.id) ?? []
    return { ...storedSession(row), use, fields: [...fields], reason: [part, declared, reason].flat().join(', ') }
  })
  const versions = session.versions.map(({ row, reason: why }) => ({
    ...storedSession(row),
    use: 'none',
    fields: [],
    reason: why,
  }))
  return [...parts, ...versions]
}

/** Returns every group with its sources. Empty for a query without groups. */
function explainGroups(executed: Executed, overrides: readonly string[], call: QueryCall): readonly Cells[] {
  const { plan, candidates } = executed
  if (plan.keys.length === 0) return []
  const order = sourceOrder(overrides, call.priorities, plan.table)
  const ranked = candidates.rowsOf(order)
  const why = whyBetter(overrides, call.priorities, plan.table)
  const sourcesOf = (group: number) => ranked(group).flatMap(contenders => verdicts(contenders, why))
  return groupsWith(executed, order, sourcesOf)
}

/** Returns every group of a merged timeseries query with what each source contributes. A query without groups has one, without a key. */
function mergedGroups(
  executed: Executed,
  { contributions }: Trace,
  overrides: readonly string[],
  call: QueryCall,
): readonly Cells[] {
  const { plan, groups, merge } = executed
  if (!contributions || !merge) return []
  const reasons = new Map(merge.sources.map(each => [each.source, mergedSource(each, executed, overrides, call)]))
  const ranks = new Map(merge.sources.map(({ source }, i) => [source, i]))
  const byRank = (a: Contribution, b: Contribution) => (ranks.get(a.source) ?? 0) - (ranks.get(b.source) ?? 0)
  const sourcesOf = (group: number) => {
    const found = [...contributions.to(plan.keys.map((_, k) => groups.value(k, group)))].sort(byRank)
    return found.map(each => contributed(each, found, String(reasons.get(each.source)?.['reason'])))
  }
  return groupsWith(executed, null, sourcesOf)
}

function contributed(own: Contribution, all: readonly Contribution[], rankReason: string) {
  const { source, rows, parts, value, minutes } = own
  const resource = resourceNamed(source.resource ?? '')
  const amount = (each: Contribution): number =>
    each.source.resource !== source.resource || each.source.type !== source.type
      ? 0
      : resource && isDivisible(resource)
        ? (each.value ?? 0)
        : each.parts
  const total = all.reduce((sum, each) => sum + amount(each), 0)
  const { app = null, device = null } = source
  return {
    ...named(source),
    type: source.type,
    app_id: app,
    device_id: device,
    rows,
    used: parts > 0,
    parts,
    value,
    minutes,
    share: total > 0 ? amount(own) / total : null,
    reason: parts > 0 ? rankReason : whyUnused(own, resource !== undefined && isDivisible(resource)),
  }
}

function whyUnused({ withoutValue }: Contribution, isAmount: boolean): string {
  if (withoutValue === 'total') return 'it is the total of a day, which has no value in a shorter bucket'
  if (withoutValue === 'replaced') return 'the total of the day counts instead'
  return isAmount ? 'other samples cover its time' : 'another source counts on that day'
}

function contributionsTo(plan: Plan, window: Window, loc: Loc): Contributions {
  if (plan.inner === null) return new Contributions(plan.keys, window, loc)
  return new Contributions(plan.inner.keys, window, [...loc, 'from', 'query'])
}

/** Returns the groups in order, with the sources of each. `order` is null if sources do not compete. */
function groupsWith(
  executed: Executed,
  order: SourceOrder | null,
  sourcesOf: (group: number) => readonly { readonly used: boolean; readonly rows: number }[],
): readonly Cells[] {
  const { plan, groups, candidates, pool } = executed
  const sorted = groups.sorted(pool)
  const keyColumns = plan.keys.map(
    (_, k): ResultColumn => ({
      name: `group_key.${k}`,
      type: groups.type(k),
      values: Float64Array.from(sorted, group => groups.value(k, group)),
    }),
  )
  const keys = toColumns(buildResultTable(keyColumns, pool))
  const kindsOf = candidates.kindsIn(order)
  const implausibleOf = implausibleIn(executed, order)
  return Array.from(sorted, (group, row) => {
    const sources = sourcesOf(group)
    const count = (used: boolean) => sources.reduce((sum, each) => sum + (each.used === used ? each.rows : 0), 0)
    const kinds = [...kindsOf(group)].flatMap(([resource, counts]) =>
      [...counts].map(([kind, rows]) => ({ resource, kind, rows })),
    )
    const implausible = explainImplausible(implausibleOf(group))
    return {
      key: rowCells(keys, row),
      sources,
      kinds,
      ...implausible,
      rows_used: count(true),
      rows_dropped: count(false),
    }
  })
}

/** Returns what was done with samples outside their limits. Empty if there are none. */
function explainImplausible({ isUsed, rows }: ImplausibleSamples): { readonly implausible?: readonly Cells[] } {
  if (rows.size === 0) return {}
  const implausible = [...rows].map(([resource, count]) => {
    const known = resourceNamed(resource)
    const limits = limitsOf(resource)
    const range = known && limits ? allLimitsText(limits, known.unit) : 'the limits'
    return { resource, rows: count, used: isUsed, reason: `outside ${range}` }
  })
  return { implausible }
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

/** Returns the groups whose cells differ, and the columns in which they differ. With a different order, a merge can produce different groups. */
function changedRows(plan: Plan, before: Record<string, unknown[]>, after: Record<string, unknown[]>) {
  const keyNames = plan.outputs.flatMap(output => (output.kind === 'key' ? [output.name] : []))
  const names = plan.outputs.flatMap(output => (output.kind === 'key' ? [] : [output.name]))
  const [rowsBefore, rowsAfter] = [before, after].map(columns => rowsByKey(columns, keyNames)) as [RowsByKey, RowsByKey]
  const rows: Cells[] = []
  for (const [name, key] of new Map([...rowsBefore, ...rowsAfter].map(([each, { key }]) => [each, key]))) {
    const [old, now] = [rowsBefore.get(name), rowsAfter.get(name)]
    const cells = (columns: Record<string, unknown[]>, row: number | undefined) =>
      row === undefined ? {} : rowCells(columns, row, names)
    const [left, right] = [cells(before, old?.row), cells(after, now?.row)]
    const changed = names.filter(each => left[each] !== right[each])
    if (changed.length === 0) continue
    const only = (all: Cells) => Object.fromEntries(changed.flatMap(each => (each in all ? [[each, all[each]]] : [])))
    rows.push({ key, before: only(left), after: only(right) })
  }
  return rows
}

type RowsByKey = ReadonlyMap<string, { readonly key: Cells; readonly row: number }>

/** Returns the rows by their key. Rows with the same selected keys are told apart by their order. */
function rowsByKey(columns: Record<string, unknown[]>, keyNames: readonly string[]): RowsByKey {
  const rows = new Map<string, { readonly key: Cells; readonly row: number }>()
  const count = Object.values(columns)[0]?.length ?? 0
  const seen = new Map<string, number>()
  for (let row = 0; row < count; row++) {
    const key = rowCells(columns, row, keyNames)
    const text = JSON.stringify(key)
    const nth = seen.get(text) ?? 0
    seen.set(text, nth + 1)
    rows.set(`${text} ${nth}`, { key, row })
  }
  return rows
}

function rowCells(
  columns: Readonly<Record<string, unknown[]>>,
  row: number,
  names: readonly string[] = Object.keys(columns),
): Cells {
  return Object.fromEntries(names.map(name => [name, columns[name]?.[row] ?? null]))
}
