/** The charts of a day, with one time range and one cursor: stages, workouts and resources. Below is the list of nights and workouts. */
import { Fragment } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { formatTitle } from '../../../../catalogue/wording.ts'
import { useLoader } from '../../../api/use-call.ts'
import { ChartGroup } from '../../../parts/chart/chart-group.tsx'
import type { ChartSeries, View } from '../../../parts/chart/series.ts'
import { Chart } from '../../../parts/chart/time-chart.tsx'
import { DAY, floatingText } from '../../../parts/floating.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { Loaded, ProblemNote } from '../../../parts/states.tsx'
import { ROW_HEIGHT } from '../channels.tsx'
import { spanText } from '../members.tsx'
import { isQueried, listText } from '../merging.ts'
import { type Session, type SessionKind, sessionSources, timesOf, useSessions } from '../sessions.ts'
import { describeStages, NIGHTS, type Night, spanSeries, stageSeries } from '../sleep/night.tsx'
import { readStages } from '../sleep/sleep-view.tsx'
import type { AnySummary } from '../summaries/summaries.ts'
import { AddChart, BesideChart } from '../timeseries/beside.tsx'
import { WORKOUTS, type Workout, workoutName } from '../workouts/workout.ts'
import type { DayProps } from './day-values.tsx'

interface DayChartsProps extends DayProps {
  /** Names of more resources to draw. */
  readonly beside: readonly string[]
  readonly onBeside: (names: readonly string[]) => void
}

/** Resources that are always drawn, if the user has data. */
const ALWAYS = ['heartrate', 'glucose', 'steps']

/** A night or workout of the day. Times are floating. */
interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly href: string
  readonly sources: string
}

export function DayCharts(props: DayChartsProps) {
  const { userId, zone, day } = props
  // a night that ends on the next day may begin on this one
  const nights = useSessions<Night>(NIGHTS, {
    userId,
    zone,
    view: { from: day.from, to: day.to + DAY },
    isMerged: true,
  })
  const workouts = useSessions<Workout>(WORKOUTS, { userId, zone, view: day, isMerged: true })
  return (
    <Loaded load={nights} lines={8}>
      {slept => (
        <Loaded load={workouts} lines={8}>
          {done => (
            <Drawn
              {...props}
              slept={slept.filter(each => isWithin(timesOf(NIGHTS, each.item, zone), day))}
              done={done}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

const isWithin = ({ from, to }: View, day: View): boolean => from < day.to && to > day.from

function spanOf<T extends AnySummary>(
  of: SessionKind<T>,
  session: Session<T>,
  zone: string | null,
  name: string,
): Span {
  const { from, to } = timesOf(of, session.item, zone)
  const [first, last] = [Math.floor(to / DAY) * DAY, Math.floor(to / DAY + 1) * DAY].map(floatingText)
  const href = `/console/data?resource=${of.kind}&item=${session.item.id}&start=${first}&end=${last}`
  return { name, from, to, href, sources: sessionSources(session) }
}

/** The chart of stages or of workouts, with its text. */
interface SpanChart {
  readonly series: readonly ChartSeries[]
  readonly text: string
}

interface DrawnProps extends DayChartsProps {
  readonly slept: readonly Session<Night>[]
  readonly done: readonly Session<Workout>[]
}

function Drawn({ userId, zone, own, day, beside, onBeside, slept, done }: DrawnProps) {
  const [view, setView] = useState(day)
  const stages = useLoader(`stages ${slept.map(({ item }) => item.id)}`, async signal =>
    (await Promise.all(slept.map(each => readStages(each, zone, signal)))).flat().sort((a, b) => a.from - b.from),
  )
  const nights = slept.map(each => spanOf(NIGHTS, each, zone, formatTitle(each.merged?.role ?? each.item.type)))
  const workouts = done.map(each => spanOf(WORKOUTS, each, zone, workoutName(each.item)))
  const spans = useMemo((): readonly SpanChart[] => {
    const slices = stages.data ?? []
    const names = [...new Set(workouts.map(({ name }) => name))]
    const rows = names.map(title => ({ title, color: 5 }))
    const runs = workouts.map(each => ({ ...each, row: names.indexOf(each.name) })).sort((a, b) => a.from - b.from)
    return [
      ...(slices.length === 0 ? [] : [{ series: [stageSeries(slices)], text: describeStages(slices) }]),
      ...(runs.length === 0 ? [] : [{ series: [spanSeries('Workouts', runs, rows)], text: `${listText(names)}.` }]),
    ]
  }, [stages.data, done])
  const isZoomed = view.from !== day.from || view.to !== day.to
  const possible = own.flatMap(({ timeseries: of }) => (of && isQueried(of) ? [of] : []))
  const drawn = [...ALWAYS, ...beside].flatMap(name => possible.find(each => each.resource === name) ?? [])
  return (
    <Card title="Charts">
      <ProblemNote problem={stages.problem} onRetry={stages.reload} />
      <ChartGroup label="the day" {...{ view }} onView={setView} onReset={isZoomed ? () => setView(day) : undefined}>
        {spans.map(({ series, text }) => {
          const [{ label = '', rows = [] } = {}] = series
          return (
            <Chart
              key={label}
              texts={[text]}
              height={rows.length * ROW_HEIGHT}
              {...{ label, series }}
              hasTimes={false}
            />
          )
        })}
        {drawn.map(each => (
          <BesideChart
            key={each.resource}
            {...{ userId, zone, own, view, resource: each }}
            isMerged
            onRemove={
              ALWAYS.includes(each.resource) ? undefined : () => onBeside(beside.filter(name => name !== each.resource))
            }
          />
        ))}
      </ChartGroup>
      <AddChart
        resources={possible.filter(each => !drawn.includes(each))}
        onAdd={name => onBeside([...beside, name])}
      />
      {nights.length + workouts.length > 0 && (
        <div class="stack">
          <h3>Nights and workouts</h3>
          <Facts
            rows={[...nights, ...workouts]
              .sort((a, b) => a.from - b.from)
              .map(({ name, from, to, href, sources }) => [
                name,
                <Fragment key={href}>
                  <a href={href}>{spanText({ from, to })}</a>
                  <div class="soft">{`From ${sources}`}</div>
                </Fragment>,
              ])}
          />
        </div>
      )}
    </Card>
  )
}
