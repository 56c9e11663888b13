/** The kinds of values that a connector or an importer supplies. See docs/interface/kinds.md#kinds-4. */
import { allKinds, type KindSigns, kindShown, kindsOf } from './kinds.ts'

/** Names of kinds, by the name of the resource in the REST path. Resources whose values may all meet are left out. */
export type SuppliedKinds = Readonly<Record<string, readonly string[]>>

/** The kinds of amounts: a part of a day, or the total of a day. */
export const AMOUNT_KINDS = ['interval', 'day_total'] as const
export type AmountKind = (typeof AMOUNT_KINDS)[number]

/** Amounts that some providers supply as one sample a day. */
export const DAILY_AMOUNTS: readonly string[] = ['steps', 'distance', 'calories_active', 'calories_basal']

/** Samples that a connector or an importer supplies. */
export interface SuppliedSamples extends KindSigns {
  readonly resource: string
  /** What each sample covers, if the resource is an amount. */
  readonly covers: AmountKind
}

/** Returns the kind of samples, or undefined if the resource has no kinds. */
export function kindOfSamples({ resource, covers, ...signs }: SuppliedSamples): string | undefined {
  if (DAILY_AMOUNTS.includes(resource)) return covers
  const kinds = kindsOf(resource)
  return kinds && kindShown(kinds, signs).name
}

/** Returns the kinds of all these samples, in the order of the catalogue. */
export function kindsOfSamples(supplied: Iterable<SuppliedSamples>): SuppliedKinds {
  const found = new Map<string, Set<string>>()
  for (const samples of supplied) {
    const kind = kindOfSamples(samples)
    if (kind !== undefined) found.set(samples.resource, (found.get(samples.resource) ?? new Set()).add(kind))
  }
  return listKinds(found)
}

/** Returns the kinds of all these suppliers together. */
export function joinedKinds(suppliers: readonly SuppliedKinds[]): SuppliedKinds {
  const found = new Map<string, Set<string>>()
  for (const [resource, kinds] of suppliers.flatMap(each => Object.entries(each))) {
    found.set(resource, new Set([...(found.get(resource) ?? []), ...kinds]))
  }
  return listKinds(found)
}

function listKinds(found: ReadonlyMap<string, ReadonlySet<string>>): SuppliedKinds {
  return Object.fromEntries(
    [...found]
      .map(([resource, names]) => [resource, namesOfKinds(resource).filter(name => names.has(name))] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Returns the names of a resource's kinds, the usual one first. */
export function namesOfKinds(resource: string): readonly string[] {
  const kinds = kindsOf(resource)
  return kinds ? allKinds(kinds).map(({ name }) => name) : AMOUNT_KINDS
}
