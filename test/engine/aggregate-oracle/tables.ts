/** The columns of the tables as the specification lists them, and where each is in a stored summary. See docs/interface/aggregates.md. */
import { readDate, readTime } from './calendar.ts'
import type { Kind, PlainSummary, Value } from './data.ts'
import { offsetOfZone } from './zones.ts'

export interface Column {
  readonly kind: Kind
  readonly read: (summary: PlainSummary, zone: string) => unknown
}

/** Returns the wall-clock time of an instant where the person was. */
export function wallClock(instant: number, offsetSec: number | null, zone: string): number {
  return instant + (offsetSec ?? offsetOfZone(zone, instant)) * 1000
}

const inDocument = (path: string) => (summary: PlainSummary) => {
  let here: unknown = summary.document
  for (const key of path.split('.')) here = (here as Record<string, unknown> | null | undefined)?.[key]
  return here
}

/** Parses `name` or `name=path`, with a path in the document. */
function columns(kind: Kind, names: string): Record<string, Column> {
  const list = names.split(/\s+/).filter(name => name !== '')
  return Object.fromEntries(
    list.map(each => {
      const [name, path] = each.split('=') as [string, string?]
      return [name, { kind, read: inDocument(path ?? name) }]
    }),
  )
}

const column = (kind: Kind, read: Column['read']): Column => ({ kind, read })

function localTime(path: string): Column {
  const read = inDocument(path)
  return column('time', (summary, zone) => {
    const text = read(summary)
    const time = typeof text === 'string' ? readTime(text) : null
    return time && wallClock(time.wall - (time.offsetSec ?? 0) * 1000, summary.offsetSec, zone)
  })
}

const minutes = (path: string) =>
  column('int', summary => {
    const value = inDocument(path)(summary)
    return typeof value === 'number' ? value * 60 : null
  })

const SOURCE: Readonly<Record<string, Column>> = {
  source_type: column('text', summary => summary.sourceType),
  source_provider: column('text', summary => summary.provider),
  source_app_id: column('text', summary => summary.appId),
  source_device_id: column('text', summary => summary.deviceId),
}

const NUTRIENTS = {
  macros: 'carbohydrate=carbs protein alcohol water fibre sugar cholesterol',
  fats: 'saturated_fat=saturated monounsaturated_fat=monounsaturated polyunsaturated_fat=polyunsaturated omega3_fat=omega3 omega6_fat=omega6 total_fat=total',
  milligram:
    'sodium potassium calcium phosphorus magnesium iron zinc fluoride chloride vitamin_a vitamin_b1 riboflavin niacin pantothenic_acid vitamin_b6 vitamin_c vitamin_e copper manganese',
  microgram: 'biotin vitamin_b12 vitamin_d vitamin_k folic_acid chromium iodine molybdenum selenium',
}

function grams(names: string, under: string): Record<string, Column> {
  const pairs = names.split(' ').map(each => each.split('=') as [string, string?])
  return columns('float', pairs.map(([name, path]) => `${name}_gram=${under}.${path ?? name}`).join(' '))
}

/** A nutrient is in one of the three lists of a meal. */
function micros(names: string, unit: string): Record<string, Column> {
  const read = (name: string) => (summary: PlainSummary) => {
    const lists = ['minerals', 'trace_elements', 'vitamins'].map(list => inDocument(`micros.${list}.${name}`)(summary))
    return lists.find(each => typeof each === 'number')
  }
  return Object.fromEntries(names.split(' ').map(name => [`${name}_${unit}`, column('float', read(name))]))
}

/** Returns which energy a provider reports for workouts. */
export function kindOfEnergy(provider: string): string {
  if (provider === 'apple_health_kit') return 'active'
  return ['whoop_v2', 'polar', 'garmin', 'wahoo', 'hammerhead'].includes(provider) ? 'total' : 'unknown'
}

