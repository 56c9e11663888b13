/** Reads the exercises in a Google Health takeout, which contains them as JSON and as a table. */
import { type EpochMs, localDate, MINUTE_MS } from '../../../core/time.ts'
import { asNumber, asText, member, objectsIn } from '../../shared/json-fields.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { type ArchiveClock, readOffset, utcTime } from '../archive/clock.ts'
import type { FieldTable, PartRecord, TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { type ArchiveWorkout, addWorkout } from '../archive/workouts.ts'
import { takeoutTime } from './times.ts'

const METRES: Readonly<Record<string, number>> = { kilometer: 1000, mile: 1609.344, meter: 1 }
/** Zones by name, as positions in a workout's six zones, as for the live provider. */
const ZONES: Readonly<Record<string, number>> = { 'out of range': 0, 'fat burn': 1, cardio: 3, peak: 5 }
/** The distance is in the unit that the exercise states. */
const LOG_TOTALS: FieldTable = {
  moving_time: ['activeDuration', 0.001],
  calories: 'calories',
  distance: 'distance',
  steps: 'steps',
  average_hr: 'averageHeartRate',
}
const ROW_TOTALS: FieldTable = {
  calories: 'tracker_total_calories',
  distance: ['tracker_total_distance_mm', 0.001],
  steps: 'tracker_total_steps',
  average_hr: 'tracker_avg_heart_rate',
  max_hr: 'tracker_peak_heart_rate',
}
/** Maximum number of exercises in the table that wait for those in JSON. */
const MOST_EXERCISES = 100_000

export class TakeoutExercises {
  private readonly run: ArchiveRun
  private readonly clock: ArchiveClock
  /** Minutes in which an exercise in JSON starts. */
  private readonly logged = new Set<number>()
  private readonly rows: {
    readonly workout: ArchiveWorkout & { readonly start: RecordTime }
    readonly position: string
  }[] = []

  constructor(run: ArchiveRun, clock: ArchiveClock) {
    this.run = run
    this.clock = clock
  }

  /** Reads an exercise in JSON, whose start is in UTC. */
  addLog(log: PartRecord): void {
    const ms = takeoutTime(log.text('startTime'))
    const duration = log.number('duration')
    if (ms === undefined || duration === undefined) return
    this.logged.add(minuteOf(ms))
    const totals = log.positives(LOG_TOTALS)
    const distance = (totals['distance'] ?? 0) * (METRES[log.text('distanceUnit')?.toLowerCase() ?? ''] ?? 0)
    addWorkout(this.run, {
      id: String(log.value('logId') ?? ms),
      start: { ms, offset: this.clock.offsetOn(localDate(ms, null)) },
      endMs: ms + duration,
      sport: sportOfName(log.text('activityName') ?? ''),
      title: log.text('activityName'),
      stated: { ...totals, distance: distance || undefined, hr_zones: zones(log.value('heartRateZones')) },
      sourceType: sourceTypeOf(log.text('logType')),
    })
  }

  /** Reads an exercise in the table, whose times are in UTC with an offset. It is kept until those in JSON are known. */
  addRow(row: TableRow) {
    const { run } = this
    const offset = readOffset(row.text('utc_offset'))
    const start = utcTime(row.text('exercise_start'), offset)
    if (start === undefined) return
    this.clock.learn(localDate(start.ms, offset), offset)
    if (this.rows.length >= MOST_EXERCISES) return run.skip(`exercises after the first ${MOST_EXERCISES}`)
    const workout = {
      start,
      endMs: utcTime(row.text('exercise_end'))?.ms,
      sport: sportOfName(row.text('activity_name') ?? ''),
      title: row.text('activity_name'),
      stated: row.positives(ROW_TOTALS),
      sourceType: sourceTypeOf(row.text('log_type')),
    }
    this.rows.push({ workout, position: run.positionOf() })
    run.hold()
  }

  /** Adds the exercises in the table that are not in JSON. */
  finish(): void {
    this.run.family = 'exercises table'
    for (const { workout, position } of this.rows) {
      this.run.positionOf = () => position
      const minute = minuteOf(workout.start.ms)
      const isLogged = [minute - 1, minute, minute + 1].some(each => this.logged.has(each))
      if (isLogged) this.run.skip('copies of exercises that other files have')
      else addWorkout(this.run, workout)
    }
  }
}

function sourceTypeOf(logType: string | undefined): string {
  return logType?.toLowerCase() === 'manual' ? 'app' : 'watch'
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
