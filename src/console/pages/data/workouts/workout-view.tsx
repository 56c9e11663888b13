/** One workout, with its numbers and a chart for each stream channel. */
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
import { Filled, Members } from '../members.tsx'
import { filledBy, type Session, sessionSources } from '../sessions.ts'
import { lengthText } from '../sleep/night.ts'
import { floatingIn } from '../summaries/summaries.ts'
import { readChannels, type Workout, workoutName } from './workout.ts'

interface WorkoutViewProps {
  readonly session: Session<Workout>
  readonly zone: string | null
  /** Opens a stored session. */
  readonly onOpen: (id: string) => void
}

export function WorkoutView({ session, zone, onOpen }: WorkoutViewProps) {
  const { item: workout, merged } = session
  const stream = useLoad('timeseries.workout_stream', { params: { workout_id: workout.id } })
  const whole = {
    from: floatingIn(workout, workout.time_start, zone),
    // the last point is often exactly at the end, which a view excludes
    to: floatingIn(workout, workout.time_end, zone) + 1,
  }
  const withUnit = (column: string, value: number | null, unit: string) =>
    value === null ? null : <Filled text={`${numberText(value)} ${unit}`} source={filledBy(merged, column)} />
  const timesOf = (of: Workout) => [floatingIn(of, of.time_start, zone), floatingIn(of, of.time_end, zone)] as const
  return (
    <Card
      title={`${workoutName(workout)}, ${momentText(whole.from)}`}
      {...(merged ? {} : { actions: <Badge>Stored session</Badge> })}
    >
      <Facts
        rows={[
          [merged ? 'Sources' : 'Source', sessionSources(session)],
          ['Sport', workout.sport?.name],
          ['Length', lengthText(whole.to - whole.from - 1)],
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
      {merged && <Members merged={merged} timesOf={timesOf} values="Times and values" onOpen={onOpen} />}
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
