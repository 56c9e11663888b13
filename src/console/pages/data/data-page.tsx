/** Page with a user's measurements: any resource over time, nights, workouts and other summaries. */
import type { View } from '../../parts/chart/series.ts'
import { DAY } from '../../parts/floating.ts'
import { Card, Page, TopicTabs } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { useMeasuredZone } from '../../parts/time-zone.tsx'
import { DataBar } from './data-bar.tsx'
import { type ContentProps, comparedStart, type DataState, useDataState } from './data-state.ts'
import { isQueried } from './merging.ts'
import { useOwner } from './owner.tsx'
import { lastDay, type OwnResource } from './resources.ts'
import { SleepView } from './sleep/sleep-view.tsx'
import { SummaryView } from './summaries/summary-view.tsx'
import { CompareView } from './timeseries/compare-view.tsx'
import { TimeseriesView } from './timeseries/timeseries-view.tsx'
import { WorkoutsView } from './workouts/workouts-view.tsx'

export default function DataPage() {
  const { state, change } = useDataState()
  const { own, zone, about, problems, instead } = useOwner()
  const resource = own?.find(each => each.name === state.resource) ?? null
  const view = resource ? currentView(state, resource, zone) : null
  const measured = useMeasuredZone()
  return (
    <Page title="Data" about={about ?? "One user's samples, nights, workouts and other summaries."}>
      <TopicTabs topic="/console/data" current="/console/data" />
      <DataBar state={state} resources={own} resource={resource} view={view} onChange={change} />
      {problems}
      {instead ??
        (state.user !== null && (
          <Content
            key={measured}
            {...{ state, resource, view, zone, onChange: change, userId: state.user, own: own ?? [] }}
          />
        ))}
    </Page>
  )
}

interface AnyContentProps extends ContentProps {
  readonly userId: string
  readonly own: readonly OwnResource[]
  readonly resource: OwnResource | null
  readonly view: View | null
}

function Content({ state, onChange, zone, userId, own, resource, view }: AnyContentProps) {
  if (resource === null || view === null) {
    return (
      <Card title="No resource yet">
        <Empty title={state.resource === null ? 'Choose a resource' : `No data for ${state.resource}`}>
          {`The list above shows the ${own.length} resources for which this user has data.`}
        </Empty>
      </Card>
    )
  }
  const shared = { userId, zone, own, view, state, onChange }
  const compared = comparedStart(state, view)
  if (resource.timeseries && isQueried(resource.timeseries) && compared !== null)
    return <CompareView key={userId} {...{ userId, zone, view }} resource={resource.timeseries} start={compared} />
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
        beside={state.beside}
        onBeside={beside => onChange({ beside }, false)}
        onReset={state.custom === null ? undefined : () => onChange({ custom: null }, false)}
      />
    )
  }
  const key = `${userId} ${resource.name}`
  if (resource.name === 'sleep') return <SleepView key={key} {...shared} />
  if (resource.name === 'workouts') return <WorkoutsView key={key} {...shared} />
  return <SummaryView key={key} {...shared} resource={resource.name} />
}

/** Returns the time range to show. A range given in days ends with the last local day of the resource. */
function currentView({ custom, days }: DataState, resource: OwnResource, zone: string | null): View {
  if (custom !== null) return custom
  const to = lastDay(resource, zone) + DAY
  return { from: to - days * DAY, to }
}
