/** A user's measurements: any resource over time, nights, workouts and other summaries. */
import { useLoad } from '../../api/use-call.ts'
import type { View } from '../../parts/chart/series.ts'
import { DAY, toFloating } from '../../parts/floating.ts'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { userZone } from '../../parts/today.ts'
import type { User } from '../../parts/user-picker.tsx'
import { type ContentProps, type DataAddress, useDataAddress } from './address.ts'
import { DataBar } from './data-bar.tsx'
import { type OwnResource, type OwnResources, useOwnResources } from './resources.ts'
import { SleepView } from './sleep/sleep-view.tsx'
import { SummaryView } from './summaries/summary-view.tsx'
import { TimeseriesView } from './timeseries/timeseries-view.tsx'
import { WorkoutsView } from './workouts/workouts-view.tsx'

export default function DataPage() {
  const { address, change } = useDataAddress()
  const user = useLoad('user.get', address.user === null ? null : { params: { user_id: address.user } })
  const resources = useOwnResources(address.user)
  const zone = userZone(user.data)
  const own = resources.own
  // the field shows the problem
  const isMissing = user.problem?.isMissing ?? false
  const resource = own?.find(each => each.name === address.resource) ?? null
  const view = resource ? viewOf(address, resource, zone) : null
  return (
    <Page
      title="Data"
      about={
        user.data
          ? `Times are local: a sample's own offset decides, otherwise ${zone ?? 'UTC, as the user has no time zone'}.`
          : "One user's samples, nights, workouts and other summaries."
      }
    >
      <DataBar address={address} resources={own} resource={resource} view={view} onChange={change} />
      {!isMissing && <ProblemNote problem={user.problem} onRetry={user.reload} />}
      {!user.problem && (
        <ProblemNote problem={resources.load.problem ?? resources.all.problem} onRetry={resources.load.reload} />
      )}
      <Content
        {...{ address, resources, resource, view, zone, onChange: change }}
        user={isMissing ? null : user.data}
      />
    </Page>
  )
}

interface AnyContentProps extends ContentProps {
  /** Null if the URL names no user; undefined if the user is not loaded yet. */
  readonly user: User | null | undefined
  readonly resources: OwnResources
  readonly resource: OwnResource | null
  readonly view: View | null
}

function Content({ address, onChange, zone, user, resources, resource, view }: AnyContentProps) {
  const { own, load } = resources
  if (address.user === null || user === null) {
    return (
      <Card title="No user yet">
        <Empty title="Choose a user">Type part of a client_user_id above. The newest users are offered first.</Empty>
      </Card>
    )
  }
  if (own === undefined || user === undefined) return load.problem ? null : <Skeleton lines={8} />
  if (own.length === 0) {
    return (
      <Card title="No data">
        <Empty title="This user has no data yet">
          Link a provider on the user's page, import a file, or seed the engine.
        </Empty>
      </Card>
    )
  }
  if (resource === null || view === null) {
    return (
      <Card title="No resource yet">
        <Empty title={address.resource === null ? 'Choose a resource' : `No data for ${address.resource}`}>
          {`The list above shows the ${own.length} resources for which this user has data.`}
        </Empty>
      </Card>
    )
  }
  const { user_id: userId } = user
  const shared = { userId, zone, own, view, address, onChange }
  if (resource.timeseries) {
    return (
      <TimeseriesView
        key={`${userId} ${resource.name}`}
        {...shared}
        resource={resource.timeseries}
        onView={next => onChange({ custom: next }, false)}
        hidden={address.hidden}
        onHide={hidden => onChange({ hidden }, false)}
        onReset={address.custom === null ? undefined : () => onChange({ custom: null }, false)}
      />
    )
  }
  const key = `${userId} ${resource.name}`
  if (resource.name === 'sleep') return <SleepView key={key} {...shared} />
  if (resource.name === 'workouts') return <WorkoutsView key={key} {...shared} />
  return <SummaryView key={key} {...shared} resource={resource.name} />
}

/** Returns the period to show. A period given in days ends with the local day of the user's newest data. */
function viewOf({ custom, days }: DataAddress, { newest, timeseries }: OwnResource, zone: string | null): View {
  if (custom !== null) return custom
  // a daily summary has its date as midnight UTC, whatever the time zone
  const isDate = timeseries === null && newest % DAY === 0
  const to = (Math.floor((isDate ? newest : toFloating(newest, null, zone)) / DAY) + 1) * DAY
  return { from: to - days * DAY, to }
}