export const TABLES: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  sleep: {
    id: column('text', summary => summary.id),
    session_start: localTime('bedtime_start'),
    session_end: localTime('bedtime_stop'),
    ...columns('text', 'state type time_zone'),
    ...columns(
      'int',
      `duration_second=duration stage_asleep_second=total stage_awake_second=awake stage_light_second=light
      stage_rem_second=rem stage_deep_second=deep stage_unknown_second latency_second=latency score
      recovery_readiness_score heart_rate_minimum=hr_lowest heart_rate_mean=hr_average
      heart_rate_resting=hr_resting`,
    ),
    ...columns(
      'float',
      `heart_rate_maximum heart_rate_dip=hr_dip efficiency hrv_mean_rmssd=average_hrv hrv_mean_sdnn skin_temperature
      skin_temperature_delta=temperature_delta respiratory_rate`,
    ),
    efficiency_kind: column('text', ({ provider }) =>
      ['oura', 'whoop_v2', 'withings'].includes(provider) ? 'in_bed' : 'session',
    ),
    efficiency_recomputed: column('float', ({ document: { total, duration } }) => {
      const [asleep, inBed] = [total, duration].map(each => (typeof each === 'number' && each !== 0 ? each : null))
      return asleep == null || inBed == null || asleep > inBed ? null : (asleep / inBed) * 100
    }),
    ...SOURCE,
  },
  activity: {
    date: column('date', summary => readDate(summary.date)),
    ...columns(
      'float',
      `calories_total calories_active distance_meter=distance heart_rate_mean=heart_rate.avg_bpm
      heart_rate_minimum=heart_rate.min_bpm heart_rate_maximum=heart_rate.max_bpm
      heart_rate_resting=heart_rate.resting_bpm heart_rate_mean_walking=heart_rate.avg_walking_bpm`,
    ),
    ...columns(
      'int',
      'steps floors_climbed intensity_sedentary_second wheelchair_push time_zone_offset=timezone_offset',
    ),
    calories_total_kind: column('text', ({ provider }) => (provider === 'whoop_v2' ? 'cycle' : 'day')),
    duration_active_second: column('int', ({ document }) => {
      const parts = [document['low'], document['medium'], document['high']].filter(each => typeof each === 'number')
      return parts.length === 0 ? null : parts.reduce((sum, each) => sum + each * 60, 0)
    }),
    intensity_low_second: minutes('low'),
    intensity_medium_second: minutes('medium'),
    intensity_high_second: minutes('high'),
    ...columns('bool', 'wheelchair_use'),
    ...columns('text', 'time_zone'),
    ...SOURCE,
  },
  workout: {
    session_start: localTime('time_start'),
    session_end: localTime('time_end'),
    ...columns(
      'text',
      `title sport_name=sport.name sport_slug=sport.slug map_polyline=map.polyline
      map_summary_polyline=map.summary_polyline external_id=provider_id time_zone`,
    ),
    // our documents show a power meter by the power it measured
    power_source: column('text', ({ document }) => (typeof document['device_watts'] === 'number' ? 'device' : null)),
    ...columns(
      'int',
      `duration_active_second=moving_time steps heart_rate_mean=average_hr heart_rate_maximum=max_hr
      heart_rate_zone_1=hr_zones.0 heart_rate_zone_2=hr_zones.1 heart_rate_zone_3=hr_zones.2
      heart_rate_zone_4=hr_zones.3 heart_rate_zone_5=hr_zones.4 heart_rate_zone_6=hr_zones.5`,
    ),
    ...columns(
      'float',
      `heart_rate_minimum distance_meter=distance calories
      elevation_gain_meter=total_elevation_gain elevation_maximum_meter=elev_high elevation_minimum_meter=elev_low
      speed_mean=average_speed speed_maximum=max_speed power_mean=average_watts power_maximum=max_watts
      power_weighted_mean=weighted_average_watts`,
    ),
    calories_kind: column('text', ({ provider }) => kindOfEnergy(provider)),
    ...SOURCE,
  },
  body: {
    measured_at: column('time', ({ atMs, offsetSec }, zone) => wallClock(atMs, offsetSec, zone)),
    ...columns(
      'float',
      `weight_kilogram=weight fat_mass_percentage=fat water_percentage muscle_mass_percentage visceral_fat_index
      bone_mass_percentage body_mass_index lean_body_mass_kilogram waist_circumference_centimeter`,
    ),
    ...columns('text', 'time_zone'),
    ...SOURCE,
  },
  meal: {
    date: column('date', summary => readDate(summary.date)),
    ...columns('text', 'name'),
    ...columns('float', 'calories=energy.value'),
    ...grams(NUTRIENTS.macros, 'macros'),
    ...grams(NUTRIENTS.fats, 'macros.fats'),
    ...micros(NUTRIENTS.milligram, 'milligram'),
    ...micros(NUTRIENTS.microgram, 'microgram'),
    ...SOURCE,
  },
  menstrual_cycle: {
    ...columns('date', 'period_start period_end cycle_end'),
    ...columns('bool', 'is_predicted'),
    ...SOURCE,
  },
  profile: {
    ...columns('int', 'height_centimeter=height'),
    ...columns('date', 'birth_date'),
    ...columns('bool', 'wheelchair_use'),
    ...columns('text', 'gender sex'),
    created_at: column('time', summary => summary.createdMs),
    updated_at: column('time', summary => summary.updatedMs),
    ...SOURCE,
  },
}

/** The kind of summary and the index of each table with one row per summary. */
export const SUMMARY_OF: Readonly<
  Record<string, { readonly kind: string; readonly index: (summary: PlainSummary, zone: string) => number | null }>
> = {
  sleep: { kind: 'sleep', index: atLocal },
  activity: { kind: 'activity', index: summary => readDate(summary.date) },
  workout: { kind: 'workouts', index: atLocal },
  body: { kind: 'body', index: atLocal },
  meal: { kind: 'meal', index: atLocal },
  menstrual_cycle: { kind: 'menstrual_cycle', index: summary => readDate(`${summary.document['period_start']}`) },
  profile: { kind: 'profile', index: summary => summary.updatedMs },
}

function atLocal({ atMs, offsetSec }: PlainSummary, zone: string): number {
  return wallClock(atMs, offsetSec, zone)
}

/** Converts a raw value to the kind of its column. Anything else becomes null, and integer columns round half up. */
export function typed(kind: Kind, raw: unknown): Value {
  if (kind === 'text') return typeof raw === 'string' ? raw : null
  if (kind === 'bool') return typeof raw === 'boolean' ? raw : null
  if (kind === 'date' && typeof raw === 'string') return readDate(raw)
  if (typeof raw !== 'number') return null
  return kind === 'int' ? Math.floor(raw + 0.5) : raw
}

/** The list columns of a cycle, with the kinds of the fields in their elements. */
export const LISTS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  menstrual_flow: { date: 'date', flow: 'text' },
  cervical_mucus: { date: 'date', quality: 'text' },
  intermenstrual_bleeding: { date: 'date' },
  contraceptive: { date: 'date', type: 'text' },
  detected_deviations: { date: 'date', deviation: 'text' },
  ovulation_test: { date: 'date', test_result: 'text' },
  home_pregnancy_test: { date: 'date', test_result: 'text' },
  home_progesterone_test: { date: 'date', test_result: 'text' },
  sexual_activity: { date: 'date', protection_used: 'bool' },
  basal_body_temperature: { date: 'date', value: 'float' },
}
