/** A list of workouts. The chosen workout has its numbers and a chart for each stream channel. */
import { useMemo, useState } from 'preact/hooks'
import type { ResponseOf } from '../../../api/call.ts'
import { useLoad } from '../../../api/use-call.ts'
import { momentText, numberText } from '../../../parts/chart/readout.ts'
import { type ChartSeries, firstAt, type View } from '../../../parts/chart/series.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Badge, Command } from '../../../parts/small.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Channels } from '../channels.tsx'
import type { ItemViewProps } from '../data-state.ts'
import { ItemList } from '../item-list.tsx'
import { Filled, Members } from '../members.tsx'
import { filledBy, type Session, sessionSources, timesOf } from '../sessions.ts'
import { lengthText } from '../sleep/night.tsx'
import { floatingIn } from '../summaries/summaries.ts'
import { readChannels, WORKOUTS, type Workout, workoutName } from './workout.ts'

export function WorkoutsView(props: ItemViewProps) {
  const { zone } = props
  return (
    <ItemList<Workout>
      {...props}
      of={WORKOUTS}
      noun="workouts"
      link={{ title: 'Workout', textOf: workoutName }}
      columns={[
        { title: 'Start', cell: each => momentText(floatingIn(each, each.time_start, zone)) },
        { title: 'Sport', cell: each => each.sport?.name ?? '' },
        {
          title: 'Length',
          isNumber: true,
          cell: each => lengthText((Date.parse(each.time_end) - Date.parse(each.time_start)) / 1000),
        },
        {
          title: 'Distance',
          isNumber: true,
          cell: each => (each.distance === null ? '' : `${numberText(each.distance / 1000)} km`),
        },
        {
          title: 'Mean heart rate',
          isNumber: true,
          cell: each => (each.average_hr === null ? '' : `${each.average_hr} bpm`),
        },
      ]}
    >
      {(session, onOpen) => (
        <WorkoutView key={`${session.item.id} ${session.merged !== null}`} {...{ session, zone, onOpen }} />
      )}
    </ItemList>
  )
}

interface WorkoutViewProps {
  readonly session: Session<Workout>
  readonly zone: string | null
  /** Opens a stored session. */
  readonly onOpen: (id: string) => void
}

function WorkoutView({ session, zone, onOpen }: WorkoutViewProps) {
  const { item: workout, merged } = session
  const stream = useLoad('timeseries.workout_stream', { params: { workout_id: workout.id } })
  const { from, to } = timesOf(WORKOUTS, workout, zone)
  // the last point is often exactly at the end, which a view excludes
  const whole = { from, to: to + 1 }
  const withUnit = (column: string, value: number | null, unit: string) =>
    value === null ? null : <Filled text={`${numberText(value)} ${unit}`} source={filledBy(merged, column)} />
  return (
    <Card
      title={`${workoutName(workout)}, ${momentText(from)}`}
      {...(merged ? {} : { actions: <Badge>Stored session</Badge> })}
    >
      <Facts
        rows={[
          [merged ? 'Sources' : 'Source', sessionSources(session)],
          ['Sport', workout.sport?.name],
          ['Length', lengthText(to - from)],
          ['Distance', withUnit('gps', workout.distance === null ? null : workout.distance / 1000, 'km')],
          ['Energy', withUnit('calories', workout.calories, 'kcal')],
          [
            'Heart rate',
            workout.average_hr === null ? null : (
              <Filled
                text={`mean ${workout.average_hr}, highest ${workout.max_hr ?? 'unknown'} bpm`}
                source={filledBy(merged, 'heart_rate')}
              />
            ),
          ],
          ['Elevation gain', withUnit('gps', workout.total_elevation_gain, 'm')],
          ['Mean speed', withUnit('gps', workout.average_speed, 'm/s')],
          ['Mean power', withUnit('power', workout.average_watts, 'W')],
          ['Heart rate zones', workout.hr_zones?.map((each, i) => `${i + 1}: ${lengthText(each)}`).join(', ')],
        ]}
      />
      <Loaded load={stream} lines={12}>
        {data => <Stream data={data} workout={workout} zone={zone} whole={whole} />}
      </Loaded>
      {merged && <Members {...{ merged, zone, onOpen }} of={WORKOUTS} values="Times and values" />}
      <Command words={['svc', 'timeseries', 'stream', workout.id]} />
    </Card>
  )
}

interface StreamProps {
  readonly workout: Workout
  readonly zone: string | null
  readonly data: ResponseOf<'timeseries.workout_stream'>
  readonly whole: View
}

function Stream({ data, workout, zone, whole }: StreamProps) {
  const [view, setView] = useState(whole)
  const channels = useMemo(() => readChannels(data, workout, zone), [data, workout, zone])
  if (channels.length === 0) {
    return <Empty title="This workout has no stream">Its source sent only the numbers above.</Empty>
  }
  return (
    <>
      <Channels label="the workout" {...{ channels, whole, view }} onView={setView} />
      <PointTable channels={channels} view={view} />
    </>
  )
}

const PER_PAGE = 15

/** A table with all channels, which has one row for each stream point in the view. */
function PointTable({ channels, view }: { readonly channels: readonly ChartSeries[]; readonly view: View }) {
  const times = useMemo(() => {
    const all = new Set<number>()
    for (const { at } of channels) {
      const end = firstAt(at, view.to)
      for (let i = firstAt(at, view.from); i < end; i++) all.add(at[i] ?? 0)
    }
    return Float64Array.from(all).sort()
  }, [channels, view])
  return (
    <details>
      <summary>Points as a table</summary>
      <PagedTable
        label="Points of the stream"
        columns={[
          { title: 'Time', cell: (time: number) => momentText(time, true) },
          ...channels.map(({ label, unit, at, low }) => ({
            title: unit === '' ? label : `${label}, ${unit}`,
            isNumber: true,
            cell: (time: number) => {
              const i = firstAt(at, time)
              return at[i] === time ? numberText(low[i] ?? 0) : ''
            },
          })),
        ]}
        rows={{ length: times.length, slice: (from, to) => [...times.subarray(from, to)] }}
        rowKey={time => String(time)}
        perPage={PER_PAGE}
        noun="points"
      />
    </details>
  )
}
