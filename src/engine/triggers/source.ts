/**
 * Chooses the provider for synthetic data: if possible, a simulated one that the user has connected and that supplies this kind of data.
 */
import type { Provider } from '../../catalogue/provider.ts'
import { preferredSourceType } from '../../connectors/synthetic/device.ts'
import { listUserConnections } from '../connections/connections.ts'
import type { TriggerCause } from './cause.ts'
import { givenText } from './given.ts'

export interface Source {
  readonly provider: string
  readonly sourceType: string
}

/**
 * Returns the source for synthetic data. `resource` is one of a connection's resources. `usual` is the source to use if neither the call
 * nor a connection specifies one. See docs/interface/connections.md#connections-4.
 */
export async function sourceFor(
  { engine, user, given }: TriggerCause,
  resource: string,
  usual: Source,
): Promise<Source> {
  const provider = givenText(given, 'source', 'provider')
  const sourceType = givenText(given, 'source', 'type')
  if (provider !== undefined) {
    const known = engine.providers.find(provider)
    // the code that stores the data refuses an unknown provider and lists the most similar ones
    return { provider, sourceType: sourceType ?? (known ? preferredSourceType(known, resource) : usual.sourceType) }
  }
  const connections = await listUserConnections(engine, user.userId)
  const providers = connections
    .filter(each => each.status === 'connected' && !each.isLive)
    .map(each => engine.providers.find(each.provider))
    .filter((each): each is Provider => each?.supportedResources.includes(resource) === true)
  const [first] = providers
  if (!first) return { ...usual, ...(sourceType === undefined ? {} : { sourceType }) }
  return { provider: first.slug, sourceType: sourceType ?? preferredSourceType(first, resource) }
}
