/** Shows pairs of sessions that a merge may have matched incorrectly, and pairs that were declared the same or different. */
import type { ResponseOf } from '../../../client/client.ts'
import { fields, ranked, uncut, type View, view } from '../../../output/view.ts'

type Correction = ResponseOf<'aggregate.corrections'>['corrections'][number]
type Conflict = ResponseOf<'aggregate.conflicts'>['conflicts'][number]

export function conflictsView(conflicts: readonly Conflict[]): View<Conflict> {
  const columns = {
    start: ({ sessions: [first] }: Conflict) => first?.start ?? null,
    ...fields<Conflict>('table', 'conflict'),
    sources: ({ sessions }: Conflict) => sessions.map(sourceName).join(', '),
    ...fields<Conflict>('reason'),
    id: ({ sessions: [first] }: Conflict) => first?.id ?? null,
    other_id: ({ sessions: [, other] }: Conflict) => other?.id ?? null,
  }
  const order = ['start', 'reason', 'sources', 'conflict', 'table', 'id', 'other_id']
  return uncut(ranked(order, view(conflicts, columns, 'No conflicts.')), 'reason')
}

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

/** Returns a session's source: provider, source type, app and device. */
function sourceName(session: {
  readonly provider: string | null
  readonly source_type: string | null
  readonly app_id: string | null
  readonly device_id: string | null
}): string {
  const { provider, source_type, app_id, device_id } = session
  return [provider, source_type, app_id, device_id].filter(part => part !== null).join(' ')
}
