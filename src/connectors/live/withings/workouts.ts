/** Reads workouts from Withings. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { localDate, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asObject, member } from '../../shared/json-fields.ts'
import { type Session, workoutSummary } from '../../shared/summaries.ts'
import { addBeats, type Beat, beatsWithin } from '../beats.ts'
import { filled, mappedValue, numberAt } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion, isWithin } from '../windows.ts'
import { readSourceType } from './models.ts'
import { addSamples, dataFields, readWithingsSession, type WithingsSession } from './record.ts'
import {
  callApi,
  findZone,
  offsetAt,
  splitIntoDays,
  toDateRange,
  toSecondsRange,
  type WithingsList,
  type WithingsRow,
} from './requests.ts'
import { findSport } from './sports.ts'
import { BY_HAND, LENGTHS, WORKOUT_FIELDS, WORKOUT_HEART, WORKOUT_SAMPLES } from './tables.ts'

export const WORKOUTS: WithingsList = {
  path: '/v2/measure',
  list: 'series',
  form: ({ window }) => ({
    action: 'getworkouts',
    data_fields: dataFields(
      ...[WORKOUT_FIELDS, WORKOUT_SAMPLES, 'distance', 'pause_duration'],
      ...Object.values(LENGTHS),
    ),
    ...toDateRange(window),
  }),
}

export async function readWorkout({ row }: WithingsRow, page: LivePage, session: TokenSession): Promise<void> {
  const workout = readWithingsSession(row)
  if (workout === undefined) return page.skip('getworkouts (unreadable)')
  if (!isWithin(page.asked, workout.start)) return
  addWorkout(page, workout, page.supplies('workout_stream') ? await beatsIn(session, workout) : [])
}

/** Returns the heart rate readings within a workout, in ascending order. */
async function beatsIn(session: TokenSession, { start, end }: Session): Promise<readonly Beat[]> {
  const beats: Beat[] = []
  for (const part of splitIntoDays({ from: start, to: end })) {
    const form = { action: 'getintradayactivity', data_fields: WORKOUT_HEART.from, ...toSecondsRange(part) }
    const series = asObject(member(await callApi(session, '/v2/measure', form), 'series')) ?? {}
    for (const [second, point] of Object.entries(series)) {
      const bpm = mappedValue(WORKOUT_HEART, point)
      if (bpm !== undefined) beats.push({ at: Number(second) * SECOND_MS, bpm })
    }
  }
  return beatsWithin(beats, start, end)
}

function addWorkout(page: LivePage, { id, row, start, end }: WithingsSession, beats: readonly Beat[]): void {
  const data = page.view('getworkouts.data', asObject(row['data']) ?? {})
  const offset = offsetAt(findZone(row), start)
  const isOfApp = BY_HAND.has(numberAt(row, 'attrib') ?? 0) || readSourceType(row) === 'app'
  const sourceType = isOfApp ? 'app' : 'watch'
  const found = findSport(numberAt(row, 'category'))
  if (found === undefined) page.skip('getworkouts.category')
  const sport = found ?? OTHER_SPORT
  const distance = workoutDistance(data)
  const active = Math.max(0, end - start - (data.number('pause_duration') ?? 0) * SECOND_MS)
  const source = page.source(id, { date: localDate(start, offset), offset, sourceType })
  const summary = workoutSummary(source, { start, end }, sport, {
    ...filled(WORKOUT_FIELDS, data),
    distance: distance ?? null,
    moving_time: active / SECOND_MS,
  })
  const record = page.record(id, contentVersion(row, beats))
  record.summary(summary)
  const common = { sourceType, start, end, offset, text: { workout_id: summary.id, sport: sport.slug } }
  record.samples.add({ ...common, resource: 'workout_duration', value: active / MINUTE_MS }, 'getworkouts')
  if (distance !== undefined && distance > 0) {
    record.samples.add({ ...common, resource: 'workout_distance', value: distance }, 'getworkouts.distance')
  }
  addSamples(record, WORKOUT_SAMPLES, data, common, 'getworkouts')
  addBeats(record, source, { start, sport }, beats)
}

/** Returns the distance in metres: the workout's own distance, or the number of pool lengths multiplied by their length. */
function workoutDistance(data: RecordView): number | undefined {
  const [stated, count, metres] = ['distance', LENGTHS.count, LENGTHS.metres].map(name => data.number(name))
  const isSwum = count !== undefined && metres !== undefined && count > 0 && metres > 0
  return isSwum && !stated ? count * metres : stated
}
