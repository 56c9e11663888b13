/**
 * The tables and columns an aggregate query can read, with type, meaning and where each comes from (interface-gaps
 * 4.9).
 */
import type { SummaryKind, TextColumn } from '../core/sample.ts'
import { RESOURCES, resourceQueried, type TimeseriesResource } from './resources.ts'

/** What a column holds. `time` is a floating date-time, `date` a calendar date. */
export type ColumnType = 'float' | 'int' | 'text' | 'time' | 'date' | 'bool'

/** Where a column of a summary table comes from. */
export type ColumnOrigin =
  /** A key of the REST document, dotted for a nested one; a number is multiplied by `factor`. */
  | { readonly kind: 'document'; readonly path: string; readonly factor: number }
  /** The sum of those keys that are there, multiplied by `factor`; null when none is. */
  | { readonly kind: 'sum'; readonly paths: readonly string[]; readonly factor: number }
  /** A date-time of the document, read in the summary's own local time. */
  | { readonly kind: 'local_time'; readonly path: string }
  | { readonly kind: 'record'; readonly field: 'id' | 'date' | 'provider' | 'sourceType' | 'appId' | 'deviceId' }

export interface QueryColumn {
  readonly name: string
  readonly type: ColumnType
  readonly meaning: string
  readonly origin: ColumnOrigin
}

/** A table with a row a summary. */
export interface SummaryTable {
  readonly name: string
  readonly summary: SummaryKind
  /** What the index column stands for: the end of the session, or the calendar date. */
  readonly index: 'at' | 'date'
  readonly indexMeaning: string
  readonly columns: readonly QueryColumn[]
}

const column = (name: string, type: ColumnType, meaning: string, path = name, factor = 1): QueryColumn => ({
  name,
  type,
  meaning,
  origin: { kind: 'document', path, factor },
})

const SOURCE: readonly QueryColumn[] = [
  { name: 'source_type', type: 'text', meaning: 'Type of the source', origin: { kind: 'record', field: 'sourceType' } },
  { name: 'source_provider', type: 'text', meaning: 'Provider slug', origin: { kind: 'record', field: 'provider' } },
  { name: 'source_app_id', type: 'text', meaning: 'App that recorded it', origin: { kind: 'record', field: 'appId' } },
  { name: 'source_device_id', type: 'text', meaning: 'Device id', origin: { kind: 'record', field: 'deviceId' } },
]

const SLEEP: SummaryTable = {
  name: 'sleep',
  summary: 'sleep',
  index: 'at',
  indexMeaning: 'End of the session, local time',
  columns: [
    { name: 'id', type: 'text', meaning: 'Id of the session', origin: { kind: 'record', field: 'id' } },
    {
      name: 'session_start',
      type: 'time',
      meaning: 'Start of the session, local time',
      origin: { kind: 'local_time', path: 'bedtime_start' },
    },
    {
      name: 'session_end',
      type: 'time',
      meaning: 'End of the session, local time',
      origin: { kind: 'local_time', path: 'bedtime_stop' },
    },
    column('state', 'text', 'tentative or confirmed'),
    column('type', 'text', 'long_sleep, short_sleep, acknowledged_nap or unknown'),
    column('duration_second', 'int', 'Seconds in bed', 'duration'),
    column('stage_asleep_second', 'int', 'Seconds asleep', 'total'),
    column('stage_awake_second', 'int', 'Seconds awake', 'awake'),
    column('stage_light_second', 'int', 'Seconds of light sleep', 'light'),
    column('stage_rem_second', 'int', 'Seconds of REM sleep', 'rem'),
    column('stage_deep_second', 'int', 'Seconds of deep sleep', 'deep'),
    column('stage_unknown_second', 'int', 'Seconds of no known stage, where the source tells'),
    column('latency_second', 'int', 'Seconds until asleep', 'latency'),
    column('heart_rate_minimum', 'float', 'Lowest heart rate, bpm', 'hr_lowest'),
    column('heart_rate_mean', 'float', 'Mean heart rate, bpm', 'hr_average'),
    column('heart_rate_maximum', 'float', 'Highest heart rate, bpm, where the source tells'),
    column('heart_rate_dip', 'float', 'Fall of the heart rate at night, %', 'hr_dip'),
    column('heart_rate_resting', 'float', 'Resting heart rate, bpm', 'hr_resting'),
    column('efficiency', 'float', 'Share of the time in bed spent asleep, %'),
    column('hrv_mean_rmssd', 'float', 'Mean heart rate variability (RMSSD), ms', 'average_hrv'),
    column('hrv_mean_sdnn', 'float', 'Mean heart rate variability (SDNN), ms, where the source tells'),
    column('skin_temperature', 'float', 'Skin temperature, °C'),
    column('skin_temperature_delta', 'float', 'Skin temperature against the baseline, °C', 'temperature_delta'),
    column('respiratory_rate', 'float', 'Breaths a minute'),
    column('score', 'int', 'Sleep score of the provider, 1 to 100'),
    column('recovery_readiness_score', 'int', 'Readiness score of the provider, 0 to 100'),
    column('time_zone', 'text', 'IANA time zone, where the source tells'),
    ...SOURCE,
  ],
}

