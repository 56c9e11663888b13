/** Pairs the activities in Garmin Connect's own lists with their FIT files, so that each is stored once. */
import type { SummaryRecord } from '../../../core/sample.ts'
import { SECOND_MS } from '../../../core/time.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import type { StatedBeside } from '../archive/activity-file.ts'
import { offsetBetween } from '../archive/clock.ts'
import type { FieldTable, PartRecord } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { type ArchiveWorkout, addWorkout } from '../archive/workouts.ts'
import { type Held, HeldRecords } from './held.ts'

/** Maximum difference of the starts of an activity and its file. */
const TOGETHER_MS = 5 * SECOND_MS
/** Lengths are in cm, durations in ms, speeds in cm/ms and energies in kJ. */
const TOTALS: FieldTable = {
  moving_time: ['movingDuration', 0.001],
  timer_time: ['duration', 0.001],
  distance: ['distance', 0.01],
  total_elevation_gain: ['elevationGain', 0.01],
  elev_low: ['minElevation', 0.01],
  elev_high: ['maxElevation', 0.01],
  average_speed: ['avgSpeed', 10],
  max_speed: ['maxSpeed', 10],
  calories: ['calories', 1 / 4.184],
  average_hr: 'avgHr',
  max_hr: 'maxHr',
  steps: 'steps',
}
const ZONES = [0, 1, 2, 3, 4, 5] as const

interface Listed {
  readonly workout: ArchiveWorkout & { readonly start: RecordTime }
  readonly title: StatedBeside
}

export class GarminActivities {
  private readonly run: ArchiveRun
  private readonly held: HeldRecords<Listed>

  constructor(run: ArchiveRun) {
    this.run = run
    this.held = new HeldRecords(run, 'activities')
  }

  /** Reads an activity in a list. */
  add(activity: PartRecord) {
    const { run } = this
    const type = activity.text('activityType') ?? ''
    if (activity.value('parent') === true || type === 'multi_sport') {
      return run.skip('multisport activities, whose parts the list also has')
    }
    const start = activity.number('startTimeGmt') ?? activity.number('beginTimestamp')
    const duration = activity.number('elapsedDuration') ?? activity.number('duration')
    if (start === undefined || duration === undefined) return run.skip('activities without a time')
    const sport = sportOfName(type) ?? sportOfName(activity.text('sportType') ?? '') ?? undefined
    const title = activity.text('name')
    const offset = offsetBetween(activity.number('startTimeLocal'), start)
    const workout = {
      start: { ms: start, offset },
      endMs: start + duration,
      sport,
      title,
      stated: statedTotals(activity),
    }
    this.held.hold(start, { workout, title: { title, sport } })
  }

  /** Returns what a list, all of which have been read, says about a workout in a file. */
  titleOf({ at }: SummaryRecord): StatedBeside | undefined {
    const distance = ({ item }: Held<Listed>): number => Math.abs(item.workout.start.ms - at)
    const [nearest] = this.held
      .near(at)
      .filter(each => distance(each) <= TOGETHER_MS)
      .sort((a, b) => distance(a) - distance(b))
    if (nearest !== undefined) nearest.isInFile = true
    return nearest?.item.title
  }

  finish(): void {
    const reason = 'activities that are stored from their files, with the titles and sports of the list'
    this.held.finish(reason, ({ workout }) => addWorkout(this.run, workout))
  }
}

function statedTotals(activity: PartRecord): ArchiveWorkout['stated'] {
  const zones = ZONES.map(zone => activity.number(`hrTimeInZone_${zone}`))
  const { timer_time, ...totals } = activity.positives(TOTALS)
  return {
    ...totals,
    moving_time: totals['moving_time'] ?? timer_time,
    hr_zones: zones.every(each => each === undefined) ? undefined : zones.map(ms => Math.round((ms ?? 0) / SECOND_MS)),
  }
}
