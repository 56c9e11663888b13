/** Pairs the activities in Garmin Connect's own lists with their FIT files, so that each is stored once. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import type { SummaryRecord } from '../../../core/sample.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { type ActivityTitle, addActivityFile } from '../archive/activity-file.ts'
import { offsetBetween } from '../archive/clock.ts'
import type { ArchivePart } from '../archive/format.ts'
import type { PartRecord } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { type ArchiveWorkout, addWorkout } from '../archive/workouts.ts'

/** Maximum difference of the starts of an activity and its file. */
const TOGETHER_MS = 5 * SECOND_MS
/** Maximum number of activities, enough for more than a lifetime. */
const MOST_ACTIVITIES = 200_000
const KILOJOULES = 4.184
const ZONES = [0, 1, 2, 3, 4, 5] as const

interface Listed {
  readonly workout: ArchiveWorkout
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

  /** Reads an activity in a list. Lengths are in cm, durations in ms, speeds in cm/ms and energies in kJ. */
  add(activity: PartRecord) {
    const { run } = this
    const type = activity.text('activityType') ?? ''
    if (activity.value('parent') === true || type === 'multi_sport') {
      return run.skip('multisport activities, whose parts the list also has')
    }
    const start = activity.number('startTimeGmt') ?? activity.number('beginTimestamp')
    const duration = activity.number('elapsedDuration') ?? activity.number('duration')
    if (start === undefined || duration === undefined || duration < 0) return run.skip('activities without a time')
    if (this.listed.length >= MOST_ACTIVITIES) return run.skip(`activities after the first ${MOST_ACTIVITIES}`)
    const sport = sportOfName(type) ?? sportOfName(activity.text('sportType') ?? '') ?? undefined
    const title = activity.text('name')
    const workout: ArchiveWorkout = {
      recordId: [run.importing.chooseSourceType('watch'), start],
      start: { ms: start, offset: offsetBetween(activity.number('startTimeLocal'), start) },
      endMs: start + duration,
      sport: sport ?? OTHER_SPORT,
      title,
      stated: statedTotals(activity),
      sourceType: 'watch',
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
  const scaled = (field: string, factor: number): number | undefined => {
    const value = activity.number(field)
    return value === undefined ? undefined : value * factor
  }
  const zones = ZONES.map(zone => scaled(`hrTimeInZone_${zone}`, 1 / SECOND_MS))
  return {
    moving_time: scaled('movingDuration', 1 / SECOND_MS) ?? scaled('duration', 1 / SECOND_MS),
    distance: scaled('distance', 0.01),
    total_elevation_gain: scaled('elevationGain', 0.01),
    elev_low: scaled('minElevation', 0.01),
    elev_high: scaled('maxElevation', 0.01),
    average_speed: scaled('avgSpeed', 10),
    max_speed: scaled('maxSpeed', 10),
    calories: scaled('calories', 1 / KILOJOULES),
    average_hr: activity.positive('avgHr'),
    max_hr: activity.positive('maxHr'),
    steps: activity.number('steps'),
    hr_zones: zones.every(each => each === undefined) ? undefined : zones.map(each => Math.round(each ?? 0)),
  }
}
