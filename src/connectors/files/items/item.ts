/** What a line of the item format (lines.ts) stands for once it is read. */
import type { SampleInput, SeriesKey, SummaryRecord } from '../../../core/sample.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'

/** What an item does not say itself. */
export interface ItemReading {
  readonly provider: string
  readonly sourceType: string
  /** The zone in which times without an offset are read; null: UTC. */
  readonly timeZone: string | null
  /** The user's id for one that an item names: of summaries, of streams, and of the workouts of samples. */
  readonly idOf: (id: string) => string
  /** The id of a summary that comes without one: the same again for what makes it the same summary. */
  readonly newId: (kind: string, provider: string, sourceType: string, at: EpochMs) => string
}

/** A field that is wrong: where it stands in the item, and what is allowed. Never holds the value. */
export interface ItemIssue {
  readonly path: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

export interface SampleItem {
  readonly kind: 'sample'
  readonly series: SeriesKey
  readonly sample: SampleInput
  /** True when a time had digits finer than a millisecond: they are cut off. */
  readonly truncated: boolean
}

export type Item =
  | SampleItem
  | { readonly kind: 'summary'; readonly summary: SummaryRecord }
  | { readonly kind: 'stream'; readonly stream: StreamRecord }

export type ParsedItem = Item | { readonly kind: 'wrong'; readonly issues: readonly ItemIssue[] }
