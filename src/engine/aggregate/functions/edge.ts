/**
 * Computes oldest and newest: the value with the earliest or latest index. Indexed reads are unchecked (`as number`) because the loops are
 * hot and the indices are always in range.
 */

import type { Runs } from '../group/runs.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { isMeasured } from '../plan/implausible.ts'
import { type Block, type BlockSource, unpackValue } from '../scan/block.ts'
import { rowChecker } from '../scan/implausible.ts'
import { type Accumulator, widened } from './accumulator.ts'
import { compareSources } from './priority.ts'

/**
 * Orders rows by floating time, then by instant (for the hour that a clock change repeats), then by source. If rows have the same time, the
 * better source's row wins. Among rows of one source, the row that was stored first wins.
 */
export class Edge implements Accumulator {
  private values = new Float64Array(0)
  private locals = new Float64Array(0)
  private instants = new Float64Array(0)
  private sources: BlockSource[] = []
  /** 1 for each group whose value belongs to an implausible sample. */
  private marks = new Float64Array(0)
  private readonly argument: ColumnRef
  /** 1 keeps the newest row, -1 the oldest. */
  private readonly sign: 1 | -1

  constructor(argument: ColumnRef, sign: 1 | -1) {
    this.argument = argument
    this.sign = sign
  }

  reserve(groups: number): void {
    this.values = widened(this.values, groups, Number.NaN)
    this.locals = widened(this.locals, groups, Number.NaN)
    this.instants = widened(this.instants, groups, Number.NaN)
    this.marks = widened(this.marks, groups, 0)
  }

  add(block: Block, runs: Runs): void {
    const cell = cellReader(block, this.argument)
    const isImplausible = isMeasured(this.argument) ? rowChecker(block) : null
    const mask = runs.mask?.rows ?? null
    let from = 0
    for (let k = 0; k < runs.count; k++) {
      const to = runs.ends[k] as number
      const group = runs.groups[k] as number
      if (group >= 0 && (runs.rows[k] as number) > 0)
        this.addRun(block, cell, isImplausible, group, from, to, mask, runs.ordered)
      from = to
    }
  }

  result(group: number): number {
    return this.values[group] ?? Number.NaN
  }

  /** Returns whether a group's value belongs to an implausible sample. Always false for columns other than a sample's values. */
  isImplausible(group: number): boolean {
    return this.marks[group] === 1
  }

  private addRun(
    block: Block,
    cell: (row: number) => number,
    isImplausible: ((row: number, value: number) => boolean) | null,
    group: number,
    from: number,
    to: number,
    mask: Uint8Array | null,
    ordered: boolean,
  ): void {
    // if times do not ascend, rows are visited in stored order, and the first of equal rows is kept
    const backwards = ordered && this.sign === 1
    for (let i = 0; i < to - from; i++) {
      const row = backwards ? to - 1 - i : from + i
      if (mask && mask[row] === 0) continue
      const value = cell(row)
      if (Number.isNaN(value)) continue
      const [at, when] = [block.local[row] as number, block.instant[row] as number]
      if (this.beats(group, at, when, block.source)) {
        this.values[group] = value
        this.locals[group] = at
        this.instants[group] = when
        this.sources[group] = block.source
        this.marks[group] = isImplausible?.(row, value) ? 1 : 0
      }
      // if times ascend, no other row of the run is earlier or later
      if (ordered) return
    }
  }

  private beats(group: number, at: number, when: number, source: BlockSource): boolean {
    const held = this.locals[group] as number
    if (at !== held) return Number.isNaN(held) || (at > held ? 1 : -1) === this.sign
    const heldInstant = this.instants[group] as number
    if (when !== heldInstant) return (when > heldInstant ? 1 : -1) === this.sign
    return compareSources(source, this.sources[group] as BlockSource) < 0
  }
}

function cellReader(block: Block, ref: ColumnRef): (row: number) => number {
  const constant = block.constant?.(ref)
  if (constant !== undefined) return () => constant
  const codes = block.codes?.(ref)
  if (codes) return row => unpackValue(codes, row)
  const column = block.column(ref)
  return row => column[row] as number
}
