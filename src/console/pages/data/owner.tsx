/** The user whose data a page shows, with their resources, and what the page shows while there is nothing else to show. */
import type { ComponentChildren } from 'preact'
import { useChosenUser } from '../../api/chosen-user.ts'
import { Card } from '../../parts/page.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { useChosenUserRecord, useMeasuredZone, userZone } from '../../parts/time-zone.tsx'
import { type OwnResource, useOwnResources } from './resources.ts'

export interface Owner {
  /** Undefined until it is known. */
  readonly own: readonly OwnResource[] | undefined
  /** The user's fallback time zone. */
  readonly zone: string | null
  /** Says which times the page shows; undefined if no user is known. */
  readonly about: string | undefined
  readonly problems: ComponentChildren
  /** What to show instead of data; null if there are data. */
  readonly instead: ComponentChildren
}

/** Loads the chosen user and their resources. */
export function useOwner(): Owner {
  const userId = useChosenUser()
  const user = useChosenUserRecord()
  const { load, all, own } = useOwnResources(userId)
  const zone = userZone(user.data)
  const measured = useMeasuredZone()
  // the field shows the problem
  const isMissing = user.problem?.isMissing ?? false
  const about =
    measured === ''
      ? `Times are local: a sample's own offset decides, otherwise ${zone ?? 'UTC, as the user has no time zone'}.`
      : `Times are in ${measured}, converted from ${zone ?? 'UTC'}. Days are those of the user.`
  const problems = user.problem ? (
    !isMissing && <ProblemNote problem={user.problem} onRetry={user.reload} />
  ) : (
    <ProblemNote problem={load.problem ?? all.problem} onRetry={load.reload} />
  )
  return { own, zone, about: user.data ? about : undefined, problems, instead: instead() }

  function instead(): ComponentChildren {
    if (userId === null || isMissing) {
      return (
        <Card title="No user yet">
          <Empty title="Choose a user">Type part of a client_user_id above. The newest users are offered first.</Empty>
        </Card>
      )
    }
    if (own === undefined || !user.data) return load.problem || user.problem ? '' : <Skeleton lines={8} />
    if (own.length > 0) return null
    return (
      <Card title="No data">
        <Empty title="This user has no data yet">
          Link a provider on the user's page, import a file, or seed the engine.
        </Empty>
      </Card>
    )
  }
}
