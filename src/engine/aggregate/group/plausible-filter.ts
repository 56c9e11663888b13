/** Leaves out implausible samples in addition to the rows that `where` drops, and counts them. See docs/interface/plausibility.md. */
import { getOrInsert } from '../../../core/maps.ts'
import type { Window } from '../plan/calendar.ts'
import type { GroupKey } from '../plan/keys.ts'
import type { Loc } from '../plan/refusal.ts'
import type { Block } from '../scan/block.ts'
import { implausibleRows } from '../scan/implausible.ts'
import { Groups } from './groups.ts'
import { RowMask } from './row-mask.ts'

/** Chooses the rows of a block that count. */
export interface RowFilter {
  /** Returns the rows of a block to keep, or null for all rows. */
  mask(block: Block): RowMask | null
}

/** The number of samples left out of each group, by resource. */
export class LeftOutRows {
  /** Groups of its own, because a group whose samples are all left out has no row in the result. */
  private readonly groups: Groups
  private readonly keys: readonly GroupKey[]
  private readonly counts = new Map<string, number[]>()
  private byKey: ReadonlyMap<string, number> | null = null

  constructor(keys: readonly GroupKey[], window: Window, loc: Loc) {
    this.keys = keys
    this.groups = new Groups(keys, window, loc)
  }

  add(block: Block, leftOut: RowMask): void {
    const counts = getOrInsert(this.counts, block.source.resource ?? '', () => [])
    const runs = this.groups.assign(block, leftOut)
    for (let k = 0; k < runs.count; k++) {
      const group = runs.groups[k] ?? -1
      if (group >= 0) counts[group] = (counts[group] ?? 0) + (runs.rows[k] ?? 0)
    }
  }

  /** Returns the number of samples in the window by resource, without resources that have none. */
  total(): ReadonlyMap<string, number> {
    const totals = [...this.counts].map(
      ([resource, counts]) => [resource, counts.reduce((sum, count) => sum + count, 0)] as const,
    )
    return new Map(totals.filter(([, count]) => count > 0))
  }

  /** Returns the number of samples by resource in the group whose key has these values. */
  in(values: readonly number[]): ReadonlyMap<string, number> {
    this.byKey ??= new Map(
      Array.from({ length: this.groups.count }, (_, group) => [
        this.keys.map((_key, k) => this.groups.value(k, group)).join(),
        group,
      ]),
    )
    const group = this.byKey.get(values.join()) ?? -1
    return new Map([...this.counts].flatMap(([resource, counts]) => (counts[group] ? [[resource, counts[group]]] : [])))
  }
}

/** Keeps the rows that `where` keeps, except for implausible samples of some resources. */
export class PlausibleFilter implements RowFilter {
  private readonly where: RowFilter | null
  private readonly resources: readonly string[]
  private readonly leftOut: LeftOutRows

  constructor(where: RowFilter | null, resources: readonly string[], leftOut: LeftOutRows) {
    this.where = where
    this.resources = resources
    this.leftOut = leftOut
  }

  mask(block: Block): RowMask | null {
    const kept = this.where?.mask(block) ?? null
    const marked = this.resources.includes(block.source.resource ?? '') ? implausibleRows(block) : null
    if (marked === null) return kept
    const rows = kept === null ? new Uint8Array(block.n).fill(1) : Uint8Array.from(kept.rows)
    let any = false
    for (let row = 0; row < block.n; row++) {
      if (marked[row] === 0 || rows[row] === 0) {
        marked[row] = 0
        continue
      }
      rows[row] = 0
      any = true
    }
    if (!any) return kept
    this.leftOut.add(block, RowMask.ofRows(marked))
    return RowMask.ofRows(rows)
  }
}
