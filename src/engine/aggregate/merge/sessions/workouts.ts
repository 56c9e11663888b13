/** Recognizes a workout that several sources recorded. See docs/interface/merging.md#merging-14. */

import { WORKOUT } from '../../../../catalogue/query/workout.ts'
import { sportFamily } from '../../../../catalogue/sports.ts'
import { MINUTE_MS } from '../../../../core/time.ts'
import type { Comparison } from './clusters.ts'
import { fieldGroup } from './fields.ts'
import { durationText, overlap, type Session } from './session.ts'
import type { SessionRules } from './session-rules.ts'

const STARTS_APART_MS = 10 * MINUTE_MS
const SAME_OVERLAP = 0.7
const LEAST_RATIO = 0.8

/** Compares workouts of two sources. */
function compareWorkouts(better: Session, other: Session): Comparison {
  const starts = Math.abs(better.start - other.start)
  const share = overlap(better, other)
  const [a, b] = [better.end - better.start, other.end - other.start]
  const ratio = Math.min(a, b) / Math.max(a, b)
  const [x, y] = [familyOf(better), familyOf(other)]
  const isSport = x === null || y === null || x === y
  return {
    isSame: starts <= STARTS_APART_MS && share >= SAME_OVERLAP && ratio >= LEAST_RATIO && isSport,
    overlap: share,
    reason: () =>
      `overlap ${share.toFixed(2)}, starts ${durationText(starts)} apart, durations ${ratio.toFixed(2)} alike` +
      (isSport ? '' : `, sports ${x} and ${y}`),
  }
}

/** Returns the family of a workout's sport, or null if the sport is not known and matches any other. */
function familyOf({ row }: Session): string | null {
  const { sport } = row.document as { readonly sport?: { readonly slug?: unknown } | null }
  return typeof sport?.slug === 'string' ? sportFamily(sport.slug) : null
}

const ZONES = [1, 2, 3, 4, 5, 6].map(zone => `heart_rate_zone_${zone}`)
const GPS = [
  ...['distance_meter', 'speed_mean', 'speed_maximum', 'elevation_gain_meter', 'elevation_maximum_meter'],
  ...['elevation_minimum_meter', 'map_polyline', 'map_summary_polyline'],
]

export const WORKOUTS: SessionRules = {
  ends: ['time_start', 'time_end'],
  ofSource: async sessions => sessions,
  compare: compareWorkouts,
  compared: [
    { column: fieldGroup(WORKOUT, 'distance_meter'), unit: 'm' },
    { column: fieldGroup(WORKOUT, 'calories'), unit: 'kcal' },
  ],
  fields: {
    isFull: () => true,
    groups: [
      fieldGroup(WORKOUT, 'gps', GPS),
      fieldGroup(WORKOUT, 'heart_rate', ['heart_rate_mean', 'heart_rate_minimum', 'heart_rate_maximum', ...ZONES]),
      fieldGroup(WORKOUT, 'power', ['power_source', 'power_mean', 'power_maximum', 'power_weighted_mean']),
      ...['duration_active_second', 'calories', 'steps', 'title', 'time_zone'].map(name => fieldGroup(WORKOUT, name)),
    ],
  },
}
