/** The request for a synthetic person's data, and its result: the history at one provider. */
import type { Provider } from '../../catalogue/provider.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { LifeCourse } from './course/course.ts'

export interface HistoryRequest {
  /** The engine's seed. */
  readonly seed: string
  readonly userId: string
  readonly provider: Provider
  /**
   * The person's zone, an identifier that `isTimeZone` accepts; null if the zone is unknown; days are then UTC days, and samples have no
   * offset.
   */
  readonly timeZone: string | null
  readonly now: EpochMs
  /** Number of whole local days before the current one. Default: 30. */
  readonly days?: number
  /**
   * Limits the data to these resources, for example the ones that the user consented to. If absent, the data includes all of the provider's
   * resources.
   */
  readonly resources?: readonly string[]
  /** The events in the person's life; if absent, every day is an ordinary day at home. */
  readonly course?: LifeCourse | undefined
}

export interface SyntheticHistory {
  /** One non-empty batch per series, in ascending order of start. */
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  /** Workout streams, if the provider supplies them. */
  readonly streams: readonly StreamRecord[]
  /** Local midnight of the first day. All samples are in [from, now]. The first night may start on the previous evening. */
  readonly from: EpochMs
}
