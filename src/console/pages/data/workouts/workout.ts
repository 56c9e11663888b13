/** A workout as described by its summary, and its stream as chart series. */
import type { ResponseOf } from '../../../api/call.ts'
import { colorNumber } from '../../../parts/chart/colors.ts'
import type { ChartSeries } from '../../../parts/chart/series.ts'
import { toFloating } from '../../../parts/floating.ts'
import type { SessionKind } from '../sessions.ts'
import type { AnySummary } from '../summaries/summaries.ts'
import { Columns } from '../timeseries/columns.ts'

/** The fields of a workout summary that the page reads. */
export interface Workout extends AnySummary {
  readonly time_start: string
  readonly time_end: string
  readonly title: string | null
  readonly sport: { readonly name: string } | null
  /** Metres. */
  readonly distance: number | null
  /** Kilocalories. */
  readonly calories: number | null
  readonly average_hr: number | null
  readonly max_hr: number | null
  /** Metres. */
  readonly total_elevation_gain: number | null
  /** Metres per second. */
  readonly average_speed: number | null
  readonly average_watts: number | null
  /** Seconds in each heart rate zone, lowest zone first. */
  readonly hr_zones: readonly number[] | null
}

/** Returns the title of a workout, or else its sport. */
export function workoutName({ title, sport }: Workout): string {
  return title ?? sport?.name ?? 'Workout'
}

export const WORKOUTS: SessionKind<Workout> = {
  kind: 'workouts',
  table: 'workout',
  columns: {
    title: 'title',
    distance_meter: 'distance',
    calories: 'calories',
    heart_rate_mean: 'average_hr',
    heart_rate_maximum: 'max_hr',
    elevation_gain_meter: 'total_elevation_gain',
    speed_mean: 'average_speed',
    power_mean: 'average_watts',
  },
  start: 'time_start',
  end: 'time_end',
  index: 'time_start',
}

type Stream = ResponseOf<'timeseries.workout_stream'>
type ChannelName = Exclude<keyof Stream, 'time'>

/** Channel titles and units, in display order. Coordinates are not charted over time. */
const CHANNELS: readonly { readonly name: ChannelName; readonly title: string; readonly unit: string }[] = [
  { name: 'heartrate', title: 'Heart rate', unit: 'bpm' },
  { name: 'velocity_smooth', title: 'Speed', unit: 'm/s' },
  { name: 'altitude', title: 'Altitude', unit: 'm' },
  { name: 'power', title: 'Power', unit: 'W' },
  { name: 'cadence', title: 'Cadence', unit: 'per minute' },
  { name: 'distance', title: 'Distance', unit: 'm' },
  { name: 'resistance', title: 'Resistance', unit: '' },
  { name: 'temperature', title: 'Temperature', unit: '°C' },
]

/** Returns one series for each channel that has values. Times are floating. */
export function readChannels(
  stream: Stream,
  { timezone_offset: offset }: Workout,
  zone: string | null,
): readonly ChartSeries[] {
  const own = typeof offset === 'number' ? offset : null
  const at = stream.time.map(time => toFloating(time, own, zone))
  return CHANNELS.flatMap(({ name, title, unit }, i): ChartSeries[] => {
    const columns = new Columns()
    let count = 0
    for (const [point, value] of stream[name].entries()) {
      if (value === null) continue
      columns.add(at[point] ?? 0, at[point] ?? 0, value)
      count += 1
    }
    if (count === 0) return []
    return [{ key: name, label: title, unit, color: colorNumber(i === 0 ? 5 : i - 1), ...columns.take(false) }]
  })
}
