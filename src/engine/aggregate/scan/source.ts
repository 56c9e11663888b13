/** Declares the data source of a query: the store's reads that it needs. */
import type { Store } from '../../../store/port.ts'

export interface QuerySource {
  readonly samples: Pick<Store['samples'], 'scan'>
  readonly summaries: Pick<Store['summaries'], 'list'>
  readonly sessionMatches: Pick<Store['sessionMatches'], 'list'>
}
