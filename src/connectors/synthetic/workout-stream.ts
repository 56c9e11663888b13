/** The stream of a synthetic workout, with a point every five seconds along a loop at an invented location. */
import { present } from '../../core/present.ts'
import { Stream } from '../../core/random.ts'
import type { SummaryRecord } from '../../core/sample.ts'
import type { StreamColumn, StreamRecord } from '../../core/stream.ts'
import { SECOND_MS } from '../../core/time.ts'
import { encodePolyline } from '../shared/polyline.ts'
import { workoutStream } from '../shared/workout.ts'
import { clamp, noise, rounded } from './calendar.ts'
import { drawLoop } from './loop.ts'
import type { Beat } from './movement.ts'
import type { SummaryContext } from './summaries.ts'

const STEP_SECONDS = 5
const MOVING: readonly StreamColumn[] = ['heartrate', 'cadence', 'velocity_smooth', 'distance', 'power']
const OUTDOORS: readonly StreamColumn[] = [...MOVING, 'altitude', 'lat', 'lng', 'temperature']
/** Columns that exercise machines record. They lack some columns and add others. All other devices record an outdoor workout. */
const RECORDED: Readonly<Record<string, readonly StreamColumn[]>> = {
  peloton: [...MOVING, 'resistance'],
  zwift: [...MOVING, 'altitude', 'lat', 'lng'],
}
const ON_A_BIKE: readonly StreamColumn[] = ['power', 'resistance']

/** The summary polyline has one point per minute. */
const SUMMARY_STEP = 60 / STEP_SECONDS

/** Highest speed as a multiple of the mean speed. `SLOWEST` is the lowest one. */
const FASTEST = 1.2
const SLOWEST = 0.7

/**
 * Returns the workout's stream, and its summary completed with values from the stream. Distance, climb and power agree with the summary;
 * the heart rate follows the five-minute readings.
 */
export function withStream(
  context: SummaryContext,
  seed: string,
  summary: SummaryRecord,
  heart: readonly Beat[],
): { readonly summary: SummaryRecord; readonly stream: StreamRecord } {
  const { document } = summary
  const { plan, workout } = context.day
  if (!plan.workout || !workout) throw new Error('withStream: the day of the workout summary has no workout')
  const { sport } = plan.workout
  const chance = new Stream(seed, context.userId, context.provider, 'workout_stream', summary.date)
  const n = (workout.end - workout.start) / SECOND_MS / STEP_SECONDS + 1
  const time = Float64Array.from({ length: n }, (_, i) => workout.start + i * STEP_SECONDS * SECOND_MS)
  // workoutSummary creates the document with these types
  const metres = document['distance'] as number
  const paces = drawPaces(chance, n)
  const distance = accumulateDistances(paces, metres)
  const loop = drawLoop(seed, context.userId, sport, metres, document['total_elevation_gain'] as number)
  const watts = (document['average_watts'] as number | undefined) ?? 0
  const beats = heartRates(chance, time, heart, context.traits.maxHr)
  const base = sport === 'cycling' ? chance.between(78, 92) : chance.between(150, 164)
  const effort = chance.between(34, 52)
  const warmth = chance.between(9, 24)
  const every = (value: (i: number) => number): Float64Array => Float64Array.from({ length: n }, (_, i) => value(i))
  const pace = (i: number): number => present(paces[i], 'a pace')
  const made: Readonly<Record<StreamColumn, () => Float64Array>> = {
    heartrate: () => beats,
    cadence: () => every(i => Math.round(base * (0.8 + 0.2 * pace(i)))),
    velocity_smooth: () => every(i => rounded((pace(i) * metres) / ((n - 1) * STEP_SECONDS), 2)),
    distance: () => distance,
    power: () => every(i => Math.round(watts * (2 * pace(i) - 1))),
    resistance: () => every(i => Math.round(effort * pace(i))),
    altitude: () => distance.map(each => loop.altitude(each)),
    lat: () => distance.map(each => loop.positionAt(each).lat),
    lng: () => distance.map(each => loop.positionAt(each).lng),
    temperature: () => every(i => rounded(warmth + (2 * i) / n, 1)),
  }
  const wanted = RECORDED[context.provider] ?? OUTDOORS
  const names = wanted.filter(name => sport === 'cycling' || !ON_A_BIKE.includes(name))
  const columns = new Map(names.map(name => [name, made[name]()]))
  const climbs = columns.has('altitude') ? { elev_low: loop.lowest, elev_high: loop.highest } : {}
  const route = columns.has('lat') ? { map: encodeRoute(columns) } : {}
  const stream = workoutStream(summary, { n, time, columns })
  return { summary: { ...summary, document: { ...document, ...climbs, ...route } }, stream }
}

/**
 * Encodes the route. Unlike for a recorded route, the line is not simplified, because simplification uses functions that platforms may
 * round differently.
 */
function encodeRoute(columns: ReadonlyMap<StreamColumn, Float64Array>): Readonly<Record<string, string>> {
  const lngs = columns.get('lng')
  const positions = Array.from(columns.get('lat') ?? [], (lat, i) => ({ lat, lng: present(lngs?.[i], 'a longitude') }))
  const some = positions.filter((_, i) => i % SUMMARY_STEP === 0 || i === positions.length - 1)
  return { polyline: encodePolyline(positions), summary_polyline: encodePolyline(some) }
}

/** Returns the speed at each point as a multiple of the mean speed. The factor is 1 on average and changes slowly. */
function drawPaces(chance: Stream, n: number): readonly number[] {
  const raw: number[] = []
  let wander = 0
  for (let i = 0; i < n; i++) {
    wander = 0.93 * wander + noise(chance, 0.04)
    raw.push(clamp(1 + wander, SLOWEST, FASTEST))
  }
  const mean = raw.reduce((sum, each) => sum + each, 0) / n
  return raw.map(each => each / mean)
}

/** Returns the distance since the start in metres, rounded to tenths. The last value is the whole distance. */
function accumulateDistances(paces: readonly number[], metres: number): Float64Array {
  const n = paces.length
  const covered = new Float64Array(n)
  let sum = 0
  let before = paces[0] ?? 0
  for (const [i, pace] of paces.entries()) {
    if (i > 0) sum += (before + pace) / 2
    covered[i] = sum
    before = pace
  }
  return covered.map((each, i) => (i === n - 1 ? metres : rounded((each / sum) * metres, 1)))
}

/** Interpolates linearly between the readings and adds a little noise. */
function heartRates(chance: Stream, time: Float64Array, heart: readonly Beat[], maxHr: number): Float64Array {
  let next = 0
  return time.map(at => {
    const stir = noise(chance, 1.1)
    while ((heart[next]?.at ?? Number.POSITIVE_INFINITY) < at) next++
    const after = heart[next] ?? heart.at(-1)
    const before = heart[Math.max(0, next - 1)] ?? after
    if (!after || !before) return Number.NaN
    const share = after.at > before.at ? clamp((at - before.at) / (after.at - before.at), 0, 1) : 0
    return Math.round(clamp(before.bpm + (after.bpm - before.bpm) * share + stir, 40, maxHr))
  })
}
