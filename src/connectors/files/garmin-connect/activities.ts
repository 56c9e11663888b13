/** Pairs the activities in Garmin Connect's own lists with their FIT files, so that each is stored once. */
import type { SummaryRecord } from '../../../core/sample.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { type ActivityTitle, addActivityFile } from '../archive/activity-file.ts'
import { offsetBetween } from '../archive/clock.ts'
import type { ArchivePart } from '../archive/format.ts'
import type { FieldTable, PartRecord } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { type ArchiveWorkout, addWorkout } from '../archive/workouts.ts'

/** Maximum difference of the starts of an activity and its file. */
const TOGETHER_MS = 5 * SECOND_MS
/** Maximum number of activities, enough for more than a lifetime. */
const MOST_ACTIVITIES = 200_000
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
  readonly title: ActivityTitle
  readonly position: string
  isInFile: boolean
}

export class GarminActivities {
  private readonly run: ArchiveRun
  private readonly listed: Listed[] = []
  private isSorted = true

  constructor(run: ArchiveRun) {
    this.run = run
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
    if (this.listed.length >= MOST_ACTIVITIES) return run.skip(`activities after the first ${MOST_ACTIVITIES}`)
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
    this.listed.push({ workout, title: { title, sport }, position: run.positionOf(), isInFile: false })
    this.isSorted = false
    run.hold()
  }

  /** Reads an activity file, after all lists. */
  async addFile(part: ArchivePart): Promise<void> {
    await addActivityFile(this.run, part, workout => this.titleOf(workout))
  }

  /** Adds the activities without a file. */
  finish(): void {
    this.run.family = 'activities'
    for (const { workout, position, isInFile } of this.listed) {
      if (isInFile)
        this.run.skip(
          'activities that are stored from their files, with the titles and sports of the list',
          1,
          position,
        )
      else addWorkout(this.run, workout)
    }
  }

  /** Returns what a list says about a workout in a file. */
  private titleOf({ at }: SummaryRecord): ActivityTitle | undefined {
    if (!this.isSorted) this.listed.sort((a, b) => a.workout.start.ms - b.workout.start.ms)
    this.isSorted = true
    const near = this.listed.slice(this.firstFrom(at - TOGETHER_MS), this.firstFrom(at + TOGETHER_MS + 1))
    const nearest = near.sort((a, b) => Math.abs(a.workout.start.ms - at) - Math.abs(b.workout.start.ms - at))[0]
    if (nearest !== undefined) nearest.isInFile = true
    return nearest?.title
  }

  private firstFrom(at: EpochMs): number {
    let [low, high] = [0, this.listed.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.listed[middle]?.workout.start.ms ?? 0) < at) low = middle + 1
      else high = middle
    }
    return low
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
