/** Which source wins inside a group: source type first, then provider (interface-gaps 4.9, prioritisation). */
import { LABS } from '../../catalogue/labs.ts'
import { PROVIDER_SLUGS } from '../../catalogue/providers.ts'
import { sourceTypeRank } from '../../catalogue/source-types.ts'
import type { BlockSource } from './block.ts'
import { type Loc, refuseName } from './refusal.ts'

/** Below zero when the first source is the better one. */
export type SourceOrder = (a: BlockSource, b: BlockSource) => number

/**
 * The order of sources for one call. A better source type wins; among equal ones the providers of
 * `config.provider_priority_overrides` come first, in that order; what is left goes by the provider's slug, so that the
 * same query always answers the same.
 */
export function sourceOrder(overrides: readonly string[]): SourceOrder {
  const place = (provider: string): number => {
    const at = overrides.indexOf(provider)
    return at === -1 ? overrides.length : at
  }
  return (a, b) =>
    sourceTypeRank(a.sourceType) - sourceTypeRank(b.sourceType) ||
    place(a.provider) - place(b.provider) ||
    compareText(a.provider, b.provider) ||
    compareText(a.sourceType, b.sourceType)
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
