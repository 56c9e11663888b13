/** The documents of summaries, with every field that the provider did not fill as null. docs/summaries.md lists the fields. */
import { type EpochMs, formatInstant, HOUR_MS, type IsoDate, SECOND_MS } from '../../core/time.ts'
import type { WorkoutTotals } from '../files/activity/totals.ts'

type Document = Readonly<Record<string, unknown>>

/** A session of at least this length is a `long_sleep`. */
const LONG_SLEEP_MS = 3 * HOUR_MS

export interface SleepSpan {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly date: IsoDate
  readonly offset: number | null
  readonly isNap: boolean
}

/** Fields that a provider fills; numbers in the units of the interface. */
export type Filled = Readonly<Record<string, unknown>>

/** Returns the document of a night. Stages that are unknown count 0 seconds. */
export function sleepDocument(span: SleepSpan, filled: Filled): Document {
  const { start, end, date, offset, isNap } = span
  return {
    date: `${date}T00:00:00+00:00`,
    calendar_date: date,
    bedtime_start: formatInstant(start),
    bedtime_stop: formatInstant(end),
    type: isNap ? 'acknowledged_nap' : end - start >= LONG_SLEEP_MS ? 'long_sleep' : 'short_sleep',
    timezone_offset: offset,
    duration: Math.round((end - start) / SECOND_MS),
    total: 0,
    awake: 0,
    light: 0,
    rem: 0,
    deep: 0,
    score: null,
    recovery_readiness_score: null,
    hr_lowest: null,
    hr_average: null,
    hr_resting: null,
    efficiency: null,
    latency: null,
    temperature_delta: null,
    skin_temperature: null,
    hr_dip: null,
    state: 'confirmed',
    average_hrv: null,
    respiratory_rate: null,
    sleep_stream: null,
    ...filled,
  }
}

/** A stage from `start` to `end`: -1 missing, 1 deep, 2 light, 3 rem, 4 awake. */
export interface SleepStage {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly stage: number
}

/** Returns the document of a sleep cycle. The stages ascend and do not overlap. */
export function sleepCycleDocument(
  { start, end }: SleepSpan,
  source: { readonly sleepId: string; readonly provider: string; readonly sourceType: string },
  stages: readonly SleepStage[],
): Document {
  const second = (at: EpochMs): number => Math.round((at - start) / SECOND_MS)
  return {
    sleep_id: source.sleepId,
    session_start: formatInstant(start),
    session_end: formatInstant(end),
    stage_start_offset_second: stages.map(each => second(each.start)),
    stage_end_offset_second: stages.map(each => second(each.end)),
    stage_type: stages.map(each => each.stage),
    time_zone: null,
    source_provider: source.provider,
    source_type: source.sourceType,
    source_app_id: null,
    source_device_id: null,
  }
}

/** Returns the document of a day. Names with a dot fill the nested object: `heart_rate.avg_bpm`. */
export function activityDocument(date: IsoDate, offset: number | null, filled: Filled): Document {
  const heart: Record<string, unknown> = {}
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(filled)) {
    const nested = name.startsWith('heart_rate.')
    if (nested) heart[name.slice('heart_rate.'.length)] = value
    else rest[name] = value
  }
  const blank = { avg_bpm: null, min_bpm: null, max_bpm: null, resting_bpm: null, avg_walking_bpm: null }
  return {
    date: `${date}T00:00:00+00:00`,
    calendar_date: date,
    calories_total: null,
    calories_active: null,
    steps: null,
    daily_movement: rest['distance'] ?? null,
    distance: null,
    low: null,
    medium: null,
    high: null,
    floors_climbed: null,
    time_zone: null,
    timezone_offset: offset,
    heart_rate: Object.keys(heart).length === 0 ? null : { ...blank, ...heart },
    wheelchair_use: null,
    wheelchair_push: null,
    ...rest,
  }
}

export function bodyDocument(date: IsoDate, filled: Filled): Document {
  return {
    date: `${date}T00:00:00+00:00`,
    calendar_date: date,
    weight: null,
    fat: null,
    water_percentage: null,
    muscle_mass_percentage: null,
    visceral_fat_index: null,
    bone_mass_percentage: null,
    body_mass_index: null,
    lean_body_mass_kilogram: null,
    waist_circumference_centimeter: null,
    ...filled,
  }
}

export function profileDocument(filled: Filled): Document {
  return { height: null, birth_date: null, wheelchair_use: null, gender: null, sex: null, ...filled }
}

export interface WorkoutFacts {
  readonly providerId: string
  readonly title: string
  readonly sport: { readonly id: number; readonly name: string; readonly slug: string }
  readonly start: EpochMs
  readonly end: EpochMs
  readonly offset: number | null
  readonly date: IsoDate
  readonly totals: WorkoutTotals
  readonly map: { readonly polyline: string; readonly summary_polyline: string } | null
}

export function workoutDocument(facts: WorkoutFacts): Document {
  return {
    provider_id: facts.providerId,
    calendar_date: facts.date,
    title: facts.title,
    sport: { ...facts.sport },
    time_start: formatInstant(facts.start),
    time_end: formatInstant(facts.end),
    timezone_offset: facts.offset,
    ...facts.totals,
    map: facts.map,
  }
}
