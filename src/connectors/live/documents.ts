/** Documents of summaries as live connectors make them: every field, null unless the provider has it. See docs/interface/summaries.md. */
import type { Sport } from '../../catalogue/sports.ts'
import { ownedId, type UserId } from '../../core/ids.ts'
import type { SummaryKind, SummaryRecord } from '../../core/sample.ts'
import { type EpochMs, formatInstant, type IsoDate, parseDate, SECOND_MS } from '../../core/time.ts'

/** What all summaries of a record share. */
export interface SummarySource {
  readonly userId: UserId
  readonly provider: string
  readonly sourceType: string
  /** The provider's id of the record. */
  readonly recordId: string
  readonly date: IsoDate
  /** Seconds east of UTC; null if unknown. */
  readonly offset: number | null
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the id that the summary of a record always has. */
export function summaryId({ userId, provider, recordId }: SummarySource, kind: SummaryKind): string {
  return ownedId(userId, kind, provider, recordId)
}

/** Returns a summary at a time: the end of a sleep, the start of a workout, midnight UTC of a day. */
export function summaryAt(source: SummarySource, kind: SummaryKind, at: EpochMs, document: Fields): SummaryRecord {
  const { provider, sourceType, date, offset } = source
  const id = summaryId(source, kind)
  return { kind, id, provider, sourceType, appId: null, deviceId: null, at, date, offset, document }
}

/** Returns the summary of a day. `fields` are those of docs/interface/summaries.md that the provider has. */
export function activitySummary(source: SummarySource, fields: Fields): SummaryRecord {
  const document = { ...dates(source), ...NO_ACTIVITY, timezone_offset: source.offset, ...fields }
  return summaryAt(source, 'activity', parseDate(source.date) ?? 0, document)
}

/** A session of sleep or work. */
export interface Session {
  readonly start: EpochMs
  readonly end: EpochMs
}

/** Returns the summary of a night or a nap. A length that the provider does not say is 0, since the field must be a number. */
export function sleepSummary(source: SummarySource, { start, end }: Session, fields: Fields): SummaryRecord {
  return summaryAt(source, 'sleep', end, {
    ...dates(source),
    bedtime_start: formatInstant(start),
    bedtime_stop: formatInstant(end),
    ...NO_SLEEP,
    timezone_offset: source.offset,
    duration: Math.round((end - start) / SECOND_MS),
    // the lengths must be numbers
    ...withoutNulls(fields),
  })
}

/** Stages as summaries number them. */
export const STAGES = { missing: -1, deep: 1, light: 2, rem: 3, awake: 4, manual: 5 } as const

export interface StageSpan extends Session {
  readonly stage: number
}

/** Returns the sleep cycle that belongs to the sleep summary of the same record. Spans must ascend; equal neighbours are merged. */
export function sleepCycle(
  source: SummarySource,
  session: Session,
  spans: readonly StageSpan[],
  timeZone: string | null = null,
): SummaryRecord {
  const merged: StageSpan[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last?.stage === span.stage && last.end === span.start) merged[merged.length - 1] = { ...last, end: span.end }
    else merged.push(span)
  }
  const seconds = (at: EpochMs): number => Math.round((at - session.start) / SECOND_MS)
  return summaryAt(source, 'sleep_cycle', session.end, {
    sleep_id: summaryId(source, 'sleep'),
    session_start: formatInstant(session.start),
    session_end: formatInstant(session.end),
    stage_start_offset_second: merged.map(each => seconds(each.start)),
    stage_end_offset_second: merged.map(each => seconds(each.end)),
    stage_type: merged.map(each => each.stage),
    time_zone: timeZone,
    source_provider: source.provider,
    source_type: source.sourceType,
    source_app_id: null,
    source_device_id: null,
  })
}

/** Returns the summary of a workout. */
export function workoutSummary(
  source: SummarySource,
  { start, end }: Session,
  sport: Sport,
  fields: Fields,
): SummaryRecord {
  return summaryAt(source, 'workouts', start, {
    provider_id: source.recordId,
    calendar_date: source.date,
    title: sport.name,
    sport: { ...sport },
    time_start: formatInstant(start),
    time_end: formatInstant(end),
    timezone_offset: source.offset,
    ...NO_WORKOUT,
    moving_time: Math.round((end - start) / SECOND_MS),
    ...fields,
  })
}

/** Returns the summary of a weighing. */
export function bodySummary(source: SummarySource, at: EpochMs, fields: Fields): SummaryRecord {
  return summaryAt(source, 'body', at, { ...dates(source), ...NO_BODY, ...fields })
}

/** Returns the summary of an electrocardiogram. `fields` are those of docs/interface/summaries.md that the provider has. */
export function electrocardiogramSummary(source: SummarySource, start: EpochMs, fields: Fields): SummaryRecord {
  return summaryAt(source, 'electrocardiogram', start, {
    calendar_date: source.date,
    session_start: formatInstant(start),
    session_end: formatInstant(start),
    ...NO_ELECTROCARDIOGRAM,
    source_provider: source.provider,
    source_type: source.sourceType,
    ...fields,
  })
}

/** Returns the profile: there is one for each connection. */
export function profileSummary(source: SummarySource, at: EpochMs, fields: Fields): SummaryRecord {
  return summaryAt(source, 'profile', at, { ...NO_PROFILE, ...fields })
}

/** Returns the fields that have a value. */
export function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function dates({ date }: SummarySource): Fields {
  return { date: `${date}T00:00:00+00:00`, calendar_date: date }
}

const NO_ACTIVITY: Fields = {
  calories_total: null,
  calories_active: null,
  steps: null,
  daily_movement: null,
  distance: null,
  low: null,
  medium: null,
  high: null,
  floors_climbed: null,
  time_zone: null,
  heart_rate: null,
  wheelchair_use: null,
  wheelchair_push: null,
}

const NO_SLEEP: Fields = {
  type: 'unknown',
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
}

const NO_WORKOUT: Fields = {
  average_hr: null,
  max_hr: null,
  distance: null,
  calories: null,
  hr_zones: null,
  moving_time: null,
  total_elevation_gain: null,
  elev_high: null,
  elev_low: null,
  average_speed: null,
  max_speed: null,
  average_watts: null,
  device_watts: null,
  max_watts: null,
  weighted_average_watts: null,
  steps: null,
  map: null,
}

const NO_BODY: Fields = {
  weight: null,
  fat: null,
  water_percentage: null,
  muscle_mass_percentage: null,
  visceral_fat_index: null,
  bone_mass_percentage: null,
  body_mass_index: null,
  lean_body_mass_kilogram: null,
  waist_circumference_centimeter: null,
}

const NO_ELECTROCARDIOGRAM: Fields = {
  voltage_sample_count: 0,
  heart_rate_mean: null,
  sampling_frequency_hz: null,
  classification: null,
  inconclusive_cause: null,
  algorithm_version: null,
  time_zone: null,
  source_app_id: null,
  source_device_id: null,
  source_device_model: null,
}

const NO_PROFILE: Fields = { height: null, birth_date: null, wheelchair_use: null, gender: null, sex: null }
