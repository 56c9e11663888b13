/** The kinds of devices that data comes from, and their priority in aggregate queries. */

/**
 * Source types by priority, highest first: within a group, only rows of the best source type count. See
 * docs/interface/aggregates.md#aggregates-7.
 */
export const SOURCE_TYPE_PRIORITY = [
  'lab',
  'automatic',
  'watch',
  'ring',
  'chest_strap',
  'scale',
  'cuff',
  'fingerprick',
  'manual_scan',
  'phone',
  'app',
  'multiple_sources',
  'unknown',
] as const

/**
 * Every source type. `insulin_pump`, `exercise_machine` and `earphone` have no position in the documented order; `sourceTypeRank` puts them
 * after `manual_scan`, because a dedicated device comes before a phone.
 */
export const SOURCE_TYPES = [...SOURCE_TYPE_PRIORITY, 'insulin_pump', 'exercise_machine', 'earphone'] as const

export type SourceType = (typeof SOURCE_TYPES)[number]

const RANKS: Readonly<Record<string, number>> = Object.fromEntries(
  SOURCE_TYPES.map(type => [type, (SOURCE_TYPE_PRIORITY as readonly string[]).indexOf(type)]),
)
const UNLISTED_RANK = SOURCE_TYPE_PRIORITY.indexOf('manual_scan') + 0.5

/** Returns the rank of a source type; lower is better. Unknown text has the same rank as `unknown`. */
export function sourceTypeRank(type: string): number {
  const rank = RANKS[type]
  if (rank === undefined) return SOURCE_TYPE_PRIORITY.indexOf('unknown')
  return rank === -1 ? UNLISTED_RANK : rank
}
