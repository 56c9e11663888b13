/** Converts entries in the Dexcom app into samples and workouts: carbohydrates, insulin, exercise, blood glucose, notes. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { localDate, MINUTE_MS } from '../../../core/time.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { summaryId, workoutSummary } from '../../shared/summaries.ts'
import type { LivePage, LiveRecordBuilder } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { readGlucose } from './records.ts'
import type { DexcomRecord } from './requests.ts'

/** Source type of values that the person enters by hand in the app. */
const ENTERED = 'app'
export const FINGERSTICK = 'fingerprick'

/** Insulin types and exercise intensities, by `eventSubType`, which may be null or `unknown`. */
export const INSULIN_TYPES: Readonly<Record<string, string>> = { fastActing: 'rapid_acting', longActing: 'long_acting' }
/** The type of a dose without one of these subtypes, because every dose must have a type. */
export const UNKNOWN_INSULIN = 'unknown'
export const INTENSITIES: Readonly<Record<string, string>> = { light: 'low', medium: 'medium', heavy: 'high' }

/** Event types whose value is a text written by the person. The documentation says `notes`, but `note` has also been seen. */
export const NOTES: ReadonlySet<string> = new Set(['notes', 'note'])

/** The units of event values. */
export const UNITS: Readonly<Record<string, string>> = { carbs: 'grams', insulin: 'units', exercise: 'minutes' }

/** An event that is about to be added. */
interface Entry {
  readonly id: string
  readonly event: RecordView
  readonly time: RecordTime
  readonly record: LiveRecordBuilder
}

/**
 * Adds an event's record. An unmapped event is counted and has an empty record, because an earlier version of the event may have been
 * mapped.
 */
export function addEvent({ fields, time }: DexcomRecord, page: LivePage) {
  if (fields === undefined) return page.skip('events in an unknown form')
  const event = page.view('events', fields)
  const id = event.text('recordId') ?? ''
  if (id === '') return event.leaveOut('without an id')
  if (fields['eventStatus'] === 'deleted') return page.gone(id)
  const kind = event.text('eventType') ?? 'unknown'
  const record = page.record(id, contentVersion(fields, page.asked.resources))
  const problem = time === undefined ? 'without a time' : addEntry(kind, { id, event, time, record }, page)
  if (problem !== undefined) event.leaveOut(`${kind} ${problem}`.trimEnd())
}

/** Returns the reason why an event is not mapped; '' if its type is never mapped. */
function addEntry(kind: string, entry: Entry, page: LivePage): string | undefined {
  const { event, time, record } = entry
  // not all kinds of events have a value
  const subtype = event.text('eventSubType') ?? ''
  const at = { start: time.ms, offset: time.offset }
  if (kind === 'bloodGlucose') {
    const value = readGlucose(event)
    if (value === undefined) return 'without a value in a known unit'
    record.samples.add({ resource: 'glucose', sourceType: FINGERSTICK, ...at, value }, 'events bloodGlucose')
    return undefined
  }
  if (NOTES.has(kind)) {
    const content = event.text('value')?.trim() ?? ''
    if (content === '') return 'without a text'
    record.samples.add({ resource: 'note', sourceType: ENTERED, ...at, value: 0, text: { content } }, 'events notes')
    return undefined
  }
  const unit = ownValue(UNITS, kind)
  if (unit === undefined) return ''
  const value = event.number('value')
  if (value === undefined || value < 0 || (event.value('unit') ?? unit) !== unit)
    return 'without a value in a known unit'
  if (kind === 'exercise') addExercise(page, entry, value, ownValue(INTENSITIES, subtype) ?? null)
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

/** Adds a workout with only a known duration. */
function addExercise(page: LivePage, { id, time, record }: Entry, minutes: number, intensity: string | null): void {
  const { ms: start, offset } = time
  const date = localDate(start, offset)
  const source = page.source(id, { sourceType: ENTERED, date, offset })
  const session = { start, end: Math.trunc(start + minutes * MINUTE_MS) }
  const text = { intensity, workout_id: summaryId(source, 'workouts'), sport: OTHER_SPORT.slug }
  const sample = { resource: 'workout_duration', sourceType: ENTERED, ...session, offset, value: minutes, text }
  record.samples.add(sample, 'events exercise')
  record.summary(workoutSummary(source, session, OTHER_SPORT, {}))
}
