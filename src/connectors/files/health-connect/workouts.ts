/**
 * Reads the workouts of a Health Connect export. A workout has no totals and points of its own, except a route: they are the records of
 * its app within it. Reads by index are unchecked (`as number`), because the loops are hot and stay in range.
 */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { StreamColumn } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'
import { sportOfName } from '../../live/sport-names.ts'
import { ActivityPoints, type PointValues } from '../../shared/points.ts'
import type { Session } from '../../shared/summaries.ts'
import { settlePoints, workoutStream, workoutWithPoints } from '../../shared/workout.ts'
import { type RecordedBy, summaryOrigin } from '../sqlite/recorded-by.ts'
import { readRows } from '../sqlite/rows.ts'
import { type Reading, type SessionRecord, sessionRecords, stated } from './records.ts'
import type { WorkoutTotal } from './tables.ts'

const TABLE = 'exercise_session_record_table'
const ROUTE = 'exercise_route_table'
const TIMES = { start: 'start_time', end: 'end_time', offset: 'start_zone_offset', endOffset: 'start_zone_offset' }
/** Names of sports, by the platform's code. The numbers of the library for apps are others. */
const SPORT_NAMES = [
  ...'unknown badminton baseball basketball biking stationary_bike bootcamp boxing calisthenics cricket dancing'.split(
    ' ',
  ),
  ...'exercise_class fencing football_american football_australian frisbee golf guided_breathing gymnastics'.split(' '),
  ...'handball high_intensity_interval_training hiking ice_hockey ice_skating martial_arts canoeing paragliding'.split(
    ' ',
  ),
  ...'pilates racquetball rock_climbing roller_hockey rowing rugby running treadmill sailing scuba_diving'.split(' '),
  ...'skating skiing snowboarding snowshoeing soccer softball squash stairs strength_training stretching'.split(' '),
  ...'surfing swimming_open_water swimming_pool table_tennis tennis volleyball walking water_polo'.split(' '),
  ...'weightlifting wheelchair yoga other stair_climbing elliptical rowing_machine'.split(' '),
]

interface Workout extends Omit<SessionRecord, 'rows' | 'i'> {
  readonly index: number
  readonly title: string | null
  readonly sportCode: number
  readonly totals: { [total in WorkoutTotal]?: number }
}

/** Columns of points, by code. */
const COLUMNS: readonly StreamColumn[] = ['heartrate', 'velocity_smooth', 'power', 'cadence', 'lat', 'lng', 'altitude']
/** Maximum number of values of all points, at 21 bytes each. */
const MOST_VALUES = 3_000_000
const FIRST_CAPACITY = 1024

export class Workouts {
  private readonly workouts: Workout[] = []
  private readonly byRow = new Map<number, Workout>()
  /** By source, in chronological order. */
  private readonly bySource = new Map<string, Workout[]>()
  private readonly values = new PointColumns()
  private readonly reading: Reading

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** Reads the workouts and their routes, before any sample. Yields after each batch. */
  async *read(): AsyncGenerator<void> {
    const { reader, importing, tables } = this.reading
    const [table, route] = [tables.get(TABLE), tables.get(ROUTE)]
    if (table === undefined) return
    for await (const record of sessionRecords(this.reading, table, ['title', 'exercise_type'], TIMES)) {
      const { rows, i, ...rest } = record
      const [title, sportCode = 0] = [rows.text('title', i), rows.numbers('exercise_type')[i]]
      const workout = { ...rest, index: this.workouts.length, title, sportCode, totals: {} }
      this.workouts.push(workout)
      this.byRow.set(workout.row, workout)
      getOrInsert(this.bySource, appKey(workout.source), () => []).push(workout)
    }
    for (const list of this.bySource.values()) list.sort((a, b) => a.start - b.start)
    if (route === undefined) return
    const columns = ['parent_key', 'timestamp_millis', 'latitude', 'longitude', 'altitude']
    for await (const rows of readRows(reader, route, columns)) {
      const [parents, times, ...cells] = columns.map(name => rows.numbers(name)) as [
        Float64Array,
        Float64Array,
        ...Float64Array[],
      ]
      for (let i = 0; i < rows.n; i++) {
        const workout = this.byRow.get(parents[i] as number)
        const at = times[i] as number
        const [lat, lng, altitude] = cells.map(column => stated(column[i]))
        const isValid = workout !== undefined && importing.timesProblem(at, at) === undefined && isPosition(lat, lng)
        if (isValid && this.addPosition(workout, at, { lat, lng, altitude })) continue
        importing.records++
        importing.skip('a point of a route has no valid position, time or workout', rows.place(i))
      }
      yield
    }
  }

