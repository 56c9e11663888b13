/**
 * The aggregation of a query: a lane for each source that competes, and at the end the winning lane of every group. A
 * lane keeps the state of every function, so one pass over the data is enough, whoever wins.
 */

import type { Runs } from '../group/runs.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { PlannedAggregate } from '../plan/plan.ts'
import type { Block, BlockSource } from '../scan/block.ts'
import { widened } from './accumulator.ts'
import { Functions } from './functions.ts'
import type { SourceOrder } from './priority.ts'

interface Lane {
  readonly source: BlockSource
  /** Rows a group. */
  rows: Float64Array<ArrayBuffer>
  readonly functions: Functions
}

/** Rows of one source in a group. */
export interface LaneRows {
  readonly source: BlockSource
  readonly rows: number
}

export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  private readonly aggregates: readonly PlannedAggregate[]
  private readonly competes: boolean

  /**
   * When they compete, the rows of a resource come from its best source inside every group. Otherwise all rows count (a query
   * without group_by).
   */
  constructor(aggregates: readonly PlannedAggregate[], competes: boolean) {
    this.aggregates = aggregates
    this.competes = competes
  }

  /** Takes the rows of a block; `groupCount` is the number of groups so far. */
  add(block: Block, runs: Runs, groupCount: number): void {
    const lane = this.laneOf(block.source)
    lane.rows = widened(lane.rows, groupCount, 0)
    const { rows } = lane
    for (let k = 0; k < runs.count; k++) {
      const group = runs.groups[k] as number
      if (group >= 0) rows[group] = (rows[group] as number) + (runs.rows[k] as number)
    }
    lane.functions.add(block, runs, groupCount)
  }

  /** The results of an aggregate for the groups in the order given; NaN is null. */
  results(aggregate: number, groups: Int32Array, order: SourceOrder | null): Float64Array {
    const { func } = this.aggregates[aggregate] as PlannedAggregate
    const contenders = this.contenders(order, lane => lane.functions.has(aggregate))
    return Float64Array.from(groups, group => {
      let result = func.name === 'count' ? 0 : Number.NaN
      for (const lanes of contenders) {
        const winner = lanes.find(lane => (lane.rows[group] ?? 0) > 0)
        const value = winner?.functions.result(aggregate, group) ?? Number.NaN
        result = joined(func.name, result, value)
      }
      return result
    })
  }

  /** The sources with rows in a group, by resource and best first. */
  rowsOf(order: SourceOrder | null): (group: number) => readonly (readonly LaneRows[])[] {
    const contenders = this.contenders(order, () => true)
    return group =>
      contenders
        .map(lanes =>
          lanes.map(({ source, rows }) => ({ source, rows: rows[group] ?? 0 })).filter(each => each.rows > 0),
        )
        .filter(lanes => lanes.length > 0)
  }

  /** The lanes that are wanted, a list a resource, each best first. */
  private contenders(order: SourceOrder | null, wanted: (lane: Lane) => boolean): readonly (readonly Lane[])[] {
    const byResource = new Map<string | null, Lane[]>()
    for (const lane of this.lanes.values()) {
      if (!wanted(lane)) continue
      const known = byResource.get(lane.source.resource)
      if (known) known.push(lane)
      else byResource.set(lane.source.resource, [lane])
    }
    if (order) for (const lanes of byResource.values()) lanes.sort((a, b) => order(a.source, b.source))
    return [...byResource.values()]
  }

  private laneOf(source: BlockSource): Lane {
    const key = this.competes
      ? [source.resource, source.provider, source.sourceType].join('\u0000')
      : `${source.resource}`
    let lane = this.lanes.get(key)
    if (!lane) {
      const functions = new Functions(this.aggregates, argument => fills(source, argument))
      lane = { source, rows: new Float64Array(0), functions }
      this.lanes.set(key, lane)
    }
    return lane
  }
}

function fills(source: BlockSource, argument: ColumnRef): boolean {
  return !('resource' in argument) || argument.resource === null || argument.resource === source.resource
}

/** Joins what two resources of the timeseries table say; only functions of the index ever meet more than one. */
function joined(name: string, a: number, b: number): number {
  if (name === 'count') return a + (Number.isNaN(b) ? 0 : b)
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a
  return name === 'min' || name === 'oldest' ? Math.min(a, b) : Math.max(a, b)
}