const ACTIVITY: SummaryTable = {
  name: 'activity',
  summary: 'activity',
  index: 'date',
  indexMeaning: 'Midnight of the calendar date',
  columns: [
    { name: 'date', type: 'date', meaning: 'Calendar date', origin: { kind: 'record', field: 'date' } },
    column('calories_total', 'float', 'Energy burnt, kcal'),
    column('calories_active', 'float', 'Energy burnt by activity, kcal'),
    column('steps', 'int', 'Steps taken'),
    column('distance_meter', 'float', 'Distance, metres', 'distance'),
    column('floors_climbed', 'int', 'Floors climbed'),
    {
      name: 'duration_active_second',
      type: 'int',
      meaning: 'Seconds of low, medium and high intensity together',
      origin: { kind: 'sum', paths: ['low', 'medium', 'high'], factor: 60 },
    },
    column('intensity_sedentary_second', 'int', 'Seconds without activity, where the source tells'),
    column('intensity_low_second', 'int', 'Seconds of low intensity', 'low', 60),
    column('intensity_medium_second', 'int', 'Seconds of medium intensity', 'medium', 60),
    column('intensity_high_second', 'int', 'Seconds of high intensity', 'high', 60),
    column('heart_rate_mean', 'float', 'Mean heart rate, bpm', 'heart_rate.avg_bpm'),
    column('heart_rate_minimum', 'float', 'Lowest heart rate, bpm', 'heart_rate.min_bpm'),
    column('heart_rate_maximum', 'float', 'Highest heart rate, bpm', 'heart_rate.max_bpm'),
    column('heart_rate_resting', 'float', 'Resting heart rate, bpm', 'heart_rate.resting_bpm'),
    column('heart_rate_mean_walking', 'float', 'Mean heart rate while walking, bpm', 'heart_rate.avg_walking_bpm'),
    column('wheelchair_use', 'bool', 'Whether a wheelchair was used'),
    column('wheelchair_push', 'int', 'Wheelchair pushes'),
    column('time_zone', 'text', 'IANA time zone'),
    column('time_zone_offset', 'int', 'Seconds east of UTC', 'timezone_offset'),
    ...SOURCE,
  ],
}

export const SUMMARY_TABLES: readonly SummaryTable[] = [SLEEP, ACTIVITY]
/** Names of the tables a query can read. */
export const QUERY_TABLES: readonly string[] = ['timeseries', ...SUMMARY_TABLES.map(each => each.name)]
/** Tables of the specification that this version does not read; a query that names one is refused, saying so. */
export const LATER_TABLES = ['workout', 'body', 'meal', 'menstrual_cycle', 'profile', 'derived_readiness'] as const

/** The table of a name, or undefined (`timeseries` is none of them: its columns depend on the resource). */
export function summaryTable(name: string): SummaryTable | undefined {
  return SUMMARY_TABLES.find(each => each.name === name)
}

/** Where a field of a sample comes from. */
export type FieldOrigin =
  | { readonly kind: 'value' | 'second' | 'duration' | 'offset' | 'provider' | 'sourceType' }
  | { readonly kind: 'text'; readonly column: TextColumn }

