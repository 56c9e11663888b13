/** Turns the exercises of Google Health into workouts, with their distance and their duration as samples. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { withoutNulls } from '../../../core/summary-document.ts'
import { formatInstant, localDate, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import { asObject, asText, member } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { type Session, summaryId, workoutSummary } from '../../shared/summaries.ts'
import { addBeats, type Beat, beatsWithin, heartOf } from '../beats.ts'
import { type FieldRule, fieldsRead, filled } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { sportOfName } from '../sport-names.ts'
import { versionOf } from '../windows.ts'
import { HEART_RATE, PROVIDER } from './data-types.ts'
import { type Point, readInterval, readSeconds } from './point.ts'
import { pointsOf } from './requests.ts'
import { samplesIn } from './series.ts'

/** Fields of `metricsSummary`, as fields of the workout. */
export const EXERCISE_TOTALS: readonly FieldRule[] = [
  { from: 'caloriesKcal', to: 'calories' },
  { from: 'distanceMillimeters', to: 'distance', per: 1000 },
  { from: 'steps', to: 'steps' },
  { from: 'averageHeartRateBeatsPerMinute', to: 'average_hr' },
  { from: 'averageSpeedMillimetersPerSecond', to: 'average_speed', per: 1000 },
  { from: 'elevationGainMillimeters', to: 'total_elevation_gain', per: 1000 },
]

/** Google's zones, as positions of the six zones of a workout: below 50 % of the highest heart rate, from 50, 70 and 85 %. */
export const ZONES: readonly { readonly from: string; readonly position: number }[] = [
  { from: 'lightTime', position: 0 },
  { from: 'moderateTime', position: 1 },
  { from: 'vigorousTime', position: 3 },
  { from: 'peakTime', position: 5 },
]
const KNOWN = new Set([
  'interval',
  'exerciseType',
  'metricsSummary',
  'displayName',
  'activeDuration',
  'createTime',
  'updateTime',
])
const KNOWN_TOTALS = new Set([...fieldsRead(EXERCISE_TOTALS), 'heartRateZoneDurations'])

/** Adds the record of an exercise, or counts it if it cannot be read. */
export async function addExercise(
  { body, id, sourceType }: Point,
  asked: PullRequest,
  page: LivePage,
  grant: GrantSession,
): Promise<void> {
  const interval = readInterval(body)
  if (interval === undefined) {
    page.skip('exercise without a time')
    return
  }
  const totals = asObject(body['metricsSummary']) ?? {}
  page.skipOthers(body, KNOWN, 'exercise')
  page.skipOthers(totals, KNOWN_TOTALS, 'exercise.metricsSummary')
  const session = { start: interval.start.ms, end: interval.end.ms }
  const beats = page.supplies('workout_stream') ? await beatsIn(grant, session, asked) : []
  const { offset } = interval.start
  const source = {
    userId: asked.userId,
    provider: PROVIDER,
    sourceType: sourceType ?? 'watch',
    recordId: id ?? formatInstant(session.start),
    date: localDate(session.start, offset),
    offset,
  }
  const type = asText(body['exerciseType']) ?? OTHER_SPORT.slug
  const named = sportOfName(type)
  if (named === null) page.skip(`exercise (type ${type})`)
  const sport = named ?? OTHER_SPORT
  const activeSeconds = readSeconds(body['activeDuration']) ?? (session.end - session.start) / SECOND_MS
  const fields = filled(EXERCISE_TOTALS, totals)
  const record = page.record(source.recordId, versionOf(body, beats, asked.resources))
  record.summary(
    workoutSummary(source, session, sport, {
      ...heartOf(beats),
      ...withoutNulls(fields),
      hr_zones: zonesOf(totals['heartRateZoneDurations']),
      title: asText(body['displayName']) || sport.name,
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

/** Returns the seconds in six zones; null if Google does not say them. */
function zonesOf(durations: unknown): readonly number[] | null {
  if (asObject(durations) === undefined) return null
  const zones = [0, 0, 0, 0, 0, 0]
  for (const { from, position } of ZONES) zones[position] = readSeconds(member(durations, from)) ?? 0
  return zones
}

/** Returns the readings of the heart rate within an exercise, ascending. What is wrong with one is counted where all of them are pulled. */
async function beatsIn(grant: GrantSession, { start, end }: Session, asked: PullRequest): Promise<readonly Beat[]> {
  const beats: Beat[] = []
  // a filter excludes its end
  const query = {
    type: HEART_RATE.name,
    field: 'sample_time.physical_time',
    window: { from: start, to: end + 1 },
  } as const
  const uncounted = new LivePage(PROVIDER, asked)
  for await (const points of pointsOf(grant, query)) {
    for (const { sample } of samplesIn(points, HEART_RATE, asked, uncounted)) {
      beats.push({ at: sample.start, bpm: sample.value })
    }
  }
  return beatsWithin(beats, start, end)
}
