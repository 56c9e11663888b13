/** Converts Google Health's exercises into workouts, with distance and duration as samples. */

import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { withoutNulls } from '../../../core/summary-document.ts'
import { MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asObject, member } from '../../shared/json-fields.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { type Session, summaryId, workoutSummary } from '../../shared/summaries.ts'
import { addBeats, type Beat, beatsWithin, heartRateFields } from '../beats.ts'
import { type FieldRule, filled, numberAt } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { HEART_RATE } from './data-types.ts'
import { type Point, readInterval, readPoint, readSampleTime, readSeconds, sessionSource } from './point.ts'
import { getPoints } from './requests.ts'

/** Fields of `metricsSummary`, by workout field. */
export const EXERCISE_TOTALS: readonly FieldRule[] = [
  { from: 'caloriesKcal', to: 'calories' },
  { from: 'distanceMillimeters', to: 'distance', per: 1000 },
  { from: 'steps', to: 'steps' },
  { from: 'averageHeartRateBeatsPerMinute', to: 'average_hr' },
  { from: 'averageSpeedMillimetersPerSecond', to: 'average_speed', per: 1000 },
  { from: 'elevationGainMillimeters', to: 'total_elevation_gain', per: 1000 },
]

/** Google's zones, as positions in a workout's six zones: below 50 % of the highest heart rate, then from 50, 70 and 85 %. */
export const ZONES: readonly { readonly from: string; readonly position: number }[] = [
  { from: 'lightTime', position: 0 },
  { from: 'moderateTime', position: 1 },
  { from: 'vigorousTime', position: 3 },
  { from: 'peakTime', position: 5 },
]

/** Adds an exercise's record, or counts the exercise if it cannot be read. */
export async function addExercise(
  point: Point,
  exercise: RecordView,
  page: LivePage,
  tokenSession: TokenSession,
): Promise<void> {
  const interval = readInterval(point.body)
  if (interval === undefined) return exercise.leaveOut('without a time')
  const totals = page.view('exercise.metricsSummary', exercise.object('metricsSummary') ?? {})
  const session = { start: interval.start.ms, end: interval.end.ms }
  const beats = page.supplies('workout_stream') ? await beatsIn(tokenSession, session) : []
  const { offset } = interval.start
  const source = sessionSource(page, point, interval)
  const type = exercise.text('exerciseType') ?? OTHER_SPORT.slug
  const named = sportOfName(type)
  if (named === null) page.skip(`exercise (type ${type})`)
  const sport = named ?? OTHER_SPORT
  const activeSeconds = readSeconds(exercise.value('activeDuration')) ?? (session.end - session.start) / SECOND_MS
  const fields = filled(EXERCISE_TOTALS, totals)
  const record = page.record(source.recordId, contentVersion(point.body, beats, page.asked.resources))
  record.summary(
    workoutSummary(source, session, sport, {
      ...heartRateFields(beats),
      ...withoutNulls(fields),
      hr_zones: zoneSeconds(totals.value('heartRateZoneDurations')),
      title: exercise.text('displayName') || sport.name,
      moving_time: Math.round(activeSeconds),
    }),
  )
  const text = { workout_id: summaryId(source, 'workouts'), sport: sport.slug }
  const add = (resource: string, value: number | null | undefined): void => {
    if (value === null || value === undefined) return
    record.samples.add({ resource, sourceType: source.sourceType, ...session, value, offset, text }, 'exercise')
  }
  add('workout_distance', fields['distance'])
  add('workout_duration', (activeSeconds * SECOND_MS) / MINUTE_MS)
  addBeats(record, source, { start: session.start, sport }, beats)
}

/** Returns the seconds in six zones; null if Google does not report them. */
function zoneSeconds(durations: unknown): readonly number[] | null {
  if (asObject(durations) === undefined) return null
  const zones = [0, 0, 0, 0, 0, 0]
  for (const { from, position } of ZONES) zones[position] = readSeconds(member(durations, from)) ?? 0
  return zones
}

/**
 * Returns the heart rate readings within an exercise, in ascending order. The collection that pulls all readings counts the invalid ones.
 */
async function beatsIn(tokenSession: TokenSession, { start, end }: Session): Promise<readonly Beat[]> {
  const beats: Beat[] = []
  // a filter's end is exclusive
  const window = { from: start, to: end + 1 }
  for await (const points of getPoints(tokenSession, {
    type: HEART_RATE.name,
    field: 'sample_time.physical_time',
    window,
  })) {
    for (const each of points) {
      const body = readPoint(each, HEART_RATE.name)?.body
      const [at, bpm] = [body && readSampleTime(body)?.ms, numberAt(body, HEART_RATE.value)]
      if (at !== undefined && bpm !== undefined) beats.push({ at, bpm })
    }
  }
  return beatsWithin(beats, start, end)
}