export interface TimeseriesField {
  readonly name: string
  readonly type: ColumnType
  readonly meaning: string
  readonly origin: FieldOrigin
}

const text = (name: string, column: TextColumn, meaning: string): TimeseriesField => ({
  name,
  type: 'text',
  meaning,
  origin: { kind: 'text', column },
})

/** The source columns of the timeseries table; every resource has them as fields too. */
export const TIMESERIES_SOURCE: readonly TimeseriesField[] = [
  { name: 'source_provider', type: 'text', meaning: 'Provider slug', origin: { kind: 'provider' } },
  { name: 'source_type', type: 'text', meaning: 'Type of the source', origin: { kind: 'sourceType' } },
  text('source_app_id', 'app_id', 'App that recorded it'),
  text('source_workout_id', 'workout_id', 'Workout it belongs to'),
  text('source_sport', 'sport', 'Sport of that workout'),
]

const EXTRA_MEANING: Readonly<Partial<Record<TextColumn, string>>> = {
  type: 'Type of the sample, where the resource has one',
  intensity: 'low, medium or high',
  sensor_location: 'Where the sensor sat',
  delivery_mode: 'basal or bolus',
  delivery_form: 'standard or extended',
  bolus_purpose: 'Purpose of the bolus',
}

/** Resources that can be queried: all but the deprecated hypnogram. */
export const QUERY_RESOURCES: readonly TimeseriesResource[] = RESOURCES.filter(each => each.name !== 'hypnogram')

/** The resource of a query (`weight`, or the path's `body_weight`), or undefined. */
export function queryResource(name: string): TimeseriesResource | undefined {
  const resource = resourceQueried(name)
  return resource && QUERY_RESOURCES.includes(resource) ? resource : undefined
}

/** The fields of a timeseries resource that a query can read. `tags` of a note is a list and not among them. */
export function timeseriesFields(resource: TimeseriesResource): readonly TimeseriesField[] {
  const own: TimeseriesField[] = []
  const number = (name: string, meaning: string, kind: 'value' | 'second' | 'duration'): void => {
    own.push({ name, type: 'float', meaning, origin: { kind } })
  }
  if (resource.shape === 'value') number('value', `${resource.meaning}, ${resource.unit}`, 'value')
  if (resource.shape === 'blood_pressure') {
    number('systolic', 'Systolic pressure, mmHg', 'value')
    number('diastolic', 'Diastolic pressure, mmHg', 'second')
  }
  if (resource.shape === 'text') own.push(text('content', 'content', resource.meaning))
  if (resource.kind === 'interval' && resource.shape === 'value')
    number('duration', 'End minus start, seconds', 'duration')
  for (const name of resource.fields) {
    if (name !== 'tags') own.push(text(name, name, EXTRA_MEANING[name] ?? name))
  }
  const offset: TimeseriesField = {
    name: 'timezone_offset',
    type: 'int',
    meaning: 'Seconds east of UTC',
    origin: { kind: 'offset' },
  }
  return [...own, offset, ...TIMESERIES_SOURCE]
}

/** A line of the list of everything that can be queried. */
export interface ListedColumn {
  readonly table: string
  /** `efficiency`, `index`; `steps.value`, `blood_pressure.systolic` in the timeseries table. */
  readonly column: string
  readonly type: ColumnType
  readonly meaning: string
}

/** Every column of a table in the order of this catalogue; an unknown table has none. */
export function listedColumns(table: string): readonly ListedColumn[] {
  const known = summaryTable(table)
  if (known) {
    const index: ListedColumn = { table, column: 'index', type: 'time', meaning: known.indexMeaning }
    return [index, ...known.columns.map(({ name, type, meaning }) => ({ table, column: name, type, meaning }))]
  }
  if (table !== 'timeseries') return []
  const index: ListedColumn = { table, column: 'index', type: 'time', meaning: 'Start of the sample, local time' }
  const fields = QUERY_RESOURCES.flatMap(resource =>
    timeseriesFields(resource).map(({ name, type, meaning }) => ({
      table,
      column: `${resource.queryName}.${name}`,
      type,
      meaning,
    })),
  )
  return [index, ...fields]
}
