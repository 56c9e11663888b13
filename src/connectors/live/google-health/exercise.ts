/** Turns the exercises of Google Health into workouts, with their distance and their duration as samples. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'
import { ownedId } from '../../../core/ids.ts'
import { formatDate, formatInstant, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { ProviderRecord, PullRequest } from '../../connector.ts'
import { asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import { type CollectedPage, recordOf, SeriesSamples, versionOf } from '../collected-page.ts'
import { PROVIDER } from './data-types.ts'
import { numberAt, type Point, readInterval, readSeconds } from './point.ts'

/** Totals of an exercise: field of `metricsSummary`, field of the summary, divisor. */
export const EXERCISE_TOTALS = [
  { from: 'caloriesKcal', to: 'calories', divisor: 1, unit: 'kcal' },
  { from: 'distanceMillimeters', to: 'distance', divisor: 1000, unit: 'mm' },
  { from: 'steps', to: 'steps', divisor: 1, unit: 'count' },
  { from: 'averageHeartRateBeatsPerMinute', to: 'average_hr', divisor: 1, unit: 'bpm' },
  { from: 'averageSpeedMillimetersPerSecond', to: 'average_speed', divisor: 1000, unit: 'mm/s' },
  { from: 'elevationGainMillimeters', to: 'total_elevation_gain', divisor: 1000, unit: 'mm' },
] as const

/** Types of exercise whose name is not that of a sport in the catalogue; any other one is "Other". */
export const EXERCISE_SPORTS: Readonly<Record<string, string>> = {
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
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'interval',
  'exerciseType',
  'metricsSummary',
  'displayName',
  'activeDuration',
  'createTime',
  'updateTime',
])
const KNOWN_TOTALS: ReadonlySet<string> = new Set(EXERCISE_TOTALS.map(each => each.from))

/** Returns the record of an exercise; undefined, and counted, if it cannot be read. */
export function exerciseRecord(point: Point, asked: PullRequest, page: CollectedPage): ProviderRecord | undefined {
  const { body, id } = point
  const interval = readInterval(body)
  if (interval === undefined) {
    page.skip('exercise without a time')
    return undefined
  }
  const totals = asObject(body['metricsSummary']) ?? {}
  for (const key in body) if (!KNOWN_KEYS.has(key) && body[key] !== null) page.skip(`exercise.${key}`)
  for (const key in totals)
    if (!KNOWN_TOTALS.has(key) && totals[key] !== null) page.skip(`exercise.metricsSummary.${key}`)
  const { start, end } = interval
  const recordId = id ?? formatInstant(start.ms)
  const sourceType = point.sourceType ?? 'watch'
  const workoutId = ownedId(asked.userId, 'workouts', PROVIDER, recordId)
  const sport = sportOf(asText(body['exerciseType']) ?? '')
  const activeSeconds = readSeconds(body['activeDuration']) ?? (end.ms - start.ms) / SECOND_MS
  const date = formatDate(start.ms + (start.offset ?? 0) * SECOND_MS)
  const document = {
    provider_id: recordId,
    calendar_date: date,
    title: asText(body['displayName']) || sport.name,
    sport: { ...sport },
    time_start: formatInstant(start.ms),
    time_end: formatInstant(end.ms),
    timezone_offset: start.offset,
    ...measured(totals),
    moving_time: Math.round(activeSeconds),
  }
  const samples = new SeriesSamples(asked.now)
  const values = [
    ['workout_distance', document.distance],
    ['workout_duration', (activeSeconds * SECOND_MS) / MINUTE_MS],
  ] as const
  for (const [resource, value] of values) {
    if (value === null || !asked.resources.includes(resource)) continue
    const series = { resource, type: null, provider: PROVIDER, sourceType }
    const text = { workout_id: workoutId, sport: sport.slug }
    const sample = { start: start.ms, end: end.ms, value, offset: start.offset, text }
    page.countProblem(`exercise as ${resource}`, samples.add(series, sample))
  }
  const source = { provider: PROVIDER, sourceType, appId: null, deviceId: null }
  const summary = {
    kind: 'workouts',
    id: workoutId,
    ...source,
    at: start.ms,
    date,
    offset: start.offset,
    document,
  } as const
  return recordOf(recordId, versionOf(body, asked.resources), {
    batches: samples.take(),
    summaries: asked.resources.includes('workouts') ? [summary] : [],
  })
}

/** Returns the sport of a type of exercise: `STRENGTH_TRAINING`. */
function sportOf(exerciseType: string): Sport {
  const word = exerciseType.toLowerCase()
  return sportNamed(word) ?? sportNamed(EXERCISE_SPORTS[word] ?? '') ?? OTHER_SPORT
}

/** Returns the measured fields of a workout. Those that Google Health does not have are null. */
function measured(totals: JsonObject) {
  const read: Partial<Record<(typeof EXERCISE_TOTALS)[number]['to'], number>> = {}
  for (const { from, to, divisor } of EXERCISE_TOTALS) {
    const value = numberAt(totals, from)
    if (value !== undefined) read[to] = value / divisor
  }
  return {
    average_hr: read.average_hr ?? null,
    max_hr: null,
    distance: read.distance ?? null,
    calories: read.calories ?? null,
    hr_zones: null,
    total_elevation_gain: read.total_elevation_gain ?? null,
    elev_high: null,
    elev_low: null,
    average_speed: read.average_speed ?? null,
    max_speed: null,
    average_watts: null,
    device_watts: null,
    max_watts: null,
    weighted_average_watts: null,
    steps: read.steps ?? null,
    map: null,
  }
}
