/** Turns the exercises of Google Health into workouts, with their distance and their duration as samples. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'
import { formatDate, formatInstant, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import { asObject, asText } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { addBeats, type Beat, beatsWithin } from '../beats.ts'
import { type Session, summaryId, workoutSummary } from '../documents.ts'
import { type FieldRule, fieldsRead, filled } from '../field-table.ts'
import { LivePage } from '../page.ts'
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

/** Types of exercise whose name is not that of a sport in the catalogue; any other one is "Other". */
const EXERCISE_SPORTS: Readonly<Record<string, string>> = {
  aerobic_workout: 'mixed_cardio',
  assault_bike: 'indoor_cycling',
  backpacking: 'hiking',
  ballet: 'dance',
  ballroom_dance: 'social_dance',
  barre_class: 'barre',
  biking: 'cycling',
  bootcamp: 'cross_training',
  canoeing: 'paddle_sports',
  cardio_workout: 'mixed_cardio',
  circuit_training: 'cross_training',
  cross_country_ski: 'cross_country_skiing',
  crossfit: 'cross_training',
  dancing: 'dance',
  downhill_ski: 'downhill_skiing',
  hiit: 'high_intensity_interval_training',
  mountain_bike: 'mountain_biking',
  skiing: 'downhill_skiing',
  spinning: 'indoor_cycling',
  strength_training: 'traditional_strength_training',
  surfing: 'surfing_sports',
  treadmill: 'treadmill_running',
  weightlifting: 'traditional_strength_training',
  weights: 'traditional_strength_training',
}
const KNOWN = new Set([
  'interval',
  'exerciseType',
  'metricsSummary',
  'displayName',
  'activeDuration',
  'createTime',
  'updateTime',
])
const KNOWN_TOTALS = new Set(fieldsRead(EXERCISE_TOTALS))

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
    date: formatDate(session.start + (offset ?? 0) * SECOND_MS),
    offset,
  }
  const sport = sportOf(asText(body['exerciseType']) ?? '')
  const activeSeconds = readSeconds(body['activeDuration']) ?? (session.end - session.start) / SECOND_MS
  const fields = filled(EXERCISE_TOTALS, totals)
  const record = page.record(source.recordId, versionOf(body, beats, asked.resources))
  record.summary(
    workoutSummary(source, session, sport, {
      ...fields,
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

/** Returns the sport of a type of exercise: `STRENGTH_TRAINING`. */
function sportOf(exerciseType: string): Sport {
  const word = exerciseType.toLowerCase()
  return sportNamed(word) ?? sportNamed(EXERCISE_SPORTS[word] ?? '') ?? OTHER_SPORT
}
