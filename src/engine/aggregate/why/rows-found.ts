/** What a number is made of, in the form of the response. */
import type { Origin, WhyLeftOut, WhyRecord, WhySample, WhySource } from '../../../contract/aggregates/why.ts'
import type { Executed } from '../execute.ts'
import type { SourceOrder } from '../functions/priority.ts'
import type { BlockSource } from '../scan/block.ts'
import type { CollectedRows } from './collected-rows.ts'
import type { OriginsAsked } from './origins.ts'
import type { Question } from './question.ts'

export interface RowsAsked {
  readonly question: Question
  readonly executed: Executed
  readonly collected: CollectedRows
  readonly origins: OriginsAsked
  /** Maximum number of samples or records to list. */
  readonly limit: number
  /** Zone of data without an offset. */
  readonly zone: string
  /** The order in which sources are listed, which is that of the merge if there is one. */
  readonly order: SourceOrder
  /** The order that decides which source counts in a group without a merge. */
  readonly winners: SourceOrder
  readonly why: (better: BlockSource, worse: BlockSource) => string
  readonly signal: AbortSignal | undefined
}

export interface RowsFound {
  readonly sources: readonly WhySource[]
  readonly samples: readonly WhySample[]
  readonly samples_total: number
  readonly records: readonly WhyRecord[]
  readonly records_total: number
  readonly leftOut: readonly WhyLeftOut[]
  readonly origins: readonly Origin[]
}
