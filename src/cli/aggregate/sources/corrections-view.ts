/** Shows pairs of sessions that were declared the same or different. */
import type { ResponseOf } from '../../../client/client.ts'
import { fields, ranked, type View, view } from '../../../output/view.ts'
import { sourceName } from './conflicts-view.ts'

type Correction = ResponseOf<'aggregate.corrections'>['corrections'][number]

export function correctionsView(corrections: readonly Correction[]): View<Correction> {
  const columns = {
    start: ({ sessions }: Correction) => sessions.find(({ start }) => start !== null)?.start ?? null,
    ...fields<Correction>('table', 'verdict'),
    sources: ({ sessions }: Correction) => sessions.map(each => sourceName(each) || 'not stored').join(', '),
    ...fields<Correction>('declared_at'),
    id: ({ sessions: [first] }: Correction) => first?.id ?? null,
    other_id: ({ sessions: [, other] }: Correction) => other?.id ?? null,
  }
  const order = ['start', 'verdict', 'sources', 'table', 'declared_at', 'id', 'other_id']
  return ranked(order, view(corrections, columns, 'No corrections.'))
}
