/** Schemas of summaries: the nine resources of GET /v2/summary. See docs/interface/summaries.md. */
import * as z from 'zod'
import { SUMMARY_KINDS, type SummaryKind } from '../../core/sample.ts'
import {
  component,
  date,
  dateOrDateTime,
  dateOrDateTimeOrEmpty,
  dateOrEmpty,
  dateTime,
  openEnum,
  userId,
} from '../kernel/primitives.ts'
import { electrocardiogramFields, meal, menstrualCycleFields } from './summary-details.ts'

export const summaryParams = () => z.object({ resource: z.enum(SUMMARY_KINDS), user_id: userId() })

/** Resources whose range must be given as dates. The other resources also accept date-times, and profile has no range. */
const DATES_ONLY: ReadonlySet<SummaryKind> = new Set(['sleep_cycle', 'menstrual_cycle', 'electrocardiogram'])

/** Returns a resource's query schema. Every resource except profile requires a start. */
export const summaryQuerySchema = (kind: SummaryKind) => {
  const provider = z.string().max(64).default('')
  if (kind === 'profile') return z.object({ provider })
  return DATES_ONLY.has(kind)
    ? z.object({ start_date: date(), end_date: dateOrEmpty().nullish(), provider })
    : z.object({ start_date: dateOrDateTime(), end_date: dateOrDateTimeOrEmpty().nullish(), provider })
}

/** The query for any resource. `summaryQuerySchema` returns the exact schema for each resource. */
export const summaryQuery = () =>
  z.object({
    start_date: dateOrDateTime().optional(),
    end_date: dateOrDateTimeOrEmpty().nullish(),
    provider: z.string().max(64).default(''),
  })

/** The list's key in the response, by kind. A profile is returned as a plain object without a list. */
export const SUMMARY_WRAPPERS: Readonly<Record<Exclude<SummaryKind, 'profile'>, string>> = {
  activity: 'activity',
  workouts: 'workouts',
  sleep: 'sleep',
  sleep_cycle: 'sleep_cycle',
  body: 'body',
  meal: 'meals',
  menstrual_cycle: 'menstrual_cycle',
  electrocardiogram: 'electrocardiogram',
}

const old = <T extends z.ZodType>(schema: T): T => schema.meta({ deprecated: true }) as T

/** A summary's source. The last three fields were removed on 2024-07-31. See docs/interface/versioning.md#versioning-4. */
export const summarySource = () =>
  component('SummarySource', {
    provider: z.string(),
    type: z.string(),
    app_id: z.string().nullable(),
    device_id: z.string().nullable(),
    name: old(z.string().optional()),
    slug: old(z.string().optional()),
    logo: old(z.string().optional()),
  })

/** A number with a description in the form `Meaning, unit`; null if the provider does not report it. The console displays both parts. */
const number = (description: string) => z.number().nullable().meta({ description })
/** The same as `number`, for an integer; fractions are rounded (whole-numbers.ts). */
const integer = (description: string) => z.int().nullable().meta({ description })
const seconds = (description: string) => z.int().meta({ description: `${description}, seconds` })
const text = (description: string) => z.string().nullable().meta({ description })
/** UTC offset at the time of the summary, in seconds east of UTC. */
const timezoneOffset = () => integer('Seconds east of UTC')

