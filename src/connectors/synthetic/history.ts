/** What is asked of a synthetic person, and what they tell: the history at one provider. */
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { LifeCourse } from './course/course.ts'

export interface HistoryRequest {
  /** The engine's seed. */
  readonly seed: string
  readonly userId: string
  /** Slug of the catalogue. */
  readonly provider: string
  /** The person's zone, an identifier that `isTimeZone` knows; null: unknown, days are days in UTC and samples have no offset. */
  readonly timeZone: string | null
  readonly now: EpochMs
  /** Whole local days before the running one; 30 by default. */
  readonly days?: number
  /** Of what the provider supplies these alone; absent: all. A consent may leave some of it out. */
  readonly resources?: readonly string[]
  /** What happens in the person's life; absent: every day is an ordinary one at home. */
  readonly course?: LifeCourse | undefined
}

export interface SyntheticHistory {
  /** One a series, ascending by start, none empty. */
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  /** Of the workouts, where the provider supplies streams. */
  readonly streams: readonly StreamRecord[]
  /** Local midnight of the first day. Every sample lies in [from, now]; the first night may begin the evening before. */
  readonly from: EpochMs
}
