/**
 * The aggregation of a query: a lane for each source that competes, and at the end the winning lane of every group. A
 * lane keeps the state of every function, so one pass over the data is enough, whoever wins.
 */
import { type Accumulator, widened } from './accumulator.ts'
import type { Block, BlockSource } from './block.ts'
import type { ColumnRef } from './columns.ts'
import { accumulator } from './functions.ts'
import type { PlannedAggregate } from './plan.ts'
import type { SourceOrder } from './priority.ts'

interface Lane {
  readonly source: BlockSource
  /** Rows a group. */
  rows: Float64Array<ArrayBuffer>
  /** An accumulator an aggregate; null where the lane's resource never fills the argument. */
  readonly states: readonly (Accumulator | null)[]
}

export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  private readonly aggregates: readonly PlannedAggregate[]
  private readonly order: SourceOrder | null

  /**
   * With an order, the sources of each resource compete inside every group: the rows of a resource come from its best
   * source there. With null all rows count (a query without group_by).
   */
  constructor(aggregates: readonly PlannedAggregate[], order: SourceOrder | null) {
    this.aggregates = aggregates
    this.order = order
  }

  /** Takes the rows of a block; `groupCount` is the number of groups so far. */
  add(block: Block, groups: Int32Array, groupCount: number): void {
    const lane = this.laneOf(block.source)
    lane.rows = widened(lane.rows, groupCount, 0)
    const { rows } = lane
    for (let i = 0; i < groups.length; i++) if ((groups[i] as number) >= 0) (rows[groups[i] as number] as number)++
    for (const [i, state] of lane.states.entries()) {
      if (!state) continue
      state.reserve(groupCount)
      state.add(block.column((this.aggregates[i] as PlannedAggregate).argument), groups, block)
    }
  }

  /** The results of an aggregate for the groups in the order given; NaN is null. */
  results(aggregate: number, groups: Int32Array): Float64Array {
    const { func } = this.aggregates[aggregate] as PlannedAggregate
    const contenders = this.contenders(aggregate)
    return Float64Array.from(groups, group => {
      let result = func.name === 'count' ? 0 : Number.NaN
      for (const lanes of contenders) {
        const winner = lanes.find(lane => (lane.rows[group] ?? 0) > 0)
        const value = winner?.states[aggregate]?.result(group) ?? Number.NaN
        result = joined(func.name, result, value)
      }
      return result
    })
  }

  /** The lanes that fill an aggregate, a list a resource, each best first. */
  private contenders(aggregate: number): readonly (readonly Lane[])[] {
    const byResource = new Map<string | null, Lane[]>()
    for (const lane of this.lanes.values()) {
      if (!lane.states[aggregate]) continue
      const known = byResource.get(lane.source.resource)
      if (known) known.push(lane)
      else byResource.set(lane.source.resource, [lane])
    }
    const { order } = this
    if (order) for (const lanes of byResource.values()) lanes.sort((a, b) => order(a.source, b.source))
    return [...byResource.values()]
  }

  private laneOf(source: BlockSource): Lane {
    const key = this.order ? [source.resource, source.provider, source.sourceType].join('\u0000') : `${source.resource}`
    let lane = this.lanes.get(key)
    if (!lane) {
      const states = this.aggregates.map(({ func, argument }) =>
        fills(source, argument) ? accumulator(func.name) : null,
      )
      lane = { source, rows: new Float64Array(0), states }
      this.lanes.set(key, lane)
    }
    return lane
  }
}

function fills(source: BlockSource, argument: ColumnRef): boolean {
  return argument.kind !== 'sample' || argument.resource === null || argument.resource === source.resource
}

/** Joins what two resources of the timeseries table say; only functions of the index ever meet more than one. */
function joined(name: string, a: number, b: number): number {
  if (name === 'count') return a + (Number.isNaN(b) ? 0 : b)
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a
  return name === 'min' || name === 'oldest' ? Math.min(a, b) : Math.max(a, b)
}
