/** Which source wins inside a group: source type first, then provider (interface-gaps 4.9, prioritisation). */
import { LABS } from '../../catalogue/labs.ts'
import { PROVIDER_SLUGS } from '../../catalogue/providers.ts'
import { sourceTypeRank } from '../../catalogue/source-types.ts'
import type { BlockSource } from './block.ts'
import { type Loc, refuseName } from './refusal.ts'

/** Below zero when the first source is the better one. */
export type SourceOrder = (a: BlockSource, b: BlockSource) => number

/** A row of the team's source priorities (interface-gaps, decisions): the larger number wins. */
export interface SourcePriority {
  readonly dataType: PriorityDataType
  readonly provider: string
  /** Null: every source type of the provider. */
  readonly sourceType: string | null
  readonly priority: number
}

/** What the team priorities are kept for. */
export const PRIORITY_DATA_TYPES = ['workouts', 'activity', 'sleep', 'body', 'timeseries'] as const
export type PriorityDataType = (typeof PRIORITY_DATA_TYPES)[number]

/** The priorities that a table follows; the tables that are not here follow none. */
const DATA_TYPE_OF_TABLE: Readonly<Record<string, PriorityDataType>> = {
  workout: 'workouts',
  activity: 'activity',
  sleep: 'sleep',
  derived_readiness: 'sleep',
  body: 'body',
  timeseries: 'timeseries',
}

/**
 * The order of sources for one call. A better source type wins; among equal ones the providers of
 * `config.provider_priority_overrides` come first, in that order, then the larger team priority (a row of the provider and source
 * type counts before one of the provider alone; without a row a source comes last); what is left goes by the provider's slug, so
 * that the same query always answers the same.
 */
export function sourceOrder(
  overrides: readonly string[],
  priorities: readonly SourcePriority[] = [],
  table = '',
): SourceOrder {
  const place = (provider: string): number => {
    const at = overrides.indexOf(provider)
    return at === -1 ? overrides.length : at
  }
  const rows = priorities.filter(each => each.dataType === DATA_TYPE_OF_TABLE[table])
  const priority = (source: BlockSource): number => {
    const own = rows.filter(each => each.provider === source.provider)
    const row = own.find(each => each.sourceType === source.sourceType) ?? own.find(each => each.sourceType === null)
    return row?.priority ?? Number.NEGATIVE_INFINITY
  }
  return (a, b) =>
    sourceTypeRank(a.sourceType) - sourceTypeRank(b.sourceType) ||
    place(a.provider) - place(b.provider) ||
    descending(priority(a), priority(b)) ||
    compareText(a.provider, b.provider) ||
    compareText(a.sourceType, b.sourceType)
}

function descending(a: number, b: number): number {
  return a === b ? 0 : a > b ? -1 : 1
}

const withoutOverrides = sourceOrder([])

/** One fixed order of all sources and series, for rows of equal time. */
export function compareSources(a: BlockSource, b: BlockSource): number {
  return (
    withoutOverrides(a, b) || compareText(a.resource ?? '', b.resource ?? '') || compareText(a.type ?? '', b.type ?? '')
  )
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Refuses an entry of `config.provider_priority_overrides` that is the slug of no provider and no lab. */
export function checkOverrides(overrides: readonly string[], loc: Loc): void {
  const known = [...PROVIDER_SLUGS, ...LABS.map(lab => lab.slug)]
  for (const [i, slug] of overrides.entries()) {
    if (!known.includes(slug)) throw refuseName([...loc, i], 'provider or lab', slug, known, 'unknown_provider')
  }
}
