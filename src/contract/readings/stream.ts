/** Schemas of streams: the measurements during one workout or one night. See docs/interface/timeseries.md#timeseries-11. */
import * as z from 'zod'
import { STREAM_COLUMNS, type StreamColumn } from '../../core/stream.ts'
import { component, lowerUuid } from '../kernel/primitives.ts'
import { sample } from './timeseries.ts'

export const workoutStreamParams = () => z.object({ workout_id: lowerUuid() })
export const sleepStreamParams = () => z.object({ sleep_id: lowerUuid() })

const UNITS: Readonly<Record<StreamColumn, string>> = {
  cadence: 'Revolutions per minute; steps per minute for activities on foot',
  altitude: 'm',
  velocity_smooth: 'm/s',
  heartrate: 'bpm',
  lat: 'Degrees (WGS 84)',
  lng: 'Degrees (WGS 84)',
  distance: 'Distance since the start, m',
  power: 'W',
  resistance: 'Resistance in the units of the machine',
  temperature: '°C',
}

/** The columns that contain integers. See docs/interface/timeseries.md#timeseries-11. */
export const WHOLE_COLUMNS: ReadonlySet<StreamColumn> = new Set(['heartrate'])

/** Parallel lists, each empty or as long as `time`, with null for points without a value. */
export const workoutStream = () =>
  component('WorkoutStream', {
    time: z.array(z.int()).meta({ description: 'Unix time, seconds' }),
    ...(Object.fromEntries(
      STREAM_COLUMNS.map(name => {
        const value = WHOLE_COLUMNS.has(name) ? z.int() : z.number()
        return [name, z.array(value.nullable()).meta({ description: UNITS[name] })]
      }),
    ) as Record<StreamColumn, z.ZodArray<z.ZodNullable<z.ZodNumber>>>),
  })

/** Resources in a sleep stream. */
export const SLEEP_STREAM_RESOURCES = ['hrv', 'heartrate', 'hypnogram', 'respiratory_rate'] as const
export type SleepStreamResource = (typeof SLEEP_STREAM_RESOURCES)[number]

type AnySample = Record<string, unknown>

/** One night's samples, with each list in ascending order of start. */
export const sleepStream = () =>
  z
    .object(
      Object.fromEntries(
        SLEEP_STREAM_RESOURCES.map(name => [name, z.array(sample(name) as z.ZodType<AnySample>)]),
      ) as Record<SleepStreamResource, z.ZodArray<z.ZodType<AnySample>>>,
    )
    .meta({ id: 'SleepStream' })
