/** Makes workouts of an archive's own records, with or without points. */
import { OTHER_SPORT, type Sport } from '../../../catalogue/sports.ts'
import type { EpochMs } from '../../../core/time.ts'
import { ActivityPoints, type PointValues } from '../../shared/points.ts'
import { dateIn, type RecordTime } from '../../shared/record-time.ts'
import type { StatedTotals } from '../../shared/totals.ts'
import { settlePoints, workoutStream, workoutWithPoints } from '../../shared/workout.ts'
import type { ArchiveRun } from './run.ts'

export interface ArchiveWorkout {
  /** The provider's ID of the workout. Without one, its start distinguishes it. */
  readonly id?: string | undefined
  readonly start: RecordTime | undefined
  readonly endMs: number | undefined
  /** Other by default. */
  readonly sport?: Sport | null | undefined
  readonly title?: string | null | undefined
  readonly stated: StatedTotals
  readonly points?: ActivityPoints
  /** Whether the heart rates of the points are also samples, because no other part has them. */
  readonly hasOwnHeartRates?: boolean
  readonly sourceType?: string
}

/** Adds a workout's summary and stream, and its heart rates if only it has them; skips a workout whose times cannot be. */
export function addWorkout(run: ArchiveRun, workout: ArchiveWorkout) {
  const { start, endMs: end, stated, sourceType } = workout
  if (start === undefined || end === undefined) return run.skip(`${run.family} records without times`)
  const problem = run.timesProblem(start.ms, end)
  if (problem !== undefined) return run.skip(`a ${run.family} record ${problem}`)
  const points = workout.points ?? new ActivityPoints()
  const { offset } = start
  const sport = workout.sport ?? OTHER_SPORT
  const recordId = workout.id ?? [run.importing.chooseSourceType(sourceType), start.ms]
  const made = { sport, title: workout.title ?? null, start: start.ms, end, offset, points, stated }
  settlePoints(made)
  const origin = run.origin(recordId, dateIn(start, run.context.timeZone), offset, sourceType)
  const summary = workoutWithPoints(origin, made)
  run.summary(summary)
  const text = { workout_id: summary.id, sport: sport.slug }
  const rates = workout.hasOwnHeartRates ? points.column('heartrate') : undefined
  for (const [i, value] of (rates ?? []).entries()) {
    const at = points.time[i]
    if (at === undefined || Number.isNaN(value)) continue
    run.sample('heartrate', { start: at, value, offset, text }, sourceType)
  }
  const stream = workoutStream(summary, points.stream())
  if (stream.columns.size === 0) return
  run.importing.records++
  run.item({ kind: 'stream', stream })
}

/** Collects the points of a workout whose values come from several lists. Values of the same time become one point. */
export class PointsByTime {
  private readonly values = new Map<EpochMs, PointValues>()

  set(time: EpochMs, values: PointValues): void {
    this.values.set(time, { ...this.values.get(time), ...values })
  }

  points(): ActivityPoints {
    const points = new ActivityPoints()
    for (const [time, values] of this.values) points.add(time, values)
    return points
  }
}
