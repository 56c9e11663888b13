/**
 * Aggregates a query: keeps one candidate for each competing source, and finally picks the winner in each group. Each candidate keeps the
 * state of every function, so one pass over the data is enough, whichever source wins. Indexed reads are unchecked (`as number`) because
 * the loops are hot and the indices are always in range.
 */

import { type ColumnKinds, nameOf } from '../../../catalogue/column-kinds.ts'
import { kindsOf } from '../../../catalogue/kinds.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { Runs } from '../group/runs.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { usesOnlyEdges } from '../plan/implausible.ts'
import type { PlannedAggregate } from '../plan/plan.ts'
import { type Block, type BlockSource, NO_KIND } from '../scan/block.ts'
import { implausibleRows } from '../scan/implausible.ts'
import { widened } from './accumulator.ts'
import { Functions } from './functions.ts'
import type { SourceOrder } from './priority.ts'

interface Candidate {
  readonly source: BlockSource
  /** Number of rows in each group. */
  rows: Float64Array<ArrayBuffer>
  /** For each kind other than the resource's usual one, the number of rows in each group. */
  readonly kinds: Map<string, Float64Array<ArrayBuffer>>
  /** Number of rows with implausible values in each group, for resources whose functions use them. */
  implausible: Float64Array<ArrayBuffer>
  readonly functions: Functions
}

/** Number of rows that one source has in a group. */
export interface CandidateRows {
  readonly source: BlockSource
  readonly rows: number
}

/** How often sources of a resource are left out. The resource is null in summary tables. */
export interface LeftOut {
  readonly resource: string | null
  readonly sources: number
  readonly groups: number
  readonly of: number
}

export class Candidates {
  private readonly candidates = new Map<string, Candidate>()
  private readonly aggregates: readonly PlannedAggregate[]
  private readonly competes: boolean
  private readonly columnKinds: ColumnKinds | null
  private readonly unchecked: readonly string[]

  /**
   * If sources compete, each group uses only the rows of the best source for each resource. Otherwise (in a query without group_by), all
   * rows count. `columnKinds` are the kinds of a summary column that the query uses, and `unchecked` the resources whose implausible values
   * are counted.
   */
  constructor(
    aggregates: readonly PlannedAggregate[],
    competes: boolean,
    { columnKinds, unchecked }: { readonly columnKinds: ColumnKinds | null; readonly unchecked: readonly string[] },
  ) {
    this.columnKinds = columnKinds
    this.aggregates = aggregates
    this.competes = competes
    // a function of the oldest or the newest value knows by itself whether it is implausible
    this.unchecked = unchecked.filter(resource => !usesOnlyEdges({ aggregates }, resource))
  }

  /** Adds a block's rows. `groupCount` is the number of groups so far. */
  add(block: Block, runs: Runs, groupCount: number): void {
    const candidate = this.findCandidate(block.source)
    candidate.rows = widened(candidate.rows, groupCount, 0)
    const { rows } = candidate
    for (let k = 0; k < runs.count; k++) {
      const group = runs.groups[k] as number
      if (group >= 0) rows[group] = (rows[group] as number) + (runs.rows[k] as number)
    }
    if (block.kinds !== undefined) addKinds(candidate, block, runs, groupCount)
    candidate.functions.add(block, runs, groupCount)
    if (this.unchecked.length > 0 && this.unchecked.includes(block.source.resource ?? ''))
      addImplausible(candidate, block, runs, groupCount)
  }

  /** Returns an aggregate's results for these groups, in this order. NaN means null. */
  results(aggregate: number, groups: Int32Array, order: SourceOrder | null): Float64Array {
    const { func } = this.aggregates[aggregate] as PlannedAggregate
    const contenders = this.contenders(order, candidate => candidate.functions.has(aggregate))
    return Float64Array.from(groups, group => {
      let result = func.name === 'count' ? 0 : Number.NaN
      for (const candidates of contenders) {
        const winner = candidates.find(candidate => (candidate.rows[group] ?? 0) > 0)
        const value = winner?.functions.result(aggregate, group) ?? Number.NaN
        result = joined(func.name, result, value)
      }
      return result
    })
  }

