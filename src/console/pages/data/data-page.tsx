/** Page with a user's measurements: any resource over time, nights, workouts and other summaries. */
import { useLoad } from '../../api/use-call.ts'
import type { View } from '../../parts/chart/series.ts'
import { DAY, toFloating } from '../../parts/floating.ts'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { userZone } from '../../parts/today.ts'
import type { User } from '../../parts/user-picker.tsx'
import { DataBar } from './data-bar.tsx'
import { type ContentProps, type DataState, useDataState } from './data-state.ts'
import { type OwnResource, type OwnResources, useOwnResources } from './resources.ts'
import { SleepView } from './sleep/sleep-view.tsx'
import { SummaryView } from './summaries/summary-view.tsx'
import { TimeseriesView } from './timeseries/timeseries-view.tsx'
import { WorkoutsView } from './workouts/workouts-view.tsx'

export default function DataPage() {
  const { state, change } = useDataState()
  const user = useLoad('user.get', state.user === null ? null : { params: { user_id: state.user } })
  const resources = useOwnResources(state.user)
  const zone = userZone(user.data)
  const own = resources.own
  // the field shows the problem
  const isMissing = user.problem?.isMissing ?? false
  const resource = own?.find(each => each.name === state.resource) ?? null
  const view = resource ? currentView(state, resource, zone) : null
  return (
    <Page
      title="Data"
      about={
        user.data
          ? `Times are local: a sample's own offset decides, otherwise ${zone ?? 'UTC, as the user has no time zone'}.`
          : "One user's samples, nights, workouts and other summaries."
      }
    >
      <DataBar state={state} resources={own} resource={resource} view={view} onChange={change} />
      {!isMissing && <ProblemNote problem={user.problem} onRetry={user.reload} />}
      {!user.problem && (
        <ProblemNote problem={resources.load.problem ?? resources.all.problem} onRetry={resources.load.reload} />
      )}
      <Content {...{ state, resources, resource, view, zone, onChange: change }} user={isMissing ? null : user.data} />
    </Page>
  )
}

interface AnyContentProps extends ContentProps {
  /** Null if the URL does not contain a user; undefined if the user is not loaded yet. */
  readonly user: User | null | undefined
  readonly resources: OwnResources
  readonly resource: OwnResource | null
  readonly view: View | null
}

function Content({ state, onChange, zone, user, resources, resource, view }: AnyContentProps) {
  const { own, load } = resources
  if (state.user === null || user === null) {
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
        <Empty title={state.resource === null ? 'Choose a resource' : `No data for ${state.resource}`}>
          {`The list above shows the ${own.length} resources for which this user has data.`}
        </Empty>
      </Card>
    )
  }
  const { user_id: userId } = user
  const shared = { userId, zone, own, view, state, onChange }
  if (resource.timeseries) {
    return (
      <TimeseriesView
        key={`${userId} ${resource.name}`}
        {...shared}
        resource={resource.timeseries}
        onView={next => onChange({ custom: next }, false)}
        isMerged={state.isMerged}
        hidden={state.hidden}
        onHide={hidden => onChange({ hidden }, false)}
        onReset={state.custom === null ? undefined : () => onChange({ custom: null }, false)}
      />
    )
  }
  const key = `${userId} ${resource.name}`
  if (resource.name === 'sleep') return <SleepView key={key} {...shared} />
  if (resource.name === 'workouts') return <WorkoutsView key={key} {...shared} />
  return <SummaryView key={key} {...shared} resource={resource.name} />
}

/** Returns the time range to show. A range given in days ends with the local day of the user's newest data. */
function currentView({ custom, days }: DataState, { newest, timeseries }: OwnResource, zone: string | null): View {
  if (custom !== null) return custom
  // the time of a daily summary is midnight UTC of its date, whatever the time zone
  const isDate = timeseries === null && newest % DAY === 0
  const to = (Math.floor((isDate ? newest : toFloating(newest, null, zone)) / DAY) + 1) * DAY
  return { from: to - days * DAY, to }
}
