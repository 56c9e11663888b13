/** Turns what a person enters in the Dexcom app into samples and workouts: carbohydrates, insulin, exercise, blood glucose. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { ownedId } from '../../../core/ids.ts'
import type { SampleInput, SummaryRecord } from '../../../core/sample.ts'
import { formatDate, formatInstant, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { ProviderRecord, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import { type CollectedPage, deletedRecord, recordOf, SeriesSamples, versionOf } from '../collected-page.ts'
import { eventValue, glucoseOf, PROVIDER, type RecordTime, timeOf } from './records.ts'

/** Source type of what the person enters by hand, in the app. */
const ENTERED = 'app'
export const FINGERSTICK = 'fingerprick'

/** Types of insulin and intensities of exercise, by `eventSubType`. */
export const INSULIN_TYPES: Readonly<Record<string, string>> = { fastActing: 'rapid_acting', longActing: 'long_acting' }
export const INTENSITIES: Readonly<Record<string, string>> = { light: 'low', medium: 'medium', heavy: 'high' }

/** Units in which the values of events may arrive. */
const UNITS: Readonly<Record<string, string>> = { carbs: 'grams', insulin: 'units', exercise: 'minutes' }

/** An event as samples and a summary. */
interface Content {
  readonly samples: readonly {
    readonly resource: string
    readonly sourceType: string
    readonly type?: string
    readonly sample: SampleInput
  }[]
  readonly summary?: SummaryRecord
}

/** Returns the record of an event; undefined, and counted, if it is not mapped. */
export function eventRecord(event: JsonObject, asked: PullRequest, page: CollectedPage): ProviderRecord | undefined {
  const id = asText(event['recordId'])
  if (id === undefined || id === '') {
    page.skip('events without an id')
    return undefined
  }
  if (event['eventStatus'] === 'deleted') return deletedRecord(id)
  const kind = asText(event['eventType']) ?? 'unknown'
  const time = timeOf(event)
  const content = time === undefined ? 'without a time' : contentOf(kind, event, time, id, asked)
  // an event that was mapped before it changed must not stay
  if (typeof content === 'string') {
    page.skip(`events ${/^\w{1,32}$/.test(kind) ? kind : 'unknown'} ${content}`.trimEnd())
    return recordOf(id, versionOf(event))
  }
  const samples = new SeriesSamples(asked.now)
  for (const { resource, type = null, sourceType, sample } of content.samples) {
    if (!asked.resources.includes(resource)) continue
    page.countProblem(`events ${kind}`, samples.add({ resource, type, provider: PROVIDER, sourceType }, sample))
  }
  const { summary } = content
  const summaries = summary !== undefined && asked.resources.includes(summary.kind) ? [summary] : []
  return recordOf(id, versionOf(event, asked.resources), { batches: samples.take(), summaries })
}

/** Returns the content of an event, or why there is none; '' for a type that is not mapped. */
function contentOf(
  kind: string,
  event: JsonObject,
  { ms: start, offset }: RecordTime,
  id: string,
  asked: PullRequest,
): Content | string {
  if (kind === 'bloodGlucose') {
    const value = glucoseOf(event)
    if (value === undefined) return 'without a value in a known unit'
    return { samples: [{ resource: 'glucose', sourceType: FINGERSTICK, sample: { start, offset, value } }] }
  }
  const unit = UNITS[kind]
  if (unit === undefined) return ''
  const value = eventValue(event)
  if (value === undefined || value < 0 || (event['unit'] ?? unit) !== unit) return 'without a value in a known unit'
  const subtype = asText(event['eventSubType']) ?? ''
  if (kind === 'carbs') {
    return { samples: [{ resource: 'carbohydrates', sourceType: ENTERED, sample: { start, offset, value } }] }
  }
  if (kind === 'insulin') {
    const type = INSULIN_TYPES[subtype]
    if (type === undefined) return 'without a known type'
    return { samples: [{ resource: 'insulin_injection', type, sourceType: ENTERED, sample: { start, offset, value } }] }
  }
  const summary = workoutOf(id, start, offset, value, asked)
  const text = { intensity: INTENSITIES[subtype] ?? null, workout_id: summary.id, sport: OTHER_SPORT.slug }
  const sample = { start, end: start + value * MINUTE_MS, offset, value, text }
  return { samples: [{ resource: 'workout_duration', sourceType: ENTERED, sample }], summary }
}

/** Returns a workout of which only the duration is known. */
function workoutOf(
  recordId: string,
  start: number,
  offset: number | null,
  minutes: number,
  { userId }: PullRequest,
): SummaryRecord {
  const date = formatDate(start + (offset ?? 0) * SECOND_MS)
  return {
    kind: 'workouts',
    id: ownedId(userId, 'workouts', PROVIDER, recordId),
    provider: PROVIDER,
    sourceType: ENTERED,
    appId: null,
    deviceId: null,
    at: start,
    date,
    offset,
    document: {
      provider_id: recordId,
      calendar_date: date,
      title: OTHER_SPORT.name,
      sport: { ...OTHER_SPORT },
      time_start: formatInstant(start),
      time_end: formatInstant(Math.trunc(start + minutes * MINUTE_MS)),
      timezone_offset: offset,
      average_hr: null,
      max_hr: null,
      distance: null,
      calories: null,
      hr_zones: null,
      moving_time: Math.round(minutes * 60),
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
    },
  }
}
