/** Where a query reads from: the two reads of the store that it needs. */
import type { Store } from '../../../store/port.ts'

export interface QuerySource {
  readonly samples: Pick<Store['samples'], 'scan'>
  readonly summaries: Pick<Store['summaries'], 'list'>
}
