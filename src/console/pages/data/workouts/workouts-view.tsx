/** A list of workouts, and the stream of the chosen workout. */
import { momentText, numberText } from '../../../parts/chart/readout.ts'
import { ItemList, type ItemViewProps } from '../item-list.tsx'
import { sourceText } from '../resources.ts'
import { lengthText } from '../sleep/night.ts'
import { floatingIn } from '../summaries/summaries.ts'
import type { Workout } from './workout.ts'
import { WorkoutView } from './workout-view.tsx'

export function WorkoutsView(props: ItemViewProps) {
  const { zone } = props
  return (
    <ItemList<Workout>
      {...props}
      kind="workouts"
      noun="workouts"
      link={{ title: 'Workout', textOf: each => each.title ?? each.sport?.name ?? 'Workout' }}
      columns={[
        { title: 'Start', cell: each => momentText(floatingIn(each, each.time_start, zone)) },
        { title: 'Source', cell: each => sourceText(each.source) },
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
      {workout => <WorkoutView key={workout.id} workout={workout} zone={zone} />}
    </ItemList>
  )
}
