/**
 * Builds summaries for simulated people, files and live providers. A document contains the fields in docs/interface/summaries.md that have
 * a value; all others are absent.
 */
import type { Sport } from '../../catalogue/sports.ts'
import { ownedId, type UserId } from '../../core/ids.ts'
import type { SummaryKind, SummaryRecord } from '../../core/sample.ts'
import { withoutNulls } from '../../core/summary-document.ts'
import { type EpochMs, formatInstant, HOUR_MS, type IsoDate, parseDate, SECOND_MS } from '../../core/time.ts'

/** Fields that all of a record's summaries share. */
export interface SummaryOrigin {
  readonly userId: string
  readonly provider: string
  readonly sourceType: string
  /** The app and the device that recorded it, if they are known. */
  readonly appId?: string | null
  readonly deviceId?: string | null
  /** The provider's ID for the record. If there is none, a text that distinguishes the record from the provider's other records. */
  readonly recordId: string | readonly (string | number)[]
  readonly date: IsoDate
  /** Offset in seconds east of UTC; null if unknown. */
  readonly offset: number | null
}

/** The origin of summaries from a provider whose records have IDs. */
export interface SummarySource extends SummaryOrigin {
  readonly userId: UserId
  readonly recordId: string
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the permanent ID of a record's summary. */
export function summaryId({ userId, provider, recordId }: SummaryOrigin, kind: SummaryKind): string {
  return ownedId(userId, kind, provider, ...[recordId].flat())
}

/** Returns a summary at a time: a sleep's end, a workout's start, or midnight UTC of a day. */
export function summaryAt(origin: SummaryOrigin, kind: SummaryKind, at: EpochMs, document: Fields): SummaryRecord {
  const { provider, sourceType, appId = null, deviceId = null, date, offset } = origin
  const id = summaryId(origin, kind)
  const source = { provider, sourceType, appId, deviceId }
  return { kind, id, ...source, at, date, offset, document: withoutNulls(document) }
}

/** Returns a day's summary. `fields` contains the fields in docs/interface/summaries.md that the provider supplies. */
export function activitySummary(origin: SummaryOrigin, fields: Fields): SummaryRecord {
  const document = { ...dates(origin), timezone_offset: origin.offset, ...fields }
  return summaryAt(origin, 'activity', parseDate(origin.date) ?? 0, document)
}

/** A sleep session or a workout. */
export interface Session {
  readonly start: EpochMs
  readonly end: EpochMs
}

/** Minimum length of a `long_sleep`. */
const LONG_SLEEP_MS = 3 * HOUR_MS

/** Returns a sleep's type, which depends only on its length. */
export function sleepType(durationMs: number): 'long_sleep' | 'short_sleep' {
  return durationMs >= LONG_SLEEP_MS ? 'long_sleep' : 'short_sleep'
}

/** A sleep summary's default values, for fields that must have a value. */
const UNKNOWN_SLEEP: Fields = { type: 'unknown', total: 0, awake: 0, light: 0, rem: 0, deep: 0, state: 'confirmed' }

/** Returns a night's or a nap's summary. A duration that the provider does not report is 0. */
export function sleepSummary(origin: SummaryOrigin, { start, end }: Session, fields: Fields): SummaryRecord {
  return summaryAt(origin, 'sleep', end, {
    ...dates(origin),
    bedtime_start: formatInstant(start),
    bedtime_stop: formatInstant(end),
    ...UNKNOWN_SLEEP,
    timezone_offset: origin.offset,
    duration: Math.round((end - start) / SECOND_MS),
    ...withoutNulls(fields),
  })
}

/** The numbers that represent sleep stages in summaries. */
export const STAGES = { missing: -1, deep: 1, light: 2, rem: 3, awake: 4, manual: 5 } as const

export interface StageSpan extends Session {
  readonly stage: number
}

/**
 * Returns the sleep cycle for the sleep summary of the same record. Spans must be ascending; adjacent spans of the same stage are merged.
 */
export function sleepCycle(
  origin: SummaryOrigin,
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
  return summaryAt(origin, 'sleep_cycle', session.end, {
    sleep_id: summaryId(origin, 'sleep'),
    session_start: formatInstant(session.start),
    session_end: formatInstant(session.end),
    stage_start_offset_second: merged.map(each => seconds(each.start)),
    stage_end_offset_second: merged.map(each => seconds(each.end)),
    stage_type: merged.map(each => each.stage),
    time_zone: timeZone,
    ...sourceFields(origin),
  })
}

/** Returns a workout's summary. */
export function workoutSummary(
  origin: SummaryOrigin,
  { start, end }: Session,
  sport: Sport,
  fields: Fields,
): SummaryRecord {
  return summaryAt(origin, 'workouts', start, {
    provider_id: typeof origin.recordId === 'string' ? origin.recordId : summaryId(origin, 'workouts'),
    calendar_date: origin.date,
    title: sport.name,
    sport: { ...sport },
    time_start: formatInstant(start),
    time_end: formatInstant(end),
    timezone_offset: origin.offset,
    moving_time: Math.round((end - start) / SECOND_MS),
    ...fields,
  })
}

/** Returns the summary of a body weight measurement. */
export function bodySummary(origin: SummaryOrigin, at: EpochMs, fields: Fields): SummaryRecord {
  return summaryAt(origin, 'body', at, { ...dates(origin), ...fields })
}

/** Returns a meal's summary. `fields` contains its nutrients: `energy`, `macros`, `micros`, and `data` by food. */
export function mealSummary(origin: SummaryOrigin, at: EpochMs, name: string, fields: Fields): SummaryRecord {
  return summaryAt(origin, 'meal', at, {
    timestamp: formatInstant(at),
    name,
    ...fields,
    priority_id: 0,
    source_id: 0,
    provider_id: typeof origin.recordId === 'string' ? origin.recordId : summaryId(origin, 'meal'),
    source_app_id: origin.appId ?? null,
    source_device_id: origin.deviceId ?? null,
  })
}

/** Returns an electrocardiogram's summary. `fields` contains the fields in docs/interface/summaries.md that the provider supplies. */
export function electrocardiogramSummary(origin: SummaryOrigin, start: EpochMs, fields: Fields): SummaryRecord {
  return summaryAt(origin, 'electrocardiogram', start, {
    calendar_date: origin.date,
    session_start: formatInstant(start),
    session_end: formatInstant(start),
    voltage_sample_count: 0,
    ...sourceFields(origin),
    ...fields,
  })
}

/** Returns the profile. There is one for each connection. */
export function profileSummary(origin: SummaryOrigin, at: EpochMs, fields: Fields): SummaryRecord {
  return summaryAt(origin, 'profile', at, fields)
}

/** Returns the source as top-level fields, for kinds whose documents repeat it there. */
export function sourceFields({ provider, sourceType }: SummaryOrigin): Fields {
  return { source_provider: provider, source_type: sourceType }
}

function dates({ date }: SummaryOrigin): Fields {
  return { date: `${date}T00:00:00+00:00`, calendar_date: date }
}
