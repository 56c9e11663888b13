/** What a workout of a provider brings: its summary, its samples, and its stream. */
import type { Sport } from '../../catalogue/sports.ts'
import { STREAM_COLUMNS } from '../../core/stream.ts'
import { type EpochMs, formatDate, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { placesOf } from '../files/activity/activity.ts'
import { ActivityPoints } from '../files/activity/points.ts'
import { routeMap } from '../files/activity/polyline.ts'
import { isOnFoot } from '../files/activity/sports.ts'
import { type StatedTotals, totalsOf } from '../files/activity/totals.ts'
import type { RecordDraft } from './record-draft.ts'
import { workoutDocument } from './summary-documents.ts'

export interface Workout {
  readonly sport: Sport
  readonly title: string | null
  readonly sourceType: string
  readonly start: EpochMs
  readonly end: EpochMs
  /** Seconds east of UTC, or null if unknown. */
  readonly offset: number | null
  readonly stated: StatedTotals
  /** Owned by the workout. Cadence counts revolutions; in sports on foot it becomes steps. */
  readonly points?: ActivityPoints
}

/** Adds a workout to the record of the same id. Its samples name it, as those of imported workouts do. */
export function addWorkout(draft: RecordDraft, workout: Workout): void {
  const { sport, sourceType, start, end, offset, stated, points = new ActivityPoints() } = workout
  const workoutId = draft.summaryId('workouts')
  points.sort()
  if (isOnFoot(sport)) points.scale('cadence', 2)
  const date = formatDate(start + (offset ?? 0) * SECOND_MS)
  const totals = totalsOf(points, stated, start, end)
  const common = { sourceType, at: start, offset }
  draft.summary({
    kind: 'workouts',
    ...common,
    date,
    document: workoutDocument({
      providerId: draft.id,
      title: workout.title ?? sport.name,
      sport,
      start,
      end,
      offset,
      date,
      totals,
      map: routeMap(placesOf(points)),
    }),
  })
  const text = { workout_id: workoutId, sport: sport.slug }
  draft.sample('workout_duration', sourceType, { start, end, value: (end - start) / MINUTE_MS, offset, text })
  if (totals.distance !== null) {
    draft.sample('workout_distance', sourceType, { start, end, value: totals.distance, offset, text })
  }
  const { time } = points
  for (const [i, value] of (points.column('heartrate') ?? []).entries()) {
    const at = time[i]
    if (at !== undefined && !Number.isNaN(value))
      draft.sample('heartrate', sourceType, { start: at, value, offset, text })
  }
  const columns = points.having(STREAM_COLUMNS)
  if (columns.size === 0) return
  draft.stream({ ...common, workoutId, providerId: draft.id, sport: { ...sport }, n: points.n, time, columns })
}
