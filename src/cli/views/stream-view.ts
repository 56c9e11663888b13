/** Shows streams, with one row for each point. */
import type { ResponseOf } from '../../client/client.ts'
import { SLEEP_STREAM_RESOURCES } from '../../contract/readings/stream.ts'
import { STREAM_COLUMNS, type StreamColumn } from '../../core/stream.ts'
import { formatInstant, SECOND_MS } from '../../core/time.ts'
import { fields, type View, view } from '../../output/view.ts'

type WorkoutStream = ResponseOf<'timeseries.workout_stream'>
type SleepStream = ResponseOf<'timeseries.sleep_stream'>
type Point = Readonly<Record<string, unknown>>

/** Columns in degrees. They need more than the three decimals that tables show, because one degree is 111 km. */
const IN_DEGREES: readonly StreamColumn[] = ['lat', 'lng']
const TABLE_DECIMALS = 5

/** Returns the points of a workout in chronological order, with all columns even if they are empty. `isTable` formats them for a person. */
export function workoutStreamView(stream: WorkoutStream, isTable: boolean): View<Point> {
  const shownAt = (name: StreamColumn, i: number): number | string | null => {
    const value = stream[name]?.[i] ?? null
    return isTable && value !== null && IN_DEGREES.includes(name) ? value.toFixed(TABLE_DECIMALS) : value
  }
  const rows = stream.time.map(
    (second, i): Point => ({
      timestamp: formatInstant(second * SECOND_MS),
      ...Object.fromEntries(STREAM_COLUMNS.map(name => [name, shownAt(name, i)])),
    }),
  )
  return view(rows, fields<Point>('timestamp', ...STREAM_COLUMNS), 'This workout has no stream.')
}

const SAMPLE_COLUMNS = ['resource', 'start', 'end', 'timezone_offset', 'type', 'unit', 'value'] as const

/** Returns the samples of a night, one resource after the other. */
export function sleepStreamView(stream: SleepStream): View<Point> {
  const rows = SLEEP_STREAM_RESOURCES.flatMap(resource =>
    stream[resource].map((sample): Point => {
      const known: Point = { resource, ...sample }
      return Object.fromEntries(SAMPLE_COLUMNS.map(name => [name, known[name] ?? null]))
    }),
  )
  return view(rows, fields<Point>(...SAMPLE_COLUMNS), 'This night has no stream.')
}
