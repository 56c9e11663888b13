/** Workouts: a list, and the stream of the chosen one. */
import { momentText, numberText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { Card } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import type { ContentProps } from '../address.ts'
import { ItemLink } from '../item-link.tsx'
import { sourceText } from '../resources.ts'
import { lengthText } from '../sleep/night.ts'
import { floatingIn, useSummaries } from '../summaries/summaries.ts'
import { SummaryCommand } from '../summaries/summary-view.tsx'
import type { Workout } from './workout.ts'
import { WorkoutView } from './workout-view.tsx'

interface WorkoutsViewProps extends ContentProps {
  readonly userId: string
  readonly view: View
}

const PER_PAGE = 14

export function WorkoutsView({ userId, view, zone, address, onChange }: WorkoutsViewProps) {
  const load = useSummaries<Workout>(userId, 'workouts', view)
  return (
    <>
      <Loaded load={load} lines={10}>
        {workouts => {
          const workout = workouts.find(({ id }) => id === address.item) ?? workouts[0]
          if (!workout) {
            return (
              <Card title="Workouts">
                <Empty title="No workouts in this period">Choose a longer period.</Empty>
              </Card>
            )
          }
          return (
            <>
              <WorkoutView key={workout.id} workout={workout} zone={zone} />
              <Card title="Workouts" isFlush>
                <PagedTable
                  label="List of workouts"
                  columns={[
                    {
                      title: 'Workout',
                      cell: each => (
                        <ItemLink
                          text={each.title ?? each.sport?.name ?? 'Workout'}
                          isCurrent={each === workout}
                          onChoose={() => onChange({ item: each.id })}
                        />
                      ),
                    },
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
                  rows={workouts}
                  keyOf={({ id }) => id}
                  perPage={PER_PAGE}
                  noun="workouts"
                />
              </Card>
            </>
          )
        }}
      </Loaded>
      <SummaryCommand userId={userId} kind="workouts" view={view} />
    </>
  )
}
