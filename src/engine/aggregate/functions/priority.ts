/** Chooses the source that wins in a group: by source type first, then by provider. See docs/interface/aggregates.md#aggregates-7. */
import { LABS } from '../../../catalogue/labs/labs.ts'
import { groupOfResource, groupOfTable } from '../../../catalogue/metric-groups.ts'
import { DATA_TYPE_OF_TABLE } from '../../../catalogue/priority-data-types.ts'
import type { ProviderRegistry } from '../../../catalogue/providers.ts'
import { sourceTypeRank } from '../../../catalogue/source-types.ts'
import type { SourcePriority } from '../../../store/priority.ts'
import { NO_ORDERS, type SourceOrders, type SourcePattern } from '../../../store/source-order.ts'
import { type Loc, refuseName } from '../plan/refusal.ts'
import type { BlockSource } from '../scan/block.ts'

/** Returns a negative number if the first source is better. */
export type SourceOrder = (a: BlockSource, b: BlockSource) => number

/** A rule that ranks two sources, and its explanation. */
interface Rule {
  readonly compare: SourceOrder
  /** Returns why the first source is better. Called only if this rule decides. */
  why(better: BlockSource, worse: BlockSource): string
}

/**
 * Returns the rules for one call. The first rule that distinguishes two sources determines their order.
 *
 * - The better source type wins.
 * - Among equal source types, the providers in `config.provider_priority_overrides` come first, in that order.
 * - Then the larger team priority wins. A row for both provider and source type takes precedence over a row for the provider alone. A
 *   source without a row comes last.
 * - Ties are broken by the provider's slug, so that the same query always has the same result.
 */
function buildRules(
  overrides: readonly string[],
  priorities: readonly SourcePriority[],
  table: string,
): { readonly bySourceType: Rule; readonly stated: readonly [Rule, Rule]; readonly byNames: readonly Rule[] } {
  const rank = (provider: string): number => {
    const at = overrides.indexOf(provider)
    return at === -1 ? overrides.length : at
  }
  const rows = priorities.filter(each => each.dataType === DATA_TYPE_OF_TABLE[table])
  const priority = (source: BlockSource): number => {
    const own = rows.filter(each => each.provider === source.provider)
    const row = own.find(each => each.sourceType === source.sourceType) ?? own.find(each => each.sourceType === null)
    return row?.priority ?? Number.NEGATIVE_INFINITY
  }
  const words = (number: number): string => (Number.isFinite(number) ? `priority ${number}` : 'no priority')
  return {
    bySourceType: {
      compare: (a, b) => sourceTypeRank(a.sourceType) - sourceTypeRank(b.sourceType),
      why: (a, b) => `source type ${a.sourceType} comes before ${b.sourceType}`,
    },
    stated: [
      {
        compare: (a, b) => rank(a.provider) - rank(b.provider),
        why: (a, b) => `provider_priority_overrides puts ${a.provider} before ${b.provider}`,
      },
      {
        compare: (a, b) => descending(priority(a), priority(b)),
        why: (a, b) => `the team gives ${a.provider} ${words(priority(a))} and ${b.provider} ${words(priority(b))}`,
      },
    ],
    byNames: [
      {
        compare: (a, b) => compareText(a.provider, b.provider),
        why: (a, b) => `no rule ranks them, and ${a.provider} comes before ${b.provider} alphabetically`,
      },
      {
        compare: (a, b) => compareText(a.sourceType, b.sourceType),
        why: (a, b) => `no rule ranks them, and ${a.sourceType} comes before ${b.sourceType} alphabetically`,
      },
    ],
  }
}

/** Returns the rules in the order of a query without a merge. */
function queryRules(
  overrides: readonly string[],
  priorities: readonly SourcePriority[],
  table: string,
): readonly Rule[] {
  const { bySourceType, stated, byNames } = buildRules(overrides, priorities, table)
  return [bySourceType, ...stated, ...byNames]
}

/** Returns the source order for one call. See `buildRules`. */
export function sourceOrder(
  overrides: readonly string[],
  priorities: readonly SourcePriority[] = [],
  table = '',
): SourceOrder {
  return inOrder(queryRules(overrides, priorities, table))
}

/** What ranks the sources of a merge, besides their types and names. */
export interface MergeRanking {
  /** `config.provider_priority_overrides`. */
  readonly overrides: readonly string[]
  readonly priorities: readonly SourcePriority[]
  readonly orders?: SourceOrders
}

/** How a merge ranks sources. */
export interface MergeOrder {
  readonly compare: SourceOrder
  /** Returns whether the caller or the team ranks the first source before the second one. */
  isPreferred(first: BlockSource, second: BlockSource): boolean
}

/**
 * Returns the order of sources in a merge: what the caller and the team say comes before the source type, and apps and devices of one source
 * are ordered by their names. See docs/interface/merging.md#merging-2.
 */
