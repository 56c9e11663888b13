/** Lists the catalogue's providers and looks them up. */
import type { Provider } from '../../catalogue/provider.ts'
import { availableResources, splitScopes } from '../../catalogue/resource-availability.ts'
import { SOURCE_TYPES } from '../../catalogue/source-types.ts'
import { joinedKinds, type SuppliedKinds } from '../../catalogue/supplied-kinds.ts'
import { liveConnector } from '../../connectors/live/live-connectors.ts'
import { simulatedKinds } from '../../connectors/synthetic/connector.ts'
import { allowedNames, didYouMean, invalid } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'

/** Returns the provider with this slug. Throws 422 `unknown_provider` at `loc` with the most similar slugs. */
export function knownProvider({ providers }: EngineContext, slug: string, loc: readonly (string | number)[]) {
  const provider = providers.find(slug)
  if (provider) return provider
  const msg = `"${slug}" is not one of the known providers.${allowedNames(slug, providers.slugs, '`svc provider list` lists all')}`
  throw invalid([{ loc, msg, type: 'enum' }], 'unknown_provider')
}

export const listProviders: Handler<'provider.list'> = async (engine, { query }, call) => {
  const wanted = query.source_type
  if (wanted !== undefined && !(SOURCE_TYPES as readonly string[]).includes(wanted)) {
    const msg = `must be one of the source types: ${SOURCE_TYPES.join(', ')}.${didYouMean(wanted, SOURCE_TYPES)}`
    throw invalid([{ loc: ['query', 'source_type'], msg, type: 'enum' }])
  }
  const shown = engine.providers.all.filter(
    each => wanted === undefined || (each.sourceTypes as readonly string[]).includes(wanted),
  )
  const [live, { IMPORTERS }] = await Promise.all([
    liveSupply(engine, call.team.teamId),
    import('../../connectors/files/formats.ts'),
  ])
  const kindsFor = (provider: Provider): Record<string, string[]> => {
    const files = IMPORTERS.filter(each => each.provider === provider.slug).map(each => each.kinds ?? {})
    const kinds = joinedKinds([live.get(provider.slug)?.kinds ?? simulatedKinds(provider), ...files])
    return Object.fromEntries(Object.entries(kinds).map(([resource, names]) => [resource, [...names]]))
  }
  return ok(
    shown.map(each => ({
      name: each.name,
      slug: each.slug,
      description: each.description,
      logo: each.logo,
      auth_type: each.authType,
      supported_resources: [...(live.get(each.slug)?.resources ?? each.supportedResources)],
      regions: [...each.regions],
      mode: live.has(each.slug) ? ('live' as const) : ('simulated' as const),
      value_kinds: kindsFor(each),
    })),
  )
}

interface Supplied {
  readonly resources: readonly string[]
  readonly kinds: SuppliedKinds
}

/** Returns what each of the team's live providers can supply, by slug, given the scopes that its OAuth app requests. */
async function liveSupply(engine: EngineContext, teamId: TeamId): Promise<ReadonlyMap<string, Supplied>> {
  const supplied = (await engine.store.live.oauthApps.list(teamId)).map(async ({ provider, scopes: requested }) => {
    const connector = await liveConnector(provider)
    if (connector === null) return []
    const { scopes } = connector
    const supply = { scopes, supportedResources: connector.resources }
    const resources = availableResources(supply, splitScopes(scopes, requested))
    const kinds = Object.fromEntries(Object.entries(connector.kinds).filter(([name]) => resources.includes(name)))
    return [[provider, { resources, kinds }] as const]
  })
  return new Map((await Promise.all(supplied)).flat())
}
