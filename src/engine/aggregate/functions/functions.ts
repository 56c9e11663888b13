/** Runs the aggregate functions for one source. Functions on the same column share one pass where possible. */
import { type AggregateFunction, resultType } from '../../../catalogue/query-functions.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { Runs } from '../group/runs.ts'
import { type ColumnRef, sameColumn } from '../plan/columns.ts'
import { isMeasured } from '../plan/implausible.ts'
import type { Block } from '../scan/block.ts'
import type { ValueRange } from '../scan/implausible.ts'
import type { Accumulator } from './accumulator.ts'
import { CircularMean } from './circular-mean.ts'
import { Edge } from './edge.ts'
import { Median } from './median.ts'
import { NUMBER_FUNCTIONS, Numbers } from './numbers.ts'

interface RequestedFunction {
  readonly func: AggregateFunction
  readonly argument: ColumnRef
}

/** States of the requested aggregates. An aggregate that `fills` rejects has no state. */
export class Functions {
  private readonly shared: Numbers[] = []
  private readonly own: Accumulator[] = []
  private readonly edges = new Map<'oldest' | 'newest', Edge[]>()
  /** The state that knows the range of a sample's values. */
  private measured: Numbers | undefined
  private readonly results: (((group: number) => number) | null)[]

  constructor(asked: readonly RequestedFunction[], fills: (argument: ColumnRef) => boolean) {
    const numbers = new Map<ColumnRef, Numbers>()
    this.results = asked.map(({ func, argument }) => {
      if (!fills(argument)) return null
      const isClock = resultType(func, argument.type) === 'time_of_day'
      if (isClock || !NUMBER_FUNCTIONS.includes(func.name)) {
        const state = isClock ? new CircularMean(argument) : createState(func.name, argument)
        if (state instanceof Edge) getOrInsert(this.edges, func.name as 'oldest' | 'newest', () => []).push(state)
        this.own.push(state)
        return group => state.result(group)
      }
      const first = asked.find(each => sameColumn(each.argument, argument))?.argument ?? argument
      let state = numbers.get(first)
      if (!state) {
        const names = asked.filter(each => sameColumn(each.argument, argument)).map(each => each.func.name)
        state = new Numbers(argument, names)
        numbers.set(first, state)
        this.shared.push(state)
        if (isMeasured(argument)) this.measured = state
      }
      const found = state
      return group => found.result(func.name, group)
    })
  }

  add(block: Block, runs: Runs, groupCount: number): void {
    for (const state of this.shared) {
      state.reserve(groupCount)
      state.add(block, runs)
    }
    for (const state of this.own) {
      state.reserve(groupCount)
      state.add(block, runs)
    }
  }

  /** Returns the range of the values of the last block that functions used, or null if it is not known. */
  get lastRange(): ValueRange | null {
    return this.measured?.last ?? null
  }

  /** Returns how many implausible samples the functions oldest and newest use in a group with this number of rows. */
  implausibleEdges(group: number, rows: number): number {
    let count = 0
    for (const states of this.edges.values()) if (states.some(each => each.isImplausible(group))) count++
    // the oldest and the newest sample can be the same one
    return Math.min(count, rows)
  }

  /** Returns whether the aggregate at this index has a state. */
  has(aggregate: number): boolean {
    return this.results[aggregate] !== null
  }

  /** Returns a result. NaN means null. */
  result(aggregate: number, group: number): number {
    return this.results[aggregate]?.(group) ?? Number.NaN
  }
}

function createState(name: AggregateFunction['name'], argument: ColumnRef): Accumulator {
  if (name === 'median') return new Median(argument)
  return new Edge(argument, name === 'newest' ? 1 : -1)
}
