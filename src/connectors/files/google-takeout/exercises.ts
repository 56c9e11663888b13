/** Reads the exercises in a Google Health takeout, which contains them as JSON and as a table. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { type EpochMs, localDate, MINUTE_MS } from '../../../core/time.ts'
import { asNumber, asText, member, objectsIn } from '../../shared/json-fields.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { type ArchiveClock, readOffset, utcTime } from '../archive/clock.ts'
import type { PartRecord, TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { type ArchiveWorkout, addWorkout } from '../archive/workouts.ts'
import { takeoutTime } from './times.ts'

const METRES: Readonly<Record<string, number>> = { kilometer: 1000, mile: 1609.344, meter: 1 }
/** Zones by name, as positions in a workout's six zones, as for the live provider. */
const ZONES: Readonly<Record<string, number>> = { 'out of range': 0, 'fat burn': 1, cardio: 3, peak: 5 }
/** Maximum number of exercises in the table that wait for those in JSON. */
const MOST_EXERCISES = 100_000

export class TakeoutExercises {
  private readonly run: ArchiveRun
  private readonly clock: ArchiveClock
  /** Minutes in which an exercise in JSON starts. */
  private readonly logged = new Set<number>()
  private readonly rows: { readonly workout: ArchiveWorkout; readonly position: string }[] = []

  constructor(run: ArchiveRun, clock: ArchiveClock) {
    this.run = run
    this.clock = clock
  }

  /** Reads an exercise in JSON, whose start is in UTC. */
  addLog(log: PartRecord) {
    const { run, clock } = this
    const start = takeoutTime(log.text('startTime'))
    const duration = log.number('duration')
    if (start === undefined || duration === undefined || duration < 0) return run.skip('exercises without a time')
    this.logged.add(minuteOf(start))
    const distance = log.number('distance')
    const metres = METRES[log.text('distanceUnit')?.toLowerCase() ?? '']
    addWorkout(run, {
      recordId: String(log.value('logId') ?? start),
      start: { ms: start, offset: clock.offsetOn(localDate(start, null)) },
      endMs: start + duration,
      sport: sportOfName(log.text('activityName') ?? '') ?? OTHER_SPORT,
      title: log.text('activityName'),
      stated: {
        moving_time: (log.number('activeDuration') ?? duration) / 1000,
        calories: log.number('calories'),
        distance: distance === undefined || metres === undefined ? undefined : distance * metres,
        steps: log.number('steps'),
        average_hr: log.positive('averageHeartRate'),
        hr_zones: zones(log.value('heartRateZones')),
      },
      sourceType: log.text('logType') === 'manual' ? 'app' : 'watch',
    })
  }

  /** Reads an exercise in the table, whose times are in UTC with an offset. It is kept until those in JSON are known. */
  addRow(row: TableRow) {
    const { run, clock } = this
    const offset = readOffset(row.text('utc_offset'))
    const start = utcTime(row.text('exercise_start'), offset)
    const end = utcTime(row.text('exercise_end'))?.ms
    if (start === undefined || end === undefined) return run.skip('exercises without a time')
    clock.learn(localDate(start.ms, offset), offset)
    if (this.rows.length >= MOST_EXERCISES) return run.skip(`exercises after the first ${MOST_EXERCISES}`)
    const distance = row.positive('tracker_total_distance_mm')
    const sourceType = row.text('log_type')?.toLowerCase() === 'manual' ? 'app' : 'watch'
    const workout: ArchiveWorkout = {
      recordId: [sourceType, start.ms],
      start,
      endMs: end,
      sport: sportOfName(row.text('activity_name') ?? '') ?? OTHER_SPORT,
      title: row.text('activity_name'),
      stated: {
        calories: row.positive('tracker_total_calories'),
        distance: distance === undefined ? undefined : distance / 1000,
        steps: row.positive('tracker_total_steps'),
        average_hr: row.positive('tracker_avg_heart_rate'),
        max_hr: row.positive('tracker_peak_heart_rate'),
      },
      sourceType,
    }
    this.rows.push({ workout, position: run.positionOf() })
    run.hold()
  }

  /** Adds the exercises in the table that are not in JSON. */
  finish(): void {
    this.run.family = 'exercises table'
    for (const { workout, position } of this.rows) {
      const minute = minuteOf(workout.start.ms)
      const isLogged = [minute - 1, minute, minute + 1].some(each => this.logged.has(each))
      if (isLogged) this.run.skip('copies of exercises that other files have', 1, position)
      else addWorkout(this.run, workout)
    }
  }
}

function minuteOf(at: EpochMs): number {
  return Math.floor(at / MINUTE_MS)
}

/** Returns the seconds in six zones; undefined if the exercise does not state them. */
function zones(list: unknown): readonly number[] | undefined {
  const seconds = [0, 0, 0, 0, 0, 0]
  const found = objectsIn(list).filter(zone => {
    const position = ZONES[asText(member(zone, 'name'))?.toLowerCase() ?? '']
    if (position === undefined) return false
    seconds[position] = (asNumber(member(zone, 'minutes')) ?? 0) * 60
    return true
  })
  return found.length === 0 ? undefined : seconds
}
