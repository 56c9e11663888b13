/** An endpoint's state, in one word. */
import type { ResponseOf } from '../../api/call.ts'
import { Badge } from '../../parts/small.tsx'

const REASONS = {
  manual: 'Disabled',
  failing: 'Disabled: failed for days',
  gone: 'Disabled: responded with 410',
} as const

export function EndpointState({ endpoint }: { readonly endpoint: ResponseOf<'webhook.get'> }) {
  const { state, disabled_reason, failing_since, target_problem } = endpoint
  if (state === 'disabled') return <Badge tone="warn">{REASONS[disabled_reason ?? 'manual']}</Badge>
  if (target_problem !== null) return <Badge tone="bad">Not reachable from here</Badge>
  return failing_since === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="bad">Failing</Badge>
}
