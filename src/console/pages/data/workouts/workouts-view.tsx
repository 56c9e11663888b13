/** A list of workouts, and the stream of the chosen workout. */
import { momentText, numberText } from '../../../parts/chart/readout.ts'
import { ItemList, type ItemViewProps } from '../item-list.tsx'
import { lengthText } from '../sleep/night.ts'
import { floatingIn } from '../summaries/summaries.ts'
import { WORKOUTS, type Workout, workoutName } from './workout.ts'
import { WorkoutView } from './workout-view.tsx'

export function WorkoutsView(props: ItemViewProps) {
  const { zone, onChange } = props
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
      {session => (
        <WorkoutView
          key={`${session.item.id} ${session.merged !== null}`}
          session={session}
          zone={zone}
          onOpen={item => onChange({ item, isMerged: false })}
        />
      )}
    </ItemList>
  )
}