const FIELDS: Readonly<Record<SummaryKind, () => z.core.$ZodLooseShape>> = {
  activity: () => ({
    date: old(dateTime()),
    calories_total: number('Energy burnt, kcal'),
    calories_active: number('Energy burnt by activity, kcal'),
    steps: integer('Steps taken'),
    daily_movement: old(number('Same as distance')),
    distance: number('Distance, m'),
    low: number('Minutes of low intensity'),
    medium: number('Minutes of medium intensity'),
    high: number('Minutes of high intensity'),
    floors_climbed: integer('Floors climbed'),
    time_zone: text('IANA time zone'),
    timezone_offset: timezoneOffset(),
    heart_rate: z
      .object({
        avg_bpm: number('Mean heart rate, bpm'),
        min_bpm: number('Lowest heart rate, bpm'),
        max_bpm: number('Highest heart rate, bpm'),
        resting_bpm: number('Resting heart rate, bpm'),
        avg_walking_bpm: number('Mean heart rate while walking, bpm'),
      })
      .nullable(),
    wheelchair_use: z.boolean().nullable().meta({ description: 'Whether a wheelchair was used; true or null' }),
    wheelchair_push: integer('Wheelchair pushes'),
  }),
  workouts: () => ({
    time_start: dateTime(),
    time_end: dateTime(),
    timezone_offset: timezoneOffset(),
    provider_id: z.string().meta({ description: 'Id of the workout at the provider' }),
    title: text('Title'),
    sport: z.object({ id: z.int(), name: z.string(), slug: z.string() }).nullable(),
    average_hr: integer('Mean heart rate, bpm'),
    max_hr: integer('Highest heart rate, bpm'),
    distance: number('Distance, m'),
    calories: number('Energy burnt, kcal'),
    hr_zones: z
      .array(z.int())
      .nullable()
      .meta({ description: 'Seconds in each of six heart rate zones, lowest first' }),
    moving_time: integer('Time in motion, seconds'),
    total_elevation_gain: number('Metres climbed'),
    elev_high: number('Highest altitude, m'),
    elev_low: number('Lowest altitude, m'),
    average_speed: number('Mean speed, m/s'),
    max_speed: number('Highest speed, m/s'),
    average_watts: number('Mean power, W'),
    device_watts: number('Mean power measured by a device, W'),
    max_watts: number('Highest power, W'),
    weighted_average_watts: number('Weighted mean power, W'),
    steps: integer('Steps taken'),
    map: z
      .object({ polyline: text('Encoded polyline'), summary_polyline: text('Encoded polyline with fewer points') })
      .nullable(),
  }),
  sleep: () => ({
    date: old(dateTime()),
    bedtime_start: dateTime(),
    bedtime_stop: dateTime(),
    type: openEnum(['long_sleep', 'short_sleep', 'acknowledged_nap', 'unknown']),
    timezone_offset: timezoneOffset(),
    duration: seconds('In bed'),
    total: seconds('Asleep'),
    awake: seconds('Awake'),
    light: seconds('Light sleep'),
    rem: seconds('REM sleep'),
    deep: seconds('Deep sleep'),
    score: integer("Provider's sleep score, 1 to 100"),
    recovery_readiness_score: integer("Provider's readiness score, 0 to 100"),
    hr_lowest: integer('Lowest heart rate, bpm'),
    hr_average: integer('Mean heart rate, bpm'),
    hr_resting: integer('Resting heart rate, bpm'),
    efficiency: number('Share of time in bed spent asleep, %'),
    latency: integer('Time until asleep, seconds'),
    temperature_delta: number('Skin temperature relative to the baseline, °C'),
    skin_temperature: number('Skin temperature, °C'),
    hr_dip: number('Drop in heart rate at night, %'),
    state: openEnum(['tentative', 'confirmed']).nullable(),
    average_hrv: number('Mean heart rate variability (RMSSD), ms'),
    respiratory_rate: number('Breaths per minute'),
    sleep_stream: old(z.null().meta({ description: 'Always null; the sleep stream has its own path' })),
  }),
  sleep_cycle: () => ({
    sleep_id: z.string().meta({ description: 'Id of the sleep summary' }),
    session_start: dateTime(),
    session_end: dateTime(),
    stage_start_offset_second: z.array(z.int()),
    stage_end_offset_second: z.array(z.int()),
    stage_type: z.array(z.int()).meta({ description: 'Stages; -1 missing, 1 deep, 2 light, 3 rem, 4 awake, 5 manual' }),
    time_zone: text('IANA time zone'),
    ...sourceFields(),
  }),
  body: () => ({
    date: old(dateTime()),
    weight: number('Weight, kg'),
    fat: number('Body fat, %'),
    water_percentage: number('Water, %'),
    muscle_mass_percentage: number('Muscle mass, %'),
    visceral_fat_index: number('Visceral fat index'),
    bone_mass_percentage: number('Bone mass, %'),
    body_mass_index: number('Body mass index'),
    lean_body_mass_kilogram: number('Lean body mass, kg'),
    waist_circumference_centimeter: number('Waist circumference, cm'),
  }),
  meal: () => ({
    timestamp: dateTime(),
    name: z.string(),
    ...meal(),
    source_app_id: z.string().nullable(),
    source_device_id: z.string().nullable(),
  }),
  profile: () => ({
    height: integer('Height, cm'),
    birth_date: date().nullable(),
    wheelchair_use: z.boolean().nullable(),
    gender: openEnum(['female', 'male', 'other', 'unknown']).nullable(),
    sex: openEnum(['female', 'male', 'other']).nullable(),
  }),
  menstrual_cycle: () => ({ ...menstrualCycleFields(), ...sourceFields() }),
  electrocardiogram: () => ({
    session_start: dateTime(),
    session_end: dateTime(),
    ...electrocardiogramFields(),
    ...sourceFields(),
    source_device_model: z.string().nullable(),
  }),
}

/** Returns the source as top-level fields, for kinds whose documents repeat it there. */
function sourceFields() {
  return {
    source_provider: z.string(),
    source_type: z.string(),
    source_app_id: z.string().nullable(),
    source_device_id: z.string().nullable(),
  }
}

/** Returns the schema of one summary of this kind, with all keys. */
export const summaryItem = (kind: SummaryKind): z.ZodObject =>
  z
    .object({
      id: z.string().meta({ description: 'A newer version with the same id replaces every earlier one' }),
      user_id: userId(),
      ...(kind === 'profile' ? {} : { calendar_date: date() }),
      ...FIELDS[kind](),
      source: summarySource(),
      created_at: dateTime(),
      updated_at: dateTime(),
    })
    .meta({ id: componentName(kind) })

/** Returns the response schema of a resource: a list under its key, or a profile. */
export const summaryReply = (kind: SummaryKind): z.ZodObject =>
  kind === 'profile' ? summaryItem(kind) : z.object({ [SUMMARY_WRAPPERS[kind]]: z.array(summaryItem(kind)) })

/** The response of any resource. */
export const anySummaryReply = () => z.looseObject({})

/** Returns a kind's component name: `SleepCycleSummary` for `sleep_cycle`. */
function componentName(kind: SummaryKind): string {
  const words = kind.split('_').map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Summary`
}
