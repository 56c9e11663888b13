/** Records what each source contributes to each group of a merged timeseries query, for `explain`. */
import { isDivisible, resourceNamed } from '../../../catalogue/resources.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { Groups } from '../group/groups.ts'
import type { Window } from '../plan/calendar.ts'
import { timeseriesColumn } from '../plan/columns.ts'
import type { GroupKey } from '../plan/keys.ts'
import type { Loc } from '../plan/refusal.ts'
import type { BlockSource } from '../scan/block.ts'
import type { TrackRows } from './tracks.ts'

/** What one source has in a group, and what counts of it. */
export interface Contribution {
  readonly source: BlockSource
  /** Number of stored samples that begin in the group. */
  rows: number
  /** Number of parts of samples that count. */
  parts: number
  /** The sum of the parts, and the minutes that they cover. Null for a resource that is not an amount. */
  value: number | null
  minutes: number | null
}

export class Contributions {
  /** Groups of its own, because a group whose samples all lost their time has no row in the result. */
  private readonly groups: Groups
  private readonly keys: readonly GroupKey[]
  private readonly found = new Map<number, Map<BlockSource, Contribution>>()
  private byKey: ReadonlyMap<string, readonly Contribution[]> | null = null

  constructor(keys: readonly GroupKey[], window: Window, loc: Loc) {
    this.keys = keys
    this.groups = new Groups(keys, window, loc)
  }

  /** Adds a source's stored samples. */
  addStored(rows: TrackRows): void {
    this.eachRow(rows, contribution => {
      contribution.rows++
    })
  }

  /** Adds merged rows. */
  addCounted(rows: TrackRows): void {
    const resource = resourceNamed(rows.source.resource ?? '')
    if (!resource || !isDivisible(resource)) {
      this.eachRow(rows, contribution => {
        contribution.parts++
      })
      return
    }
    const [values, seconds] = ['value', 'duration'].map(field =>
      rows.block.column(timeseriesColumn(resource.queryName, field, [])),
    )
    this.eachRow(rows, (contribution, row) => {
      const value = values?.[row] ?? Number.NaN
      // a part that a total replaces
      if (Number.isNaN(value)) return
      contribution.parts++
      contribution.value = (contribution.value ?? 0) + value
      contribution.minutes = (contribution.minutes ?? 0) + (seconds?.[row] ?? 0) / 60
    })
  }

  /** Returns the contributions to a group of the result, whose key has these values, in order of first appearance. */
  to(values: readonly number[]): readonly Contribution[] {
    this.byKey ??= new Map(
      [...this.found].map(([group, sources]) => {
        const key = this.keys.map((_, k) => this.groups.value(k, group)).join()
        return [key, [...sources.values()]]
      }),
    )
    return this.byKey.get(values.join()) ?? []
  }

  private eachRow({ block, kept, source }: TrackRows, visit: (contribution: Contribution, row: number) => void): void {
    const runs = this.groups.assign(block, kept)
    let row = 0
    for (let k = 0; k < runs.count; k++) {
      const group = runs.groups[k] ?? -1
      const end = runs.ends[k] ?? 0
      for (; row < end; row++) {
        if (group < 0 || kept?.rows[row] === 0) continue
        const sources = getOrInsert(this.found, group, () => new Map<BlockSource, Contribution>())
        const empty = { source, rows: 0, parts: 0, value: null, minutes: null }
        visit(
          getOrInsert(sources, source, () => empty),
          row,
        )
      }
    }
  }
}
