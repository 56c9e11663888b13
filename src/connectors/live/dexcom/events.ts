/** Turns what a person enters in the Dexcom app into samples and workouts: carbohydrates, insulin, exercise, blood glucose, notes. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { localDate, MINUTE_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { RecordTime } from '../../files/records/time.ts'
import { summaryId, workoutSummary } from '../../shared/summaries.ts'
import { numberAt } from '../field-table.ts'
import type { LivePage, LiveRecordBuilder } from '../page.ts'
import { versionOf } from '../windows.ts'
import { glucoseOf, PROVIDER, timeOf } from './records.ts'

/** Source type of what the person enters by hand, in the app. */
const ENTERED = 'app'
export const FINGERSTICK = 'fingerprick'

/** Types of insulin and intensities of exercise, by `eventSubType`, which may be null or `unknown`. */
export const INSULIN_TYPES: Readonly<Record<string, string>> = { fastActing: 'rapid_acting', longActing: 'long_acting' }
/** The type of a dose without one of these subtypes: every dose has a type. */
export const UNKNOWN_INSULIN = 'unknown'
export const INTENSITIES: Readonly<Record<string, string>> = { light: 'low', medium: 'medium', heavy: 'high' }

/** Types of events whose value is a text of the person. The documentation says `notes`; `note` has been seen. */
export const NOTES: ReadonlySet<string> = new Set(['notes', 'note'])

/** Units in which the values of events arrive. */
export const UNITS: Readonly<Record<string, string>> = { carbs: 'grams', insulin: 'units', exercise: 'minutes' }

/** An event that is about to be added. */
interface Entry {
  readonly id: string
  readonly event: JsonObject
  readonly time: RecordTime
  readonly asked: PullRequest
  readonly record: LiveRecordBuilder
}

/** Adds the record of an event. One that is not mapped is counted, and its record is empty: it may have been another one before. */
export function addEvent(event: JsonObject, asked: PullRequest, page: LivePage): void {
  const id = asText(event['recordId']) ?? ''
  if (id === '') {
    page.skip('events without an id')
    return
  }
  if (event['eventStatus'] === 'deleted') {
    page.gone(id)
    return
  }
  const kind = asText(event['eventType']) ?? 'unknown'
  const record = page.record(id, versionOf(event, asked.resources))
  const time = timeOf(event)
  const problem = time === undefined ? 'without a time' : addEntry(kind, { id, event, time, asked, record })
  if (problem !== undefined) page.skip(`events ${kind} ${problem}`.trimEnd())
}

/** Returns why an event is not mapped; '' for a type that never is. */
function addEntry(kind: string, entry: Entry): string | undefined {
  const { event, time, record } = entry
  const at = { start: time.ms, offset: time.offset }
  if (kind === 'bloodGlucose') {
    const value = glucoseOf(event)
    if (value === undefined) return 'without a value in a known unit'
    record.samples.add({ resource: 'glucose', sourceType: FINGERSTICK, ...at, value }, 'events bloodGlucose')
    return undefined
  }
  if (NOTES.has(kind)) {
    const content = asText(event['value'])?.trim() ?? ''
    if (content === '') return 'without a text'
    record.samples.add({ resource: 'note', sourceType: ENTERED, ...at, value: 0, text: { content } }, 'events notes')
    return undefined
  }
  const unit = ownValue(UNITS, kind)
  if (unit === undefined) return ''
  const value = numberAt(event, 'value')
  if (value === undefined || value < 0 || (event['unit'] ?? unit) !== unit) return 'without a value in a known unit'
  const subtype = asText(event['eventSubType']) ?? ''
  if (kind === 'exercise') addExercise(entry, value, ownValue(INTENSITIES, subtype) ?? null)
  else if (kind === 'carbs') {
    record.samples.add({ resource: 'carbohydrates', sourceType: ENTERED, ...at, value }, 'events carbs')
  } else {
    const type = ownValue(INSULIN_TYPES, subtype) ?? UNKNOWN_INSULIN
    record.samples.add({ resource: 'insulin_injection', type, sourceType: ENTERED, ...at, value }, 'events insulin')
  }
  return undefined
}

function ownValue(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Adds a workout of which only the duration is known. */
function addExercise({ id, time, asked, record }: Entry, minutes: number, intensity: string | null): void {
  const { ms: start, offset } = time
  const date = localDate(start, offset)
  const source = { userId: asked.userId, provider: PROVIDER, sourceType: ENTERED, recordId: id, date, offset }
  const session = { start, end: Math.trunc(start + minutes * MINUTE_MS) }
  const text = { intensity, workout_id: summaryId(source, 'workouts'), sport: OTHER_SPORT.slug }
  const sample = { resource: 'workout_duration', sourceType: ENTERED, ...session, offset, value: minutes, text }
  record.samples.add(sample, 'events exercise')
  record.summary(workoutSummary(source, session, OTHER_SPORT, {}))
}
