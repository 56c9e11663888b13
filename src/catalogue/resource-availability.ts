/**
 * Decides which of a provider's resources are available to a user, based on the granted and denied scopes. See
 * docs/interface/connections.md#connections-4.
 */
import type { Provider, ProviderScope } from './provider.ts'

interface ScopeNames {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

/** The scopes that a user granted and denied on a consent page, both split by whether the connection requires them. */
export interface ScopeConsent {
  readonly granted: ScopeNames
  readonly denied: ScopeNames
}

export interface ResourceAvailability {
  readonly status: 'available' | 'unavailable'
  readonly scope_requirements: {
    readonly user_granted: { readonly required: string[]; readonly optional: string[] }
    readonly user_denied: { readonly required: string[]; readonly optional: string[] }
  } | null
}

/** The resources' supplier: a provider in the catalogue, or a live connector with its own scopes. */
export type Supply = Pick<Provider, 'scopes' | 'supportedResources'>

/** Splits the provider's scopes into granted and denied ones. */
export function splitScopes(scopes: readonly ProviderScope[], granted: readonly string[]): ScopeConsent {
  const names = (isGranted: boolean, required: boolean): string[] =>
    scopes
      .filter(each => granted.includes(each.name) === isGranted && each.required === required)
      .map(each => each.name)
  return {
    granted: { required: names(true, true), optional: names(true, false) },
    denied: { required: names(false, true), optional: names(false, false) },
  }
}

/**
 * Returns each resource's availability. `required` lists the scopes that the resource requires, and `optional` lists the scopes that add
 * detail. A resource is unavailable if a required scope was denied. If there are no granted scopes (after a sign-in without scopes), every
 * resource is available.
 */
export function resourceAvailability(
  provider: Supply,
  consent: ScopeConsent | null,
): Record<string, ResourceAvailability> {
  const granted = new Set(consent ? [...consent.granted.required, ...consent.granted.optional] : [])
  const about = (resource: string): ResourceAvailability => {
    if (consent === null || provider.scopes.length === 0) return { status: 'available', scope_requirements: null }
    const needed = provider.scopes.filter(each => each.resources.includes(resource)).map(each => each.name)
    const enriching = provider.scopes.filter(each => each.enriches.includes(resource)).map(each => each.name)
    const split = (isGranted: boolean) => ({
      required: needed.filter(name => granted.has(name) === isGranted),
      optional: enriching.filter(name => granted.has(name) === isGranted),
    })
    const denied = split(false)
    return {
      status: denied.required.length === 0 ? 'available' : 'unavailable',
      scope_requirements: { user_granted: split(true), user_denied: denied },
    }
  }
  return Object.fromEntries(provider.supportedResources.map(resource => [resource, about(resource)]))
}

/** Returns the resources that are available with the granted scopes. */
export function availableResources(supply: Supply, consent: ScopeConsent | null): string[] {
  return Object.entries(resourceAvailability(supply, consent)).flatMap(([resource, { status }]) =>
    status === 'available' ? [resource] : [],
  )
}
