/** Reads workouts. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { localDate, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import { asObject, type JsonObject } from '../../files/json/fields.ts'
import { type Session, workoutSummary } from '../../shared/summaries.ts'
import { addBeats, type Beat } from '../beats.ts'
import { fieldsRead, filled, numberAt, withTexts } from '../field-table.ts'
import { versionOf } from '../windows.ts'
import { sourceTypeOf } from './models.ts'
import { addSamples, type Reading, sourceOf } from './record.ts'
import { offsetAt, zoneOf } from './requests.ts'
import { sportOf } from './sports.ts'
import { BY_HAND, LENGTHS, WORKOUT_FIELDS, WORKOUT_SAMPLES } from './tables.ts'

const READ = [...fieldsRead(WORKOUT_FIELDS, WORKOUT_SAMPLES), 'distance', 'pause_duration', ...Object.values(LENGTHS)]
export const WORKOUT_DATA = READ.join(',')
const KNOWN = new Set<string>(READ)

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
  const isOfApp = BY_HAND.has(numberAt(row, 'attrib') ?? 0) || sourceTypeOf(row) === 'app'
  const sourceType = isOfApp ? 'app' : 'watch'
  const found = sportOf(numberAt(row, 'category'))
  if (found === undefined) page.skip('getworkouts.category')
  const sport = found ?? OTHER_SPORT
  const distance = distanceOf(data)
  const active = Math.max(0, end - start - (numberAt(data, 'pause_duration') ?? 0) * SECOND_MS)
  const source = sourceOf(reading, id, { date: localDate(start, offset), offset, sourceType })
  const summary = workoutSummary(source, { start, end }, sport, {
    ...filled(WORKOUT_FIELDS, data),
    distance: distance ?? null,
    moving_time: active / SECOND_MS,
  })
  const record = page.record(id, versionOf(row, beats))
  record.summary(summary)
  const common = { sourceType, start, end, offset, text: { workout_id: summary.id, sport: sport.slug } }
  record.samples.add({ ...common, resource: 'workout_duration', value: active / MINUTE_MS }, 'getworkouts')
  if (distance !== undefined && distance > 0) {
    record.samples.add({ ...common, resource: 'workout_distance', value: distance }, 'getworkouts.distance')
  }
  addSamples(record, WORKOUT_SAMPLES, data, common, 'getworkouts')
  addBeats(record, source, { start, sport }, beats)
  page.skipOthers(data, KNOWN, 'getworkouts.data')
}

/** Returns metres: those of the workout, or the lengths of a swim times the length of the pool. */
function distanceOf(data: JsonObject): number | undefined {
  const [stated, count, metres] = ['distance', LENGTHS.count, LENGTHS.metres].map(name => numberAt(data, name))
  const isSwum = count !== undefined && metres !== undefined && count > 0 && metres > 0
  return isSwum && !stated ? count * metres : stated
}
