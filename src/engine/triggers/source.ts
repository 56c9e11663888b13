/** Which provider tells of data that are made up: one that the user has connected and that supplies such data, where there is one. */
import { type Provider, providerNamed } from '../../catalogue/providers.ts'
import { sourceTypeOf } from '../../connectors/synthetic/device.ts'
import { connectionsOf } from '../connections/connections.ts'
import type { Wanted } from './cause.ts'
import { textAt } from './given.ts'

export interface Source {
  readonly provider: string
  readonly sourceType: string
}

/** `resource` is a key of interface-gaps 2.2; `usual` is what it is where neither the call nor a connection says so. */
export async function sourceFor({ engine, user, given }: Wanted, resource: string, usual: Source): Promise<Source> {
  const provider = textAt(given, 'source', 'provider')
  const sourceType = textAt(given, 'source', 'type')
  if (provider !== undefined) {
    const known = providerNamed(provider)
    // an unknown one is refused by what stores the data, which names the nearest
    return { provider, sourceType: sourceType ?? (known ? sourceTypeOf(known, resource) : usual.sourceType) }
  }
  const connections = await connectionsOf(engine, user.userId)
  const providers = connections
    .filter(each => each.status === 'connected')
    .map(each => providerNamed(each.provider))
    .filter((each): each is Provider => each?.supportedResources.includes(resource) === true)
  const [first] = providers
  if (!first) return { ...usual, ...(sourceType === undefined ? {} : { sourceType }) }
  return { provider: first.slug, sourceType: sourceType ?? sourceTypeOf(first, resource) }
}
