/**
 * One recorded activity, whatever file it came from, and what is stored of it: samples, a workout summary and a stream. Reads by index are
 * unchecked (`as number`), because the loops are hot and stay in range.
 */
import type { Sport } from '../../../catalogue/sports.ts'
import { ownedId, type UserId } from '../../../core/ids.ts'
import type { SampleInput } from '../../../core/sample.ts'
import { STREAM_COLUMNS } from '../../../core/stream.ts'
import { type EpochMs, formatDate, formatInstant, SECOND_MS } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { ImportItem } from '../importer.ts'
import type { SampleCollector } from '../sample-collector.ts'
import type { ActivityPoints } from './points.ts'
import { type Place, routeMap } from './polyline.ts'
import { isOnFoot } from './sports.ts'
import { metresBetween, type StatedTotals, totalsOf } from './totals.ts'

/** One length of a pool. */
export interface SwimLength {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly strokes: number
}

export interface Activity {
  readonly sport: Sport
  /** Title given by the person; null: the name of the sport is used. */
  readonly title: string | null
  readonly start: EpochMs
  readonly end: EpochMs
  /** Seconds east of UTC, or null when the local time is unknown. */
  readonly offset: number | null
  /** Owned by the activity, which sorts and scales them in place. Cadence counts revolutions; in sports on foot it becomes steps. */
  readonly points: ActivityPoints
  /** Totals that the file states. They take precedence over totals computed from the points. */
  readonly stated: StatedTotals
  readonly lengths?: readonly SwimLength[]
}

/** The user whose activity it is, and the source it comes from. */
export interface ActivityOwner {
  readonly userId: UserId
  readonly provider: string
  readonly sourceType: string
  /** The user's fallback zone. It decides the date of an activity whose offset is unknown; null: UTC. */
  readonly timeZone: string | null
}

const MOST_TITLE = 200

/**
 * Yields the full sample batches, the workout summary and the stream of an activity. Its other samples stay in `collector`. The id is
 * derived from user, provider, source type and start, so importing the same recording again changes nothing.
 */
export function* activityItems(
  activity: Activity,
  owner: ActivityOwner,
  collector: SampleCollector,
): Generator<ImportItem> {
  const { points, start, offset, sport } = activity
  const id = ownedId(owner.userId, 'workouts', owner.provider, owner.sourceType, start)
  points.sort()
  if (isOnFoot(sport)) points.scale('cadence', 2)
  addDistance(points)
  addSamples(activity, owner, id, collector)
  yield* collector.take()
  const date = formatDate(start + (offset ?? localOffset(owner.timeZone, start)) * SECOND_MS)
  const { provider, sourceType } = owner
  const source = { provider, sourceType, at: start, offset }
  yield {
    kind: 'summary',
    summary: {
      kind: 'workouts',
      id,
      ...source,
      appId: null,
      deviceId: null,
      date,
      document: documentOf(activity, id, date),
    },
  }
  if (points.n === 0) return
  const columns = points.having(STREAM_COLUMNS)
  yield {
    kind: 'stream',
    stream: { workoutId: id, ...source, providerId: id, sport: { ...sport }, n: points.n, time: points.time, columns },
  }
}

/** Returns the document of the workout summary. docs/summaries.md lists its fields. */
function documentOf(activity: Activity, id: string, date: string): Readonly<Record<string, unknown>> {
  const { points, stated, start, end, sport } = activity
  const title = activity.title?.replace(/\s+/g, ' ').trim().slice(0, MOST_TITLE) ?? ''
  return {
    provider_id: id,
    calendar_date: date,
    title: title === '' ? sport.name : title,
    sport: { ...sport },
    time_start: formatInstant(start),
    time_end: formatInstant(end),
    timezone_offset: activity.offset,
    ...totalsOf(points, stated, start, end),
    map: routeMap(placesOf(points)),
  }
}

function localOffset(zone: string | null, at: EpochMs): number {
  return zone === null ? 0 : zoneOffset(zone, at)
}

/** Returns the points that have a position. */
export function placesOf(points: ActivityPoints): Place[] {
  const [lats, lngs] = [points.column('lat'), points.column('lng')]
  if (lats === undefined || lngs === undefined) return []
  const places: Place[] = []
  for (let i = 0; i < points.n; i++) {
    const [lat, lng] = [lats[i] as number, lngs[i] as number]
    if (!Number.isNaN(lat) && !Number.isNaN(lng)) places.push({ lat, lng })
  }
  return places
}

/** Adds the distance along the places when the file has places but no distances. */
function addDistance(points: ActivityPoints): void {
  const [lats, lngs] = [points.column('lat'), points.column('lng')]
  if (lats === undefined || lngs === undefined || points.column('distance') !== undefined) return
  const distance = new Float64Array(points.n).fill(Number.NaN)
  let travelled = 0
  let last = -1
  for (let i = 0; i < points.n; i++) {
    if (Number.isNaN(lats[i]) || Number.isNaN(lngs[i])) continue
    if (last >= 0) {
      travelled += metresBetween(lats[last] as number, lngs[last] as number, lats[i] as number, lngs[i] as number)
    }
    distance[i] = Math.round(travelled * 100) / 100
    last = i
  }
  points.set('distance', distance)
}

function addSamples(activity: Activity, owner: ActivityOwner, workoutId: string, collector: SampleCollector): void {
  const { points, offset } = activity
  const { time } = points
  const { provider, sourceType } = owner
  const text = { workout_id: workoutId, sport: activity.sport.slug }
  const add = (resource: string, sample: SampleInput): void => {
    const series = { resource, type: null, provider, sourceType }
    collector.add(series, { ...sample, offset, text }, 'a point of an activity')
  }
  for (const [column, resource] of [
    ['heartrate', 'heartrate'],
    ['respiratory_rate', 'respiratory_rate'],
  ] as const) {
    const values = points.column(column) ?? []
    for (let i = 0; i < values.length; i++) {
      const [start, value] = [time[i], values[i]]
      if (start !== undefined && value !== undefined && !Number.isNaN(value)) add(resource, { start, value })
    }
  }
  for (const step of distances(points)) add('workout_distance', step)
  for (const { start, end, strokes } of activity.lengths ?? []) {
    add('workout_swimming_stroke', { start, end, value: strokes })
  }
}

/** Yields the distance covered from each point to the next later one. When the distance falls, counting starts again there. */
function* distances(points: ActivityPoints): Generator<SampleInput> {
  const values = points.column('distance')
  if (values === undefined) return
  const { time } = points
  let last = -1
  for (let i = 0; i < points.n; i++) {
    if (Number.isNaN(values[i])) continue
    const start = time[last] as number
    const end = time[i] as number
    if (last >= 0 && end === start) continue
    const covered = (values[i] as number) - (values[last] as number)
    if (last >= 0 && covered >= 0) yield { start, end, value: Math.round(covered * 1000) / 1000 }
    last = i
  }
}
