/** Reads Oura's workouts, with the heart rate readings within each. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { localDate, MINUTE_MS } from '../../../core/time.ts'
import { asText } from '../../files/json/fields.ts'
import { readTime } from '../../files/records/time.ts'
import { workoutSummary } from '../../shared/summaries.ts'
import { addBeats, type Beat, heartOf } from '../beats.ts'
import { fieldsRead, filled, mappedValues } from '../field-table.ts'
import { sportOfName } from '../sport-names.ts'
import type { OuraDocument } from './document.ts'
import { WORKOUT_FIELDS, WORKOUT_SAMPLES } from './tables.ts'

const KNOWN = new Set<string>([
  ...['id', 'day', 'activity', 'start_datetime', 'end_datetime', 'intensity', 'source', 'label'],
  ...fieldsRead(WORKOUT_FIELDS, WORKOUT_SAMPLES),
])
const MOST_TITLE = 200

/** Returns from when to when a workout took place; undefined if that cannot be read. */
export function workoutTimes({ fields, asked }: OuraDocument) {
  const start = readTime(fields['start_datetime'], asked.timeZone)
  const end = readTime(fields['end_datetime'], asked.timeZone)
  return start === undefined || end === undefined || end.ms < start.ms ? undefined : { start, end }
}

/** `beats` are the readings from the start to the end, ascending. */
export function readWorkout(document: OuraDocument, beats: readonly Beat[]): void {
  const { page, fields } = document
  const times = workoutTimes(document)
  if (times === undefined) {
    page.skip('workout (without times)')
    return
  }
  const { ms: start, offset } = times.start
  const end = times.end.ms
  const activity = asText(fields['activity']) ?? OTHER_SPORT.slug
  const named = sportOfName(activity)
  if (named === null) page.skip(`workout (activity ${activity})`)
  const sport = named ?? OTHER_SPORT
  const sourceType = fields['source'] === 'manual' ? 'app' : 'ring'
  const date = localDate(start, offset)
  const record = document.record(beats)
  const source = document.source({ date: offset === null ? document.day : date, offset, sourceType })
  const title = asText(fields['label'])?.trim().slice(0, MOST_TITLE)
  const summary = workoutSummary(source, { start, end }, sport, {
    ...filled(WORKOUT_FIELDS, fields),
    ...heartOf(beats),
    ...(title ? { title } : {}),
  })
  record.summary(summary)
  const intensity = asText(fields['intensity']) ?? null
  const common = { sourceType, start, end, offset }
  const text = { workout_id: summary.id, sport: sport.slug }
  const minutes = (end - start) / MINUTE_MS
  record.samples.add(
    { ...common, resource: 'workout_duration', value: minutes, text: { ...text, intensity } },
    'workout',
  )
  for (const { rule, value } of mappedValues(WORKOUT_SAMPLES, fields)) {
    record.samples.add({ ...common, resource: rule.to, value, text }, `workout.${rule.from}`)
  }
  addBeats(record, source, { start, sport }, beats)
  page.skipOthers(fields, KNOWN, 'workout')
}
