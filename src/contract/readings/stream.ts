/** Streams: what was measured all through one workout or one night (interface.md 4.12, 6.5; interface-gaps 4.12). */
import { z } from 'zod'
import { STREAM_COLUMNS, type StreamColumn } from '../../core/stream.ts'
import { uuid } from '../kernel/primitives.ts'
import { sample } from './timeseries.ts'

const summaryId = () => uuid().transform(id => id.toLowerCase())

export const workoutStreamParams = () => z.object({ workout_id: summaryId() })
export const sleepStreamParams = () => z.object({ sleep_id: summaryId() })

const UNITS: Readonly<Record<StreamColumn, string>> = {
  cadence: 'Revolutions per minute; steps per minute on foot',
  altitude: 'm',
  velocity_smooth: 'm/s',
  heartrate: 'bpm',
  lat: 'Degrees (WGS 84)',
  lng: 'Degrees (WGS 84)',
  distance: 'm since the start',
  power: 'W',
  resistance: 'In units of the machine',
  temperature: '°C',
}

/** Parallel lists, each empty or as long as `time`; a point without a value has null there. */
export const workoutStream = () =>
  z
    .object({
      time: z.array(z.number().int()).meta({ description: 'Unix time, seconds' }),
      ...(Object.fromEntries(
        STREAM_COLUMNS.map(name => [name, z.array(z.number().nullable()).meta({ description: UNITS[name] })]),
      ) as Record<StreamColumn, z.ZodArray<z.ZodNullable<z.ZodNumber>>>),
    })
    .meta({ id: 'WorkoutStream' })

/** What is measured through a night. */
export const SLEEP_STREAM_RESOURCES = ['hrv', 'heartrate', 'hypnogram', 'respiratory_rate'] as const
export type SleepStreamResource = (typeof SLEEP_STREAM_RESOURCES)[number]

type AnySample = Record<string, unknown>

/** The samples of one night, each list ascending by start. */
export const sleepStream = () =>
  z
    .object(
      Object.fromEntries(
        SLEEP_STREAM_RESOURCES.map(name => [name, z.array(sample(name) as z.ZodType<AnySample>)]),
      ) as Record<SleepStreamResource, z.ZodArray<z.ZodType<AnySample>>>,
    )
    .meta({ id: 'SleepStream' })
