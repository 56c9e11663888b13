/** Shows faults in tables and csv. */
import type { ResponseOf } from '../../client/client.ts'
import { fields, type View, view } from '../../output/view.ts'

type FaultRow = ResponseOf<'fault.add'>

export function faultsView(faults: readonly FaultRow[]): View<FaultRow> {
  return view(
    faults,
    {
      id: row => row.fault_id,
      method: row => row.method ?? '*',
      path: row => row.path,
      effect: row => describeEffect(row),
      ...fields<FaultRow>('probability', 'times', 'seed'),
    },
    'No faults.',
  )
}

function describeEffect({ effect, status, latency_ms }: FaultRow): string {
  if (status !== null) return `${status}`
  return latency_ms === null ? effect : `${latency_ms}ms`
}
