/** Shows faults in tables and csv. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { fields, type View, view } from '../../output/view.ts'

type FaultRow = ReplyBody<Operations['fault.add']>

export function faultsView(faults: readonly FaultRow[]): View<FaultRow> {
  return view(
    faults,
    {
      id: row => row.fault_id,
      method: row => row.method ?? '*',
      path: row => row.path,
      effect: row => effectOf(row),
      ...fields<FaultRow>('probability', 'times', 'seed'),
    },
    'No faults.',
  )
}

function effectOf({ effect, status, latency_ms }: FaultRow): string {
  if (status !== null) return `${status}`
  return latency_ms === null ? effect : `${latency_ms}ms`
}
