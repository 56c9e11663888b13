/** Creates a live connector from a provider's plan. */
import type { ProviderScope } from '../../catalogue/provider.ts'
import { kindsOfSamples, type SuppliedKinds } from '../../catalogue/supplied-kinds.ts'
import type { LiveCollection } from './collection.ts'
import type { LiveConnector, MappingRow } from './live-connector.ts'
import type { RecordForm } from './record-view.ts'

type Optional = 'resources' | 'settings' | 'failureIn' | 'retryAfterMs'

export interface ConnectorPlan
  extends Omit<LiveConnector, 'provider' | 'mode' | 'kinds' | 'collections' | 'pull' | Optional>,
    Partial<Pick<LiveConnector, Optional>> {
  readonly collections: readonly LiveCollection[]
}

/** Returns the connector. By default, its resources are its collections' resources, and only the status indicates a failure. */
export function defineConnector({ provider }: RecordForm, plan: ConnectorPlan): LiveConnector {
  const { collections, mapping } = plan
  return {
    provider,
    mode: 'live',
    resources: [...new Set(collections.flatMap(each => each.resources))],
    kinds: mappedKinds(provider, mapping),
    settings: [],
    failureIn: () => null,
    retryAfterMs: () => null,
    ...plan,
    pull(session, asked) {
      const found = collections.find(({ name }) => name === asked.collection)
      if (found === undefined) throw new Error(`${provider} has no collection ${asked.collection}`)
      return found.pull(session, asked)
    },
  }
}

/** Returns the kinds of the samples that a mapping table states. */
function mappedKinds(provider: string, mapping: readonly MappingRow[]): SuppliedKinds {
  return kindsOfSamples(
    mapping.flatMap(({ to, signs = {} }) => {
      const { types = [undefined], covers } = signs
      return types.map(type => ({
        resource: to,
        provider,
        // no kind depends on the source type of a live provider's samples
        sourceType: 'unknown',
        text: type === undefined ? {} : { type },
        covers: covers ?? 'interval',
      }))
    }),
  )
}

/** Returns a scope that, by default, is not required and does not supply or enrich any resource. `more` overrides these defaults. */
export function scope(name: string, description: string, more: Partial<ProviderScope> = {}): ProviderScope {
  return { name, description, required: false, resources: [], enriches: [], ...more }
}