export function mergeOrder(ranking: MergeRanking, table: string): MergeOrder {
  const { stated, others } = mergeRules(ranking, table)
  const compareStated = inOrder(stated)
  return {
    compare: inOrder([...stated, ...others]),
    isPreferred: (first, second) => compareStated(first, second) < 0,
  }
}

/** Returns a function that explains why one source comes before another in a merge. */
export function mergeReason(ranking: MergeRanking, table: string): (better: BlockSource, worse: BlockSource) => string {
  const { stated, others } = mergeRules(ranking, table)
  return reasonOf([...stated, ...others])
}

/** Returns the rules in the order of a merge: what the caller, the user and the team state, and the others. */
function mergeRules(
  { overrides, priorities, orders = NO_ORDERS }: MergeRanking,
  table: string,
): { readonly stated: readonly Rule[]; readonly others: readonly Rule[] } {
  const { bySourceType, stated, byNames } = buildRules(overrides, priorities, table)
  const [byOverrides, ...byPriorities] = stated
  return {
    stated: [byOverrides, ruleOfOrder(orders, 'user', table), ruleOfOrder(orders, 'team', table), ...byPriorities],
    others: [bySourceType, ...byNames, ruleOf('app'), ruleOf('device')],
  }
}

/** Returns the rule that follows the order of sources for the metrics of the two sources. */
function ruleOfOrder(orders: SourceOrders, of: 'user' | 'team', table: string): Rule {
  const ofTable = groupOfTable(table)
  const groupOf = ({ resource }: BlockSource) => ofTable ?? groupOfResource(resource ?? '')
  const rank = (source: BlockSource): number => {
    const group = groupOf(source)
    const patterns = orders[of].find(({ metricGroup }) => metricGroup === group)?.sources ?? []
    const at = patterns.findIndex(pattern => fits(source, pattern))
    return at === -1 ? patterns.length : at
  }
  const words = ({ provider, sourceType, app, device }: BlockSource): string =>
    [provider, sourceType, app && `(app ${app})`, device && `(device ${device})`].filter(Boolean).join(' ')
  return {
    compare: (a, b) => rank(a) - rank(b),
    why: (a, b) => `the ${of}'s order of sources for ${groupOf(a)} puts ${words(a)} before ${words(b)}`,
  }
}

function fits(source: BlockSource, { provider, sourceType, appId, deviceId }: SourcePattern): boolean {
  return (
    (provider === null || provider === source.provider) &&
    (sourceType === null || sourceType === source.sourceType) &&
    (appId === null || appId === source.app) &&
    (deviceId === null || deviceId.toLowerCase() === source.device?.toLowerCase())
  )
}

/** Returns the rule that orders sources by a name. Sources without it come last. */
function ruleOf(name: 'app' | 'device'): Rule {
  return {
    compare(a, b) {
      const [x, y] = [a[name] ?? null, b[name] ?? null]
      if (x === null || y === null) return Number(x === null) - Number(y === null)
      return compareText(x, y)
    },
    why: () => `no rule ranks them, and the names of their ${name}s are in this order`,
  }
}

function inOrder(rules: readonly Rule[]): SourceOrder {
  return (a, b) => {
    for (const { compare } of rules) {
      const sign = compare(a, b)
      if (sign !== 0) return sign
    }
    return 0
  }
}

/** Returns a function that explains why one source is better than another. It uses the same rules as `sourceOrder` with the same
 * arguments. */
export function whyBetter(
  overrides: readonly string[],
  priorities: readonly SourcePriority[],
  table: string,
): (better: BlockSource, worse: BlockSource) => string {
  return reasonOf(queryRules(overrides, priorities, table))
}

function reasonOf(rules: readonly Rule[]): (better: BlockSource, worse: BlockSource) => string {
  return (a, b) => rules.find(({ compare }) => compare(a, b) < 0)?.why(a, b) ?? 'they rank equally'
}

function descending(a: number, b: number): number {
  return a === b ? 0 : a > b ? -1 : 1
}

const withoutOverrides = sourceOrder([])

/** Compares sources and series in a fixed order, for rows at the same time. */
export function compareSources(a: BlockSource, b: BlockSource): number {
  return (
    withoutOverrides(a, b) || compareText(a.resource ?? '', b.resource ?? '') || compareText(a.type ?? '', b.type ?? '')
  )
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Throws a 422 for an entry of `config.provider_priority_overrides` that is not the slug of a provider or lab. */
export function checkOverrides({ slugs }: ProviderRegistry, overrides: readonly string[], loc: Loc): void {
  const known = [...slugs, ...LABS.map(lab => lab.slug)]
  for (const [i, slug] of overrides.entries()) {
    if (!known.includes(slug)) throw refuseName([...loc, i], 'provider or lab', slug, known, 'unknown_provider')
  }
}
