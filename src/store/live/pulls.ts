/** Data from live pulls, and the times at which pulls are due. Part of the port (port.ts). */
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

/** One page of a pull: its data, and the pull's progress after it. Stored either completely or not at all. */
export interface LiveWrite {
  readonly holder: string
  readonly teamId: TeamId
  /** Engine time for stored data and events. */
  readonly at: EpochMs
  /** Real time. */
  readonly realNow: EpochMs
  readonly collection: string
  readonly records: readonly LiveRecord[]
  readonly batches: readonly SampleBatch[]
  /** The collection's progress afterwards. Absent if it is unchanged (for a page in the middle of a window). */
  readonly progress?: CollectionProgress
  /**
   * Returns the changes that follow from the stored progress of all collections, including this write, because other pages of the
   * connection may be stored at the same time. Absent if there are none. May be called again if the transaction runs again.
   */
  readonly follows?: (progress: LiveConnectionRecord['progress']) => LiveConsequence
  /** `none` during the history, because only its completion is announced. */
  readonly events: 'daily' | 'none'
  readonly pull: NewPull
  /** Sealed raw responses, if the OAuth app stores them. */
  readonly raw: readonly RawResponse[]
}

export interface LiveConsequence {
  readonly dueAt: EpochMs | null
  /** Resources whose history is complete. Each one causes a single `historical.data.R.created`, even if it is listed several times. */
  readonly completed: readonly CompletedHistory[]
}

export interface RawResponse {
  readonly answerId: string
  readonly collection: string
  readonly at: EpochMs
  readonly sealed: Uint8Array
  /** The pull of one window that the response belongs to. Null for responses stored before schema 12. */
  readonly pullId: string | null
}

/** A raw response without its content. */
export type RawHead = Omit<RawResponse, 'sealed'>

export type LiveOutcome =
  | { readonly kind: 'written'; readonly report: WriteReport; readonly removed: number }
  /** The lease was lost, or the connection is no longer connected. Nothing was written. */
  | { readonly kind: 'lost' }

export interface LiveFigures {
  readonly teamId: TeamId
  readonly provider: string
  readonly connections: number
  readonly inError: number
  /** Number of connections whose history is still being pulled. */
  readonly inHistory: number
  readonly lastPullAt: EpochMs | null
  readonly nextPullAt: EpochMs | null
  readonly waitingNotifications: number
}
