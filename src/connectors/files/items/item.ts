/** A parsed line of the item format (see lines.ts). */
import type { SampleInput, SeriesKey, SummaryRecord } from '../../../core/sample.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'

/** Defaults for fields that an item omits. */
export interface ItemReading {
  readonly provider: string
  readonly sourceType: string
  /** Zone for times without an offset; null means UTC. */
  readonly timeZone: string | null
  /** Returns the user's ID for an item's ID, which identifies a summary, a stream, or a sample's workout. */
  readonly idOf: (id: string) => string
  /** Returns an ID for a summary without one. The same arguments always give the same ID. */
  readonly newId: (kind: string, provider: string, sourceType: string, at: EpochMs) => string
}

/** An invalid field: its position in the item, and the allowed values. Never contains the value. */
export interface ItemIssue {
  readonly path: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

export interface SampleItem {
  readonly kind: 'sample'
  readonly series: SeriesKey
  readonly sample: SampleInput
  /** Whether a time was more precise than a millisecond; the finer digits are dropped. */
  readonly truncated: boolean
}

export type Item =
  | SampleItem
  | { readonly kind: 'summary'; readonly summary: SummaryRecord }
  | { readonly kind: 'stream'; readonly stream: StreamRecord }

export type ParsedItem = Item | { readonly kind: 'wrong'; readonly issues: readonly ItemIssue[] }
