/** Data from live pulls, and when the pulls are due. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { NewPull, WriteReport } from '../data-write.ts'
import type { CollectionProgress, CompletedHistory, LiveConnectionRecord } from './connections.ts'

export interface LiveRecord {
  readonly id: string
  readonly version: string
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  readonly isDeleted?: boolean
}

/** One page of a pull: its data, and the pull's progress after it. It is stored completely or not at all. */
export interface LiveWrite {
  readonly holder: string
  readonly teamId: TeamId
  /** Engine time, which stored data and events carry. */
  readonly at: EpochMs
  /** Real time. */
  readonly realNow: EpochMs
  readonly collection: string
  readonly records: readonly LiveRecord[]
  readonly batches: readonly SampleBatch[]
  /** The collection's state afterwards; absent: unchanged (a page in the middle of a window). */
  readonly progress?: CollectionProgress
  /**
   * Returns the changes that follow from the progress of all collections, as stored with this write: other pages of the connection may be
   * stored at the same time. Absent: no changes. It may be called again if the transaction runs again.
   */
  readonly follows?: (progress: LiveConnectionRecord['progress']) => LiveConsequence
  /** `none` during the history: its end is announced instead. */
  readonly events: 'daily' | 'none'
  readonly pull: NewPull
  /** Raw responses, sealed, if the OAuth app keeps them. */
  readonly raw: readonly RawResponse[]
}

export interface LiveConsequence {
  readonly dueAt: EpochMs | null
  /** Resources whose history is complete. Each causes one `historical.data.R.created`, even if it is listed several times. */
  readonly completed: readonly CompletedHistory[]
}

export interface RawResponse {
  readonly answerId: string
  readonly collection: string
  readonly at: EpochMs
  readonly sealed: Uint8Array
}

export type LiveOutcome =
  | { readonly kind: 'written'; readonly report: WriteReport; readonly removed: number }
  /** The lease was lost, or the connection is no longer connected. Nothing is written. */
  | { readonly kind: 'lost' }

export interface LiveFigures {
  readonly teamId: TeamId
  readonly provider: string
  readonly connections: number
  readonly inError: number
  /** Connections whose history is still being pulled. */
  readonly inHistory: number
  readonly lastPullAt: EpochMs | null
  readonly nextPullAt: EpochMs | null
  readonly waitingNotifications: number
}
