/** Chooses the provider of invented data: if possible, a simulated one that the user has connected and that supplies such data. */
import { type Provider, providerNamed } from '../../catalogue/providers.ts'
import { sourceTypeOf } from '../../connectors/synthetic/device.ts'
import { connectionsOf } from '../connections/connections.ts'
import type { Wanted } from './cause.ts'
import { textAt } from './given.ts'

export interface Source {
  readonly provider: string
  readonly sourceType: string
}

/**
 * Returns the source of invented data. `resource` is a resource of a connection; `usual` is the source if neither the call nor a connection
 * decides. See docs/interface/connections.md#connections-4.
 */
export async function sourceFor({ engine, user, given }: Wanted, resource: string, usual: Source): Promise<Source> {
  const provider = textAt(given, 'source', 'provider')
  const sourceType = textAt(given, 'source', 'type')
  if (provider !== undefined) {
    const known = providerNamed(provider)
    // the code that stores the data refuses an unknown provider and names the nearest ones
    return { provider, sourceType: sourceType ?? (known ? sourceTypeOf(known, resource) : usual.sourceType) }
  }
  const connections = await connectionsOf(engine, user.userId)
  const providers = connections
    .filter(each => each.status === 'connected' && !each.isLive)
    .map(each => providerNamed(each.provider))
    .filter((each): each is Provider => each?.supportedResources.includes(resource) === true)
  const [first] = providers
  if (!first) return { ...usual, ...(sourceType === undefined ? {} : { sourceType }) }
  return { provider: first.slug, sourceType: sourceType ?? sourceTypeOf(first, resource) }
}
