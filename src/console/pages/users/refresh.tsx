/** Pulls a user's new data, and shows which resources were pulled and which were not. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { readableName } from '../../../catalogue/wording.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction } from '../../api/use-call.ts'
import { Facts } from '../../parts/page.tsx'
import { ProblemNote } from '../../parts/states.tsx'

type Refreshed = ResponseOf<'user.refresh'>

interface Refresh {
  readonly run: () => void
  readonly isRunning: boolean
  /** Result of the last refresh, as shown. */
  readonly result: ComponentChildren
}

export function useRefresh(userId: string, onRefreshed: () => void): Refresh {
  const [refreshed, setRefreshed] = useState<Refreshed | null>(null)
  const { run, isRunning, problem } = useAction(async () => {
    setRefreshed(null)
    setRefreshed(await call('user.refresh', { params: { user_id: userId }, query: {} }))
    onRefreshed()
  })
  const result = (problem || refreshed) && (
    <div class="users-result">
      <ProblemNote problem={problem} />
      {refreshed && (
        <div class="note" role="status">
          <Facts
            rows={[
              ['Refreshed', byProvider(refreshed.refreshed_sources)],
              ['In progress', byProvider(refreshed.in_progress_sources)],
              ['Failed', byProvider(refreshed.failed_sources)],
            ]}
          />
        </div>
      )}
    </div>
  )
  return { run, isRunning, result }
}

/** `oura/sleep`, `oura/steps` and `omron/weight` become "oura: sleep, steps" and "omron: weight". */
function byProvider(sources: readonly string[]): ComponentChildren {
  const groups = Map.groupBy(sources, source => source.slice(0, source.indexOf('/')))
  if (groups.size === 0) return null
  return [...groups].map(([provider, members]) => (
    <p key={provider}>
      <strong>{provider}</strong>: {members.map(each => readableName(each.slice(provider.length + 1))).join(', ')}
    </p>
  ))
}