  /** Adds a sample's value to the total of its app's workout. Returns false if the sample is not within one. */
  addTotal(
    source: RecordedBy,
    total: WorkoutTotal,
    { start, end, value }: Session & { readonly value: number },
  ): boolean {
    const workout = this.find(source, start, end)
    if (workout !== undefined) workout.totals[total] = (workout.totals[total] ?? 0) + value
    return workout !== undefined
  }

  /** Adds a point to its app's workout. Returns false if no workout of the app is at that time. */
  addPoint(source: RecordedBy, at: EpochMs, column: StreamColumn, value: number): boolean {
    const workout = this.find(source, at, at)
    return workout !== undefined && this.values.add(workout.index, at, COLUMNS.indexOf(column), value)
  }

  /** Adds the summaries and streams. Yields after each workout. */
  *finish(): Generator<void> {
    const { importing } = this.reading
    const points = this.values.byWorkout(this.workouts.length)
    for (const workout of this.workouts) {
      const { source, id, start, end, offset, title, totals } = workout
      const sport = sportOfName(SPORT_NAMES[workout.sportCode] ?? '') ?? OTHER_SPORT
      const origin = summaryOrigin(importing, source, id, { ms: start, offset })
      const whole = { start, end, offset, sport, title, points: points(workout.index), stated: totals }
      settlePoints(whole)
      const summary = workoutWithPoints(origin, whole)
      importing.addItem({ kind: 'summary', summary })
      if (whole.points.n > 0)
        importing.addItem({ kind: 'stream', stream: workoutStream(summary, whole.points.stream()) })
      yield
    }
  }

  private addPosition({ index }: Workout, at: EpochMs, values: PointValues): boolean {
    return (['lat', 'lng', 'altitude'] as const).every(
      name => values[name] === undefined || this.values.add(index, at, COLUMNS.indexOf(name), values[name]),
    )
  }

  /** Returns the workout of an app that contains this time. */
  private find(source: RecordedBy, start: EpochMs, end: EpochMs): Workout | undefined {
    const list = this.bySource.get(appKey(source))
    if (list === undefined) return undefined
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((list[middle] as Workout).start <= start) low = middle + 1
      else high = middle
    }
    const workout = list[low - 1]
    return workout !== undefined && end <= workout.end ? workout : undefined
  }
}

/** An app may record a workout on a watch, and steps within it on the phone, so that only the app counts. */
function appKey({ appId, key }: RecordedBy): string {
  return appId ?? key
}

function isPosition(lat: number | undefined, lng: number | undefined): boolean {
  return lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180
}

/** Values of points in the order of the file, until they are sorted by workout and time. */
class PointColumns {
  private n = 0
  private workout = new Uint32Array(FIRST_CAPACITY)
  private column = new Uint8Array(FIRST_CAPACITY)
  private time = new Float64Array(FIRST_CAPACITY)
  private value = new Float64Array(FIRST_CAPACITY)

  /** Adds a value. Returns false if there are too many. */
  add(workout: number, time: EpochMs, column: number, value: number): boolean {
    if (this.n === MOST_VALUES) return false
    if (this.n === this.time.length) this.grow()
    this.workout[this.n] = workout
    this.column[this.n] = column
    this.time[this.n] = time
    this.value[this.n++] = value
    return true
  }

  /** Returns a function that returns the points of each workout, which must be requested in ascending order. */
  byWorkout(workouts: number): (workout: number) => ActivityPoints {
    const { workout, time, n } = this
    const order = new Uint32Array(n).map((_, i) => i)
    order.sort((a, b) => (workout[a] as number) - (workout[b] as number) || (time[a] as number) - (time[b] as number))
    let next = 0
    return index => {
      const points = new ActivityPoints()
      let values: { -readonly [name in StreamColumn]?: number } = {}
      for (; next < n && index < workouts && workout[order[next] as number] === index; next++) {
        const i = order[next] as number
        values[COLUMNS[this.column[i] as number] as StreamColumn] = this.value[i] as number
        const following = order[next + 1]
        const isSame = following !== undefined && workout[following] === index && time[following] === time[i]
        if (isSame) continue
        points.add(time[i] as number, values)
        values = {}
      }
      return points
    }
  }

  private grow(): void {
    const size = this.n * 2
    const [{ workout, column, time, value }] = [this]
    this.workout = new Uint32Array(size)
    this.column = new Uint8Array(size)
    this.time = new Float64Array(size)
    this.value = new Float64Array(size)
    this.workout.set(workout)
    this.column.set(column)
    this.time.set(time)
    this.value.set(value)
  }
}