  /** Returns the sources that have rows in a group, in one list per resource, best source first. */
  rowsOf(order: SourceOrder | null): (group: number) => readonly (readonly CandidateRows[])[] {
    const contenders = this.contenders(order, () => true)
    return group =>
      contenders
        .map(candidates =>
          candidates.map(({ source, rows }) => ({ source, rows: rows[group] ?? 0 })).filter(each => each.rows > 0),
        )
        .filter(candidates => candidates.length > 0)
  }

  /**
   * Returns, for each resource with data, in how many groups it has data, how many of these leave out a source, and how many sources are left
   * out of some group.
   */
  leftOut(groupCount: number, order: SourceOrder): readonly LeftOut[] {
    return this.contenders(order, () => true).flatMap(candidates => {
      const [first] = candidates
      if (!first || candidates.length < 2) return []
      const isLeftOut = new Uint8Array(candidates.length)
      let [groups, of] = [0, 0]
      for (let group = 0; group < groupCount; group++) {
        let present = 0
        for (let k = 0; k < candidates.length; k++) {
          if (!(((candidates[k] as Candidate).rows[group] as number) > 0)) continue
          if (present++ > 0) isLeftOut[k] = 1
        }
        if (present > 0) of++
        if (present > 1) groups++
      }
      const sources = isLeftOut.reduce((sum, each) => sum + each, 0)
      return sources === 0 ? [] : [{ resource: first.source.resource, sources, groups, of }]
    })
  }

  /**
   * Returns, for each resource whose best sources have rows of other kinds than the usual one, how many rows they have of each kind. For
   * resources that `isSeparated` names, only groups with several kinds count.
   */
  usedKinds(
    groupCount: number,
    order: SourceOrder | null,
    isSeparated: (resource: string) => boolean,
  ): ReadonlyMap<string, ReadonlyMap<string, number>> {
    const used = new Map<string, Map<string, number>>()
    for (const candidates of this.contenders(order, () => true)) {
      const kinded = this.kindedValues(candidates)
      if (!kinded || candidates.every(each => each.kinds.size === 0)) continue
      const { name, usual } = kinded
      const counts = new Map<string, number>()
      const ofGroup = isSeparated(name)
      for (let group = 0; group < groupCount; group++) {
        if (!ofGroup) countKinds(candidates, usual, group, counts)
        else addMixture(candidates, usual, group, counts)
      }
      used.set(name, counts)
    }
    return used
  }

  /** Returns, for each resource with kinds, how many rows of each kind its best source has in a group. */
  kindsIn(order: SourceOrder | null): (group: number) => ReadonlyMap<string, ReadonlyMap<string, number>> {
    const kinded = this.contenders(order, () => true).flatMap(candidates => {
      const kinded = this.kindedValues(candidates)
      return kinded ? [{ ...kinded, candidates }] : []
    })
    return group => {
      const found = new Map<string, Map<string, number>>()
      for (const { name, usual, candidates } of kinded) {
        const counts = new Map<string, number>()
        countKinds(candidates, usual, group, counts)
        if (counts.size > 0) found.set(name, counts)
      }
      return found
    }
  }

  /** Returns the name and the usual kind of the candidates' resource or summary column; undefined if it has no kinds. */
  private kindedValues([first]: readonly Candidate[]): { readonly name: string; readonly usual: string } | undefined {
    const resource = first?.source.resource ?? null
    if (resource === null) {
      const { columnKinds } = this
      return columnKinds ? { name: nameOf(columnKinds), usual: columnKinds.usual.name } : undefined
    }
    const kinds = kindsOf(resource)
    return kinds && { name: resource, usual: kinds.usual.name }
  }

  /** Returns, for each resource, how many implausible samples of its best source the functions use in a group. */
  implausibleIn(order: SourceOrder | null): (group: number) => ReadonlyMap<string, number> {
    const contenders = this.contenders(order, () => true)
    return group => {
      const found = new Map<string, number>()
      for (const candidates of contenders) {
        const winner = candidates.find(({ rows }) => (rows[group] ?? 0) > 0)
        const resource = winner?.source.resource ?? ''
        const rows = winner?.rows[group] ?? 0
        const samples = this.unchecked.includes(resource)
          ? (winner?.implausible[group] ?? 0)
          : (winner?.functions.implausibleEdges(group, rows) ?? 0)
        if (samples > 0) found.set(resource, samples)
      }
      return found
    }
  }

