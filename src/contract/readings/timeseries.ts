/** Schemas of grouped timeseries. See docs/interface/timeseries.md. */
import * as z from 'zod'
import { RESOURCE_NAMES, resourceNamed } from '../../catalogue/resources.ts'
import { component, dateOrDateTime, dateOrDateTimeOrEmpty, dateTime, userId, uuid } from '../kernel/primitives.ts'

export const timeseriesParams = () =>
  z.object({ user_id: userId(), resource: z.enum(RESOURCE_NAMES as [string, ...string[]]) })

export const timeseriesQuery = () =>
  z.object({
    start_date: dateOrDateTime(),
    end_date: dateOrDateTimeOrEmpty().nullish(),
    provider: z.string().max(64).default(''),
    next_cursor: z.string().max(512).nullish(),
    cursor: z.string().max(512).nullish().meta({ deprecated: true }),
  })

/** A group's source. Everything except `provider` and `type` may be null. */
export const sourceContext = () =>
  component('Source', {
    provider: z.string(),
    type: z.string(),
    app_id: z.string().nullable(),
    device_id: uuid().nullable(),
    sport: z.string().nullable(),
    workout_id: z.string().nullable(),
  })

/** Returns the schema of one sample. With a resource, the unit is a literal; without one, the schema fits any resource. */
export const sample = (resource?: string) => {
  const known = resource === undefined ? undefined : resourceNamed(resource)
  const fields: Record<string, z.ZodType> = {
    timestamp: dateTime(),
    start: dateTime(),
    end: dateTime(),
    timezone_offset: z.int().nullable(),
    type: z.string().nullable(),
    unit: known ? z.literal(known.unit) : z.string(),
  }
  if (known?.shape === 'blood_pressure') {
    fields['systolic'] = z.number()
    fields['diastolic'] = z.number()
  } else {
    fields['value'] = known?.shape === 'text' ? z.string() : known?.isWhole ? z.int() : z.number()
  }
  for (const field of known?.fields ?? []) {
    if (field === 'tags') fields['tags'] = z.array(z.string()).nullable()
    else if (field !== 'type') fields[field] = z.string().nullable()
  }
  return z.object(fields)
}

/** Fields of every resource's samples. */
const anySample = () => z.looseObject({ timestamp: dateTime(), start: dateTime(), end: dateTime(), unit: z.string() })
type AnySample = z.output<ReturnType<typeof anySample>>

/** Returns the schema of a page of samples, grouped by provider slug and then by source. The schema is exact if a resource is given. */
export const groupedTimeseries = (resource?: string) => {
  const item = (resource === undefined ? anySample() : sample(resource)) as z.ZodType<AnySample>
  return z.object({
    groups: z.record(z.string(), z.array(z.object({ source: sourceContext(), data: z.array(item) }))),
    next_cursor: z.string().nullable(),
    next: z.string().nullable().meta({ deprecated: true }),
  })
}
