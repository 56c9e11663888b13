/** A provider's workout data: its summary, samples and stream. */
import { localDate, MINUTE_MS } from '../../core/time.ts'
import { ActivityPoints } from '../shared/points.ts'
import { timeProblem } from '../shared/sample-collector.ts'
import { settlePoints, type Workout, workoutStream, workoutWithPoints } from '../shared/workout.ts'
import type { LivePage } from './page.ts'

export interface WorkoutRecord extends Omit<Workout, 'points'> {
  /** The provider's ID for the workout. */
  readonly id: string
  readonly version: string
  readonly sourceType: string
  readonly points?: ActivityPoints
}

/** Adds a workout's record to a page. The samples contain the workout's ID, as for imported workouts. */
export function addWorkout(page: LivePage, brought: WorkoutRecord): void {
  const workout = { ...brought, points: brought.points ?? new ActivityPoints() }
  const { id, version, sport, sourceType, start, end, offset, points } = workout
  if (timeProblem(start, end, page.now) !== undefined) {
    page.skip('workouts out of range')
    return
  }
  settlePoints(workout)
  const summary = workoutWithPoints(page.source(id, { sourceType, date: localDate(start, offset), offset }), workout)
  const record = page.record(id, version)
  record.summary(summary)
  const common = { sourceType, offset, text: { workout_id: summary.id, sport: sport.slug } }
  const whole = { ...common, start, end }
  record.samples.add({ ...whole, resource: 'workout_duration', value: (end - start) / MINUTE_MS }, 'workout duration')
  const { distance } = summary.document
  if (typeof distance === 'number') {
    record.samples.add({ ...whole, resource: 'workout_distance', value: distance }, 'workout distance')
  }
  const { time } = points
  for (const [i, value] of (points.column('heartrate') ?? []).entries()) {
    const at = time[i]
    if (at === undefined || Number.isNaN(value)) continue
    record.samples.add({ ...common, resource: 'heartrate', start: at, value }, 'workout heart rate')
  }
  const stream = workoutStream(summary, points.stream())
  if (stream.columns.size > 0) record.stream(stream)
}
