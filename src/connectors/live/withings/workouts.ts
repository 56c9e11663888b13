/** Reads workouts. */
import { OTHER_SPORT, sportNamed } from '../../../catalogue/sports.ts'
import { formatDate, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import { asObject, type JsonObject } from '../../files/json/fields.ts'
import { addBeats, type Beat } from '../beats.ts'
import { type Session, workoutSummary } from '../documents.ts'
import { fieldsRead, filled, numberAt, withTexts } from '../field-table.ts'
import { versionOf } from '../windows.ts'
import { addSamples, type Reading, sourceOf } from './record.ts'
import { offsetAt, zoneOf } from './requests.ts'
import { BY_HAND, SPORTS, WORKOUT_FIELDS, WORKOUT_SAMPLES } from './tables.ts'

export const WORKOUT_DATA = [
  ...new Set([...fieldsRead(WORKOUT_FIELDS, WORKOUT_SAMPLES), 'pause_duration', 'elevation', 'intensity']),
].join(',')

const KNOWN = new Set<string>(['pause_duration', ...fieldsRead(WORKOUT_FIELDS, WORKOUT_SAMPLES)])

/** A workout, and when it was. */
export interface Training extends Session {
  readonly id: string
  readonly row: JsonObject
}

export function trainingOf(row: JsonObject | undefined): Training | undefined {
  const id = withTexts(row, 'id')?.id
  const [start, end] = [numberAt(row, 'startdate'), numberAt(row, 'enddate')]
  if (row === undefined || id === undefined || start === undefined || end === undefined || end < start) return undefined
  return { id, row, start: start * SECOND_MS, end: end * SECOND_MS }
}

/** `beats` are the readings from the start to the end, ascending. */
export function readWorkout(reading: Reading, { id, row, start, end }: Training, beats: readonly Beat[]): void {
  const { page } = reading
  const data = asObject(row['data']) ?? {}
  const offset = offsetAt(zoneOf(row), start)
  const sourceType = BY_HAND.has(numberAt(row, 'attrib') ?? 0) ? 'app' : 'watch'
  const sport = sportNamed(SPORTS[numberAt(row, 'category') ?? 0] ?? '') ?? OTHER_SPORT
  const active = Math.max(0, end - start - (numberAt(data, 'pause_duration') ?? 0) * SECOND_MS)
  const source = sourceOf(reading, id, { date: formatDate(start + (offset ?? 0) * SECOND_MS), offset, sourceType })
  const summary = workoutSummary(source, { start, end }, sport, {
    ...filled(WORKOUT_FIELDS, data),
    moving_time: active / SECOND_MS,
  })
  const record = page.record(id, versionOf(row, beats))
  record.summary(summary)
  const common = { sourceType, start, end, offset, text: { workout_id: summary.id, sport: sport.slug } }
  record.samples.add({ ...common, resource: 'workout_duration', value: active / MINUTE_MS }, 'getworkouts')
  addSamples(record, WORKOUT_SAMPLES, data, common, 'getworkouts')
  addBeats(record, source, { start, sport }, beats)
  page.skipOthers(data, KNOWN, 'getworkouts.data')
}
