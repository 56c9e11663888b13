/** Records what each source contributes to each group of a merged timeseries query, for `explain`. */
import { isDivisible, resourceNamed } from '../../../catalogue/resources.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { Groups } from '../group/groups.ts'
import type { Window } from '../plan/calendar.ts'
import { timeseriesColumn } from '../plan/columns.ts'
import type { GroupKey } from '../plan/keys.ts'
import type { Loc } from '../plan/refusal.ts'
import type { BlockSource } from '../scan/block.ts'
import type { TrackRows } from './track.ts'

/** What one source has in a group, and how much of it counts. */
export interface Contribution {
  readonly source: BlockSource
  /** Number of stored samples that begin in the group. */
  rows: number
  /** Number of parts of samples that count. */
  parts: number
  /** The sum of the parts, and the minutes that they cover. Null for a resource that is not an amount. */
  value: number | null
  minutes: number | null
  /** Why samples in the group have no value: the total of a day replaces them, or they are such a total in a shorter bucket. */
  withoutValue: 'replaced' | 'total' | null
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
    this.eachRun(rows, (contribution, count) => {
      contribution.rows += count
    })
  }

  /** Adds merged rows. */
  addCounted(rows: TrackRows): void {
    const resource = resourceNamed(rows.source.resource ?? '')
    if (!resource || !isDivisible(resource)) {
      this.eachRun(rows, (contribution, count) => {
        contribution.parts += count
      })
      return
    }
    const [values, seconds] = ['value', 'duration'].map(field =>
      rows.block.column(timeseriesColumn(resource.queryName, field, [])),
    )
    const mask = rows.kept?.rows ?? null
    this.eachRun(rows, (contribution, _, from, to) => {
      for (let row = from; row < to; row++) {
        if (mask !== null && mask[row] === 0) continue
        const value = values?.[row] ?? Number.NaN
        if (Number.isNaN(value)) {
          contribution.withoutValue = rows.isTotal ? 'total' : 'replaced'
          continue
        }
        contribution.parts++
        contribution.value = (contribution.value ?? 0) + value
        contribution.minutes = (contribution.minutes ?? 0) + (seconds?.[row] ?? 0) / 60
      }
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

  /** Visits the rows of each group, from `from` to `to`, with the number of those that are kept. */
  private eachRun(
    { block, kept, source }: TrackRows,
    visit: (contribution: Contribution, count: number, from: number, to: number) => void,
  ): void {
    const runs = this.groups.assign(block, kept)
    let from = 0
    for (let k = 0; k < runs.count; k++) {
      const group = runs.groups[k] ?? -1
      const to = runs.ends[k] ?? 0
      if (group >= 0) {
        const sources = getOrInsert(this.found, group, () => new Map<BlockSource, Contribution>())
        const contribution = getOrInsert(sources, source, () => emptyOf(source))
        visit(contribution, runs.rows[k] ?? 0, from, to)
      }
      from = to
    }
  }
}

function emptyOf(source: BlockSource): Contribution {
  return { source, rows: 0, parts: 0, value: null, minutes: null, withoutValue: null }
}
