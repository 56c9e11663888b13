/**
 * A recorded activity from any file format, and the data that is stored for it: samples, a workout summary and a stream. Reads by index are
 * unchecked (`as number`), because the loops are hot and stay in range.
 */
import type { SampleInput } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ActivityPoints } from '../../shared/points.ts'
import { dateIn } from '../../shared/record-time.ts'
import { metresBetween } from '../../shared/totals.ts'
import { settlePoints, type Workout, workoutStream, workoutWithPoints } from '../../shared/workout.ts'
import type { RecordImport } from '../records/import.ts'

/** Resources of which each point is a sample. */
export const POINT_SAMPLES = ['heartrate', 'respiratory_rate'] as const

/** A pool length. */
export interface SwimLength {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly strokes: number
}

export interface Activity extends Workout {
  readonly lengths?: readonly SwimLength[]
}

/**
 * Adds an activity's samples, workout summary and stream. The ID is derived from user, provider, source type and start, so importing the
 * same recording again changes nothing. If the offset is unknown, the date is determined in the user's fallback zone.
 */
export function addActivity(importing: RecordImport, activity: Activity): void {
  const { points, start, offset } = activity
  settlePoints(activity)
  addDistance(points)
  const { provider, context } = importing
  const sourceType = importing.chooseSourceType()
  const date = dateIn({ ms: start, offset }, context.timeZone)
  const { userId } = context
  const origin = { userId, provider, sourceType, recordId: [sourceType, start], date, offset }
  const summary = workoutWithPoints(origin, activity)
  addSamples(importing, activity, summary.id)
  importing.addItem({ kind: 'summary', summary })
  if (points.n > 0) importing.addItem({ kind: 'stream', stream: workoutStream(summary, points.stream()) })
}

/** Adds the distance along the positions if the file has positions but no distances. */
function addDistance(points: ActivityPoints): void {
  const [lats, lngs] = [points.column('lat'), points.column('lng')]
  if (lats === undefined || lngs === undefined || points.column('distance') !== undefined) return
  const distance = new Float64Array(points.n).fill(Number.NaN)
  let traveled = 0
  let last = -1
  for (let i = 0; i < points.n; i++) {
    if (Number.isNaN(lats[i]) || Number.isNaN(lngs[i])) continue
    if (last >= 0) {
      traveled += metresBetween(lats[last] as number, lngs[last] as number, lats[i] as number, lngs[i] as number)
    }
    distance[i] = Math.round(traveled * 100) / 100
    last = i
  }
  points.set('distance', distance)
}

function addSamples(importing: RecordImport, activity: Activity, workoutId: string): void {
  const { points, offset } = activity
  const { time } = points
  const text = { workout_id: workoutId, sport: activity.sport.slug }
  const add = (resource: string, { start, end = start, value }: SampleInput): void => {
    importing.add({ resource, start, end, value, offset, text }, 'a point of an activity')
  }
  for (const resource of POINT_SAMPLES) {
    const values = points.column(resource) ?? []
    for (let i = 0; i < values.length; i++) {
      const [start, value] = [time[i], values[i]]
      if (start !== undefined && value !== undefined && !Number.isNaN(value)) add(resource, { start, value })
    }
  }
  for (const step of distances(points)) add('workout_distance', step)
  for (const { start, end, strokes } of activity.lengths ?? []) {
    add('workout_swimming_stroke', { start, end, value: strokes })
  }
}

/** Yields the distance covered from each point to the next later one. When the distance decreases, counting restarts there. */
function* distances(points: ActivityPoints): Generator<SampleInput> {
  const values = points.column('distance')
  if (values === undefined) return
  const { time } = points
  let last = -1
  for (let i = 0; i < points.n; i++) {
    if (Number.isNaN(values[i])) continue
    const start = time[last] as number
    const end = time[i] as number
    if (last >= 0 && end === start) continue
    const covered = (values[i] as number) - (values[last] as number)
    if (last >= 0 && covered >= 0) yield { start, end, value: Math.round(covered * 1000) / 1000 }
    last = i
  }
}
