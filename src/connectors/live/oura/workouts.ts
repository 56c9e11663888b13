/** Reads Oura's workouts, with the heart rate readings within each workout. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { localDate, MINUTE_MS } from '../../../core/time.ts'
import type { TokenSession } from '../../provider-session.ts'
import { readTime } from '../../shared/record-time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { workoutSummary } from '../../shared/summaries.ts'
import { addBeats, heartRateFields } from '../beats.ts'
import { filled, mappedValues } from '../field-table.ts'
import type { OuraDocument } from './document.ts'
import { beatsBetween } from './heart-rate.ts'
import { WORKOUT_FIELDS, WORKOUT_SAMPLES } from './tables.ts'

const MOST_TITLE = 200

export async function readWorkout(document: OuraDocument, session: TokenSession): Promise<void> {
  const { page, view } = document
  const begin = readTime(view.value('start_datetime'), page.asked.timeZone)
  const stop = readTime(view.value('end_datetime'), page.asked.timeZone)
  if (begin === undefined || stop === undefined || stop.ms < begin.ms) return view.leaveOut('(without times)')
  const { ms: start, offset } = begin
  const end = stop.ms
  const beats = page.supplies('workout_stream') ? await beatsBetween(session, start, end) : []
  const activity = view.text('activity') ?? OTHER_SPORT.slug
  const named = sportOfName(activity)
  if (named === null) page.skip(`workout (activity ${activity})`)
  const sport = named ?? OTHER_SPORT
  const sourceType = view.value('source') === 'manual' ? 'app' : 'ring'
  const date = localDate(start, offset)
  const record = document.record(beats)
  const source = document.source({ date: offset === null ? document.day : date, offset, sourceType })
  const title = view.text('label')?.trim().slice(0, MOST_TITLE)
  const summary = workoutSummary(source, { start, end }, sport, {
    ...filled(WORKOUT_FIELDS, view),
    ...heartRateFields(beats),
    ...(title ? { title } : {}),
  })
  record.summary(summary)
  const intensity = view.text('intensity') ?? null
  const common = { sourceType, start, end, offset }
  const text = { workout_id: summary.id, sport: sport.slug }
  const minutes = (end - start) / MINUTE_MS
  record.samples.add(
    { ...common, resource: 'workout_duration', value: minutes, text: { ...text, intensity } },
    'workout',
  )
  for (const { rule, value } of mappedValues(WORKOUT_SAMPLES, view)) {
    record.samples.add({ ...common, resource: rule.to, value, text }, `workout.${rule.from}`)
  }
  addBeats(record, source, { start, sport }, beats)
}
