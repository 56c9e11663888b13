/** Reads a training session of Polar Flow, in the form of older and of newer exports. */
import { sportNamed } from '../../../catalogue/sports.ts'
import { type EpochMs, MINUTE_MS } from '../../../core/time.ts'
import { asList, asNumber, asText, member, objectsIn } from '../../shared/json-fields.ts'
import type { PointColumn } from '../../shared/points.ts'
import { floatingIn } from '../../shared/record-time.ts'
import { sportOfName } from '../../shared/sport-names.ts'
import { type ArchiveClock, localTime } from '../archive/clock.ts'
import { JsonElement, type PartRecord } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'
import { addWorkout, PointsByTime } from '../archive/workouts.ts'
import { isoDuration } from './duration.ts'

/** Sports by number, as far as the sources agree. The list of sports is not in the export. */
const SPORTS: Readonly<Record<string, string>> = {
  '1': 'running',
  '2': 'cycling',
  '3': 'walking',
  '11': 'hiking',
  '15': 'traditional_strength_training',
  '17': 'treadmill_running',
  '18': 'indoor_cycling',
}
/** Series of points by type, with a factor to the stream's unit. Speeds are in km/h. */
const SERIES: Readonly<Record<string, readonly [column: PointColumn, factor: number]>> = {
  HEART_RATE: ['heartrate', 1],
  SPEED: ['velocity_smooth', 1 / 3.6],
  DISTANCE: ['distance', 1],
  ALTITUDE: ['altitude', 1],
  CADENCE: ['cadence', 1],
  TEMPERATURE: ['temperature', 1],
}

/** Adds a session, whose times are local and have an offset beside them. */
export function addTraining(run: ArchiveRun, clock: ArchiveClock, session: PartRecord) {
  const local = localTime(session.text('startTime'))
  const minutes = session.number('timezoneOffsetMinutes') ?? session.number('timeZoneOffset')
  const duration = session.number('durationMillis') ?? isoDuration(session.value('duration'))
  if (local === undefined || duration === undefined) return run.skip('training sessions without a time and a duration')
  const offset = minutes === undefined ? undefined : minutes * 60
  const instant = (at: EpochMs): EpochMs => (offset === undefined ? start.ms + at - local : at - offset * 1000)
  const start = offset === undefined ? clock.local(local) : floatingIn(local, null, offset)
  const end = localTime(session.text('stopTime'))
  const points = new PointsByTime()
  const exercises = objectsIn(session.value('exercises'))
  for (const exercise of exercises) addPoints(points, new JsonElement(exercise), start.ms, instant)
  const [first] = exercises
  const sport =
    sportNamed(SPORTS[String(session.value('sport.id'))] ?? '') ?? sportOfName(asText(member(first, 'sport')) ?? '')
  const id = session.value('identifier.id')
  const heart = new JsonElement(member(first, 'heartRate'))
  addWorkout(run, {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined,
    start,
    endMs: end === undefined ? start.ms + duration : Math.max(instant(end), start.ms),
    sport,
    title: session.text('name'),
    stated: {
      moving_time: duration / 1000,
      distance: session.number('distanceMeters') ?? session.number('distance'),
      calories: session.number('calories') ?? session.number('kiloCalories'),
      average_hr: session.positive('hrAvg') ?? heart.positive('avg'),
      max_hr: session.positive('hrMax') ?? heart.positive('max'),
    },
    points: points.points(),
    hasOwnHeartRates: true,
  })
}

function addPoints(
  points: PointsByTime,
  exercise: PartRecord,
  start: EpochMs,
  instant: (local: EpochMs) => EpochMs,
): void {
  for (const series of objectsIn(exercise.value('samples.samples'))) addSeries(points, series, start)
  for (const each of objectsIn(exercise.value('samples.heartRate'))) {
    const [at, heartrate] = [localTime(asText(member(each, 'dateTime'))), asNumber(member(each, 'value'))]
    if (at !== undefined && heartrate) points.set(instant(at), { heartrate })
  }
  const route = localTime(exercise.text('routes.route.startTime'))
  for (const each of objectsIn(exercise.value('routes.route.wayPoints'))) {
    const elapsed = asNumber(member(each, 'elapsedMillis'))
    // a way point's time is counted from the start of the route
    if (elapsed !== undefined) addPosition(points, (route === undefined ? start : instant(route)) + elapsed, each)
  }
  for (const each of objectsIn(exercise.value('recordedRoute'))) {
    const at = localTime(asText(member(each, 'dateTime')))
    if (at !== undefined) addPosition(points, instant(at), each)
  }
}

function addSeries(points: PointsByTime, series: unknown, start: EpochMs): void {
  const known = SERIES[asText(member(series, 'type')) ?? '']
  const step = asNumber(member(series, 'intervalMillis'))
  if (known === undefined || step === undefined || step <= 0 || step > 60 * MINUTE_MS) return
  const [column, factor] = known
  let hasBegun = column !== 'altitude'
  for (const [i, each] of asList(member(series, 'values')).entries()) {
    const value = asNumber(each)
    // altitudes of 0 at the beginning, and heart rates of 0, are no measurements
    hasBegun ||= value !== undefined && value !== 0
    if (value === undefined || !hasBegun || (column === 'heartrate' && value === 0)) continue
    points.set(start + i * step, { [column]: value * factor })
  }
}

function addPosition(points: PointsByTime, at: EpochMs, position: unknown): void {
  const [lat, lng] = [asNumber(member(position, 'latitude')), asNumber(member(position, 'longitude'))]
  if (lat !== undefined && lng !== undefined)
    points.set(at, { lat, lng, altitude: asNumber(member(position, 'altitude')) })
}
