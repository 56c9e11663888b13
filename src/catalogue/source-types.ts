/** What kinds of devices data come from, and which of them an aggregate prefers (interface-gaps 2.4 and 4.9). */

/** High to low: inside a group only the rows of the best source type survive (interface-gaps 4.9, prioritisation). */
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
 * Every source type there is. `insulin_pump`, `exercise_machine` and `earphone` stand nowhere in the documented order;
 * `sourceTypeRank` puts them after `manual_scan`: a device of its own, before a phone.
 */
export const SOURCE_TYPES = [...SOURCE_TYPE_PRIORITY, 'insulin_pump', 'exercise_machine', 'earphone'] as const

export type SourceType = (typeof SOURCE_TYPES)[number]

const RANKS: Readonly<Record<string, number>> = Object.fromEntries(
  SOURCE_TYPES.map(type => [type, (SOURCE_TYPE_PRIORITY as readonly string[]).indexOf(type)]),
)
const UNLISTED_RANK = SOURCE_TYPE_PRIORITY.indexOf('manual_scan') + 0.5

/** The rank of a source type, lower is better; an unknown text ranks like `unknown`. */
export function sourceTypeRank(type: string): number {
  const rank = RANKS[type]
  if (rank === undefined) return SOURCE_TYPE_PRIORITY.indexOf('unknown')
  return rank === -1 ? UNLISTED_RANK : rank
}