  /** Returns the requested candidates, in one list per resource, best source first. */
  private contenders(
    order: SourceOrder | null,
    wanted: (candidate: Candidate) => boolean,
  ): readonly (readonly Candidate[])[] {
    const byResource = new Map<string | null, Candidate[]>()
    for (const candidate of this.candidates.values()) {
      if (!wanted(candidate)) continue
      getOrInsert(byResource, candidate.source.resource, () => []).push(candidate)
    }
    if (order) for (const candidates of byResource.values()) candidates.sort((a, b) => order(a.source, b.source))
    return [...byResource.values()]
  }

  private findCandidate(source: BlockSource): Candidate {
    const key = this.competes
      ? [source.resource, source.provider, source.sourceType].join('\u0000')
      : `${source.resource}`
    return getOrInsert(this.candidates, key, () => {
      const functions = new Functions(this.aggregates, argument => fills(source, argument))
      return { source, rows: new Float64Array(0), kinds: new Map(), implausible: new Float64Array(0), functions }
    })
  }
}

function addKinds({ kinds }: Candidate, block: Block, runs: Runs, groupCount: number): void {
  const found = block.kinds?.() ?? null
  if (found === null) return
  const mask = runs.mask?.rows ?? null
  let row = 0
  for (let k = 0; k < runs.count; k++) {
    const group = runs.groups[k] as number
    const end = runs.ends[k] as number
    for (; row < end; row++) {
      const code = found.codes[row] as number
      if (group < 0 || code === 0 || (mask !== null && mask[row] === 0)) continue
      const name = found.names[code] as string
      const counts = widened(kinds.get(name) ?? new Float64Array(0), groupCount, 0)
      counts[group] = (counts[group] as number) + 1
      kinds.set(name, counts)
    }
  }
}

function addImplausible(candidate: Candidate, block: Block, runs: Runs, groupCount: number): void {
  const marked = implausibleRows(block, candidate.functions.lastRange)
  if (marked === null) return
  const counts = widened(candidate.implausible, groupCount, 0)
  candidate.implausible = counts
  const mask = runs.mask?.rows ?? null
  let row = 0
  for (let k = 0; k < runs.count; k++) {
    const group = runs.groups[k] as number
    const end = runs.ends[k] as number
    for (; row < end; row++)
      if (group >= 0 && marked[row] === 1 && (mask === null || mask[row] === 1))
        counts[group] = (counts[group] as number) + 1
  }
}

/** Adds the kinds of the best source's rows in a group to the counts. */
function countKinds(
  candidates: readonly Candidate[],
  usualKind: string,
  group: number,
  counts: Map<string, number>,
): void {
  const count = (kind: string, rows: number): void => {
    if (rows > 0 && kind !== NO_KIND) counts.set(kind, (counts.get(kind) ?? 0) + rows)
  }
  const winner = candidates.find(candidate => (candidate.rows[group] ?? 0) > 0)
  let usual = winner?.rows[group] ?? 0
  for (const [kind, rows] of winner?.kinds ?? []) {
    usual -= rows[group] ?? 0
    count(kind, rows[group] ?? 0)
  }
  count(usualKind, usual)
}

/** Adds the kinds of a group to the counts if it has several. */
function addMixture(candidates: readonly Candidate[], usual: string, group: number, counts: Map<string, number>): void {
  const own = new Map<string, number>()
  countKinds(candidates, usual, group, own)
  if (own.size < 2) return
  for (const [kind, rows] of own) counts.set(kind, (counts.get(kind) ?? 0) + rows)
}

function fills(source: BlockSource, argument: ColumnRef): boolean {
  return !('resource' in argument) || argument.resource === null || argument.resource === source.resource
}

/** Combines the results of two timeseries resources. Only functions of the index can have more than one resource. */
function joined(name: string, a: number, b: number): number {
  if (name === 'count') return a + (Number.isNaN(b) ? 0 : b)
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a
  return name === 'min' || name === 'oldest' ? Math.min(a, b) : Math.max(a, b)
}
