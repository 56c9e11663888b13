/** Decides which member of a cluster gives which values. See docs/interface/merging.md#merging-12. */
import type { StoredSummary } from '../../../../store/sample.ts'
import type { Cluster, Member } from './clusters.ts'
import type { Session } from './session.ts'

/** Fields of the document that one member gives together. */
export interface FieldGroup {
  readonly name: string
  readonly keys: readonly string[]
}

/** What a table's rows take from which member. */
export interface FieldRules {
  /** Returns whether the values of a member can be used if a worse one has more of them. */
  readonly isFull: (row: StoredSummary) => boolean
  /** A group without any value is filled from the best other member that has one. */
  readonly groups: readonly FieldGroup[]
}

const one = (name: string, key = name): FieldGroup => ({ name, keys: [key] })

export const NIGHT_FIELDS: FieldRules = {
  isFull: ({ document }) =>
    ['light', 'rem', 'deep'].some(key => typeof document[key] === 'number' && document[key] > 0),
  groups: [
    one('heart_rate_minimum', 'hr_lowest'),
    one('heart_rate_mean', 'hr_average'),
    one('heart_rate_maximum'),
    one('heart_rate_dip', 'hr_dip'),
    one('heart_rate_resting', 'hr_resting'),
    one('hrv_mean_rmssd', 'average_hrv'),
    one('hrv_mean_sdnn'),
    one('skin_temperature'),
    one('skin_temperature_delta', 'temperature_delta'),
    one('respiratory_rate'),
    one('score'),
    one('recovery_readiness_score'),
    one('time_zone'),
  ],
}

export const WORKOUT_FIELDS: FieldRules = {
  isFull: () => true,
  groups: [
    {
      name: 'gps',
      keys: ['distance', 'average_speed', 'max_speed', 'total_elevation_gain', 'elev_high', 'elev_low', 'map'],
    },
    { name: 'heart_rate', keys: ['average_hr', 'heart_rate_minimum', 'max_hr', 'hr_zones'] },
    { name: 'power', keys: ['device_watts', 'average_watts', 'max_watts', 'weighted_average_watts'] },
    one('duration_active_second', 'moving_time'),
    one('calories'),
    one('steps'),
    one('title'),
    one('time_zone'),
  ],
}

export interface Filled {
  readonly from: Session
  readonly fields: readonly string[]
}

/** The values of a cluster. */
export interface Resolved {
  /** The member whose times and values are used. */
  readonly winner: Session
  readonly document: StoredSummary['document']
  readonly filled: readonly Filled[]
}

/** Returns the values of a cluster: those of the best full member that is long enough, with missing groups of fields from others. */
export function resolve(cluster: Cluster, { isFull, groups }: FieldRules): Resolved {
  if (cluster.length === 1) {
    const [{ session: winner }] = cluster
    return { winner, document: winner.row.document, filled: [] }
  }
  const longest = cluster.reduce((most, { session }) => Math.max(most, session.end - session.start), 0)
  // a fragment does not stand for a whole night
  const able = cluster.filter(({ session }) => (session.end - session.start) * 2 >= longest)
  const { session: winner } = able.find(({ session }) => isFull(session.row)) ?? (able[0] as Member)
  const document: Record<string, unknown> = { ...winner.row.document }
  const filled = new Map<Session, string[]>()
  for (const { name, keys } of groups) {
    if (keys.some(key => hasValue(document[key]))) continue
    const from = cluster.find(({ session }) => keys.some(key => hasValue(session.row.document[key])))
    if (from === undefined) continue
    for (const key of keys) document[key] = from.session.row.document[key]
    filled.set(from.session, [...(filled.get(from.session) ?? []), name])
  }
  return { winner, document, filled: [...filled].map(([from, fields]) => ({ from, fields })) }
}

/** Returns the members' sources, best first, each once: `oura ring, apple_health_kit watch`. */
export function sourceNames(members: readonly Member[]): string {
  return [...new Set(members.map(({ session }) => sourceName(session)))].join(', ')
}

/** Returns what was filled from where: `oura ring: score, skin_temperature`, or null. */
export function filledNames(filled: readonly Filled[]): string | null {
  return filled.length === 0
    ? null
    : filled.map(({ from, fields }) => `${sourceName(from)}: ${fields.join(', ')}`).join('; ')
}

function sourceName({ source }: Session): string {
  return `${source.provider} ${source.sourceType}`
}

function hasValue(value: unknown): boolean {
  if (value === null || value === undefined) return false
  return typeof value === 'object' ? Object.values(value).some(hasValue) : true
}
