/** Converts a workout with its points into a summary and a stream. Reads by index are unchecked (`as number`) in hot loops. */
import type { Sport } from '../../catalogue/sports.ts'
import type { SummaryRecord } from '../../core/sample.ts'
import type { StreamPoints, StreamRecord } from '../../core/stream.ts'
import type { ActivityPoints } from './points.ts'
import { type RoutePosition, routeMap } from './polyline.ts'
import { isOnFoot } from './sports.ts'
import { type Session, type SummaryOrigin, workoutSummary } from './summaries.ts'
import { computeTotals, type StatedTotals } from './totals.ts'

export interface Workout extends Session {
  readonly sport: Sport
  /** Title entered by the person. If null or absent, the sport's name is used. */
  readonly title?: string | null
  /** Offset in seconds east of UTC; null if the local time is unknown. */
  readonly offset: number | null
  /** The points, which are sorted and scaled in place. Cadence is in revolutions; in sports on foot, it is converted to steps. */
  readonly points: ActivityPoints
  /** Totals stated by the source, which take precedence over totals computed from the points. */
  readonly stated: StatedTotals
}

const MOST_TITLE = 200

/** Converts a workout's points into their final form. Call it only once. */
export function settlePoints({ points, sport }: Pick<Workout, 'points' | 'sport'>): void {
  points.sort()
  if (isOnFoot(sport)) points.scale('cadence', 2)
}

/** Returns the summary of a workout whose points are final. */
export function workoutWithPoints(origin: SummaryOrigin, workout: Workout): SummaryRecord {
  const { points, stated, start, end, sport } = workout
  const title = workout.title?.replace(/\s+/g, ' ').trim().slice(0, MOST_TITLE)
  return workoutSummary(origin, workout, sport, {
    ...computeTotals(points, stated, start, end),
    title: title || sport.name,
    map: routeMap(listPositions(points)),
  })
}

/** Returns the stream that belongs to a workout's summary. */
export function workoutStream(summary: SummaryRecord, points: StreamPoints): StreamRecord {
  const { id, provider, sourceType, at, offset, document } = summary
  return {
    workoutId: id,
    provider,
    sourceType,
    at,
    offset,
    // workoutSummary creates the document with these types
    providerId: document['provider_id'] as string,
    sport: document['sport'] as StreamRecord['sport'],
    ...points,
  }
}

/** Returns the points that have a position. */
export function listPositions(points: ActivityPoints): RoutePosition[] {
  const [lats, lngs] = [points.column('lat'), points.column('lng')]
  if (lats === undefined || lngs === undefined) return []
  const positions: RoutePosition[] = []
  for (let i = 0; i < points.n; i++) {
    const [lat, lng] = [lats[i] as number, lngs[i] as number]
    if (!Number.isNaN(lat) && !Number.isNaN(lng)) positions.push({ lat, lng })
  }
  return positions
}
