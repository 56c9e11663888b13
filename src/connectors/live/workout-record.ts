/** What a workout of a provider brings: its summary, its samples, and its stream. */
import type { Sport } from '../../catalogue/sports.ts'
import { STREAM_COLUMNS } from '../../core/stream.ts'
import { type EpochMs, formatDate, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { placesOf } from '../files/activity/activity.ts'
import { ActivityPoints } from '../files/activity/points.ts'
import { routeMap } from '../files/activity/polyline.ts'
import { isOnFoot } from '../files/activity/sports.ts'
import { type StatedTotals, totalsOf } from '../files/activity/totals.ts'
import { timesProblem } from '../files/sample-collector.ts'
import { summaryId, workoutSummary } from './documents.ts'
import type { LivePage } from './page.ts'

export interface Workout {
  /** The provider's id of it. */
  readonly id: string
  readonly version: string
  readonly sport: Sport
  readonly sourceType: string
  readonly start: EpochMs
  readonly end: EpochMs
  /** Seconds east of UTC, or null if unknown. */
  readonly offset: number | null
  readonly stated: StatedTotals
  /** Owned by the workout. Cadence counts revolutions; in sports on foot it becomes steps. */
  readonly points?: ActivityPoints
}

/** Adds the record of a workout to a page. Its samples name it, as those of imported workouts do. */
export function addWorkout(page: LivePage, workout: Workout): void {
  const { id, version, sport, sourceType, start, end, offset, stated, points = new ActivityPoints() } = workout
  const { provider } = page
  if (timesProblem(start, end, page.latest) !== undefined) {
    page.skip('workouts out of range')
    return
  }
  points.sort()
  if (isOnFoot(sport)) points.scale('cadence', 2)
  const date = formatDate(start + (offset ?? 0) * SECOND_MS)
  const source = page.source(id, { sourceType, date, offset })
  const totals = totalsOf(points, stated, start, end)
  const record = page.record(id, version)
  record.summary(workoutSummary(source, { start, end }, sport, { ...totals, map: routeMap(placesOf(points)) }))
  const workoutId = summaryId(source, 'workouts')
  const common = { sourceType, offset, text: { workout_id: workoutId, sport: sport.slug } }
  const whole = { ...common, start, end }
  record.samples.add({ ...whole, resource: 'workout_duration', value: (end - start) / MINUTE_MS }, 'workout duration')
  if (totals.distance !== null) {
    record.samples.add({ ...whole, resource: 'workout_distance', value: totals.distance }, 'workout distance')
  }
  const { time } = points
  for (const [i, value] of (points.column('heartrate') ?? []).entries()) {
    const at = time[i]
    if (at === undefined || Number.isNaN(value)) continue
    record.samples.add({ ...common, resource: 'heartrate', start: at, value }, 'workout heart rate')
  }
  const columns = points.having(STREAM_COLUMNS)
  if (columns.size === 0) return
  const { n } = points
  record.stream({
    workoutId,
    provider,
    sourceType,
    at: start,
    offset,
    providerId: id,
    sport: { ...sport },
    n,
    time,
    columns,
  })
}
