/**
 * Reads the workouts of a Health Connect export. A workout has no totals and points of its own, except a route: they are the records of
 * its app within it. Reads by index are unchecked (`as number`), because the loops are hot and stay in range.
 */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import type { StreamColumn } from '../../../core/stream.ts'
import { words } from '../../../core/text.ts'
import type { EpochMs } from '../../../core/time.ts'
import { ActivityPoints } from '../../shared/points.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import type { Session } from '../../shared/summaries.ts'
import { settlePoints, workoutStream, workoutWithPoints } from '../../shared/workout.ts'
import { type RecordedBy, summaryOrigin } from '../sqlite/recorded-by.ts'
import { readRows } from '../sqlite/rows.ts'
import { SessionIndex } from '../sqlite/session-index.ts'
import { type Reading, type SessionRecord, sessionRecords, stated } from './records.ts'
import { WHOLE_INTERVAL, type WorkoutTotal } from './tables.ts'

const TABLE = 'exercise_session_record_table'
const ROUTE = 'exercise_route_table'
const ROUTE_COLUMNS = ['parent_key', 'timestamp_millis', 'latitude', 'longitude', 'altitude']
/** Names of sports, by the platform's code. The numbers of the library for apps are others. */
const SPORT_NAMES = words(
  'unknown badminton baseball basketball biking stationary_bike bootcamp boxing calisthenics cricket dancing exercise_class fencing ' +
    'football_american football_australian frisbee golf guided_breathing gymnastics handball high_intensity_interval_training hiking ' +
    'ice_hockey ice_skating martial_arts canoeing paragliding pilates racquetball rock_climbing roller_hockey rowing rugby running ' +
    'treadmill sailing scuba_diving skating skiing snowboarding snowshoeing soccer softball squash stairs strength_training ' +
    'stretching surfing swimming_open_water swimming_pool table_tennis tennis volleyball walking water_polo weightlifting wheelchair ' +
    'yoga other stair_climbing elliptical rowing_machine',
)
const COLUMNS: readonly StreamColumn[] = ['heartrate', 'velocity_smooth', 'power', 'cadence', 'lat', 'lng', 'altitude']
/** Maximum number of values of all points, which take 24 bytes each. */
const MOST_VALUES = 3_000_000

interface Workout extends Omit<SessionRecord, 'rows'> {
  readonly index: number
  readonly title: string | null
  readonly sportCode: number
  readonly totals: { [total in WorkoutTotal]?: number }
}

export class Workouts {
  private readonly workouts: Workout[] = []
  private readonly byApp = new SessionIndex<Workout>()
  /** Values of points in the order of the file: the workout and column as one number, the time, and the value. */
  private readonly codes: number[] = []
  private readonly times: EpochMs[] = []
  private readonly values: number[] = []
  private readonly reading: Reading

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** Reads the workouts and their routes, before any sample. Yields after each batch. */
  async *read(): AsyncGenerator<void> {
    const { reader, importing, tables } = this.reading
    const [table, route] = [tables.get(TABLE), tables.get(ROUTE)]
    if (table === undefined) return
    const byRow = new Map<number, Workout>()
    for await (const { rows, ...record } of sessionRecords(
      this.reading,
      table,
      ['title', 'exercise_type'],
      WHOLE_INTERVAL,
    )) {
      const [title, sportCode = 0] = [rows.text('title', record.i), rows.numbers('exercise_type')[record.i]]
      const workout = { ...record, index: this.workouts.length, title, sportCode, totals: {} }
      this.workouts.push(workout)
      byRow.set(workout.row, workout)
      this.byApp.add(appKey(workout.source), workout)
    }
    if (route === undefined) return
    for await (const rows of readRows(reader, route, ROUTE_COLUMNS)) {
      const [parents, times, ...cells] = ROUTE_COLUMNS.map(name => rows.numbers(name))
      for (let i = 0; i < rows.n; i++) {
        const [workout, at] = [byRow.get(parents?.[i] as number), times?.[i] as number]
        const [lat, lng, altitude] = cells.map(column => stated(column[i]))
        const isPosition = lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180
        if (workout === undefined || !isPosition || importing.timesProblem(at, at) !== undefined) {
          importing.records++
          importing.skip('a point of a route has no valid position, time or workout', rows.place(i))
        } else
          for (const [name, value] of Object.entries({ lat, lng, altitude })) this.addValue(workout, at, name, value)
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
    const workout = this.byApp.find(appKey(source), start, end)
    if (workout !== undefined) workout.totals[total] = (workout.totals[total] ?? 0) + value
    return workout !== undefined
  }

  /** Adds a point to its app's workout. Returns false if no workout of the app is at that time. */
  addPoint(source: RecordedBy, at: EpochMs, column: StreamColumn, value: number): boolean {
    const workout = this.byApp.find(appKey(source), at, at)
    return workout !== undefined && this.addValue(workout, at, column, value)
  }

  /** Adds the summaries and streams. Yields after each workout. */
  *finish(): Generator<void> {
    const { importing } = this.reading
    const { codes, times } = this
    const order = Uint32Array.from(codes, (_, i) => i)
    const workoutAt = (i: number): number => Math.floor((codes[i] as number) / COLUMNS.length)
    order.sort((a, b) => workoutAt(a) - workoutAt(b) || (times[a] as number) - (times[b] as number))
    let next = 0
    for (const { index, source, id, start, end, offset, title, totals, sportCode } of this.workouts) {
      const points = new ActivityPoints()
      let values: { [name in StreamColumn]?: number } = {}
      for (; next < order.length && workoutAt(order[next] as number) === index; next++) {
        const i = order[next] as number
        values[COLUMNS[(codes[i] as number) % COLUMNS.length] as StreamColumn] = this.values[i] as number
        const following = order[next + 1]
        // a point has the values of one time
        if (following !== undefined && workoutAt(following) === index && times[following] === times[i]) continue
        points.add(times[i] as number, values)
        values = {}
      }
      const sport = sportOfName(SPORT_NAMES[sportCode] ?? '') ?? OTHER_SPORT
      const workout = { start, end, offset, sport, title, points, stated: totals }
      settlePoints(workout)
      const summary = workoutWithPoints(summaryOrigin(importing, source, id, { ms: start, offset }), workout)
      importing.addItem({ kind: 'summary', summary })
      if (points.n > 0) importing.addItem({ kind: 'stream', stream: workoutStream(summary, points.stream()) })
      yield
    }
  }

  private addValue({ index }: Workout, at: EpochMs, column: string, value: number | undefined): boolean {
    if (value === undefined || this.values.length === MOST_VALUES) return false
    this.codes.push(index * COLUMNS.length + COLUMNS.indexOf(column as StreamColumn))
    this.times.push(at)
    this.values.push(value)
    return true
  }
}

/** An app may record a workout on a watch, and steps within it on the phone, so that only the app counts. */
function appKey({ appId, key }: RecordedBy): string {
  return appId ?? key
}
