/** Where a query reads from: the two reads of the store that it needs. */
import type { SampleStore, SummaryStore } from '../../../store/sample.ts'

export interface QuerySource {
  readonly samples: Pick<SampleStore, 'scan'>
  readonly summaries: Pick<SummaryStore, 'list'>
}
