/** Lists the catalogue's providers and looks them up. */
import { availableResources, splitScopes } from '../../catalogue/resource-availability.ts'
import { SOURCE_TYPES } from '../../catalogue/source-types.ts'
import { liveConnector } from '../../connectors/live/live-connectors.ts'
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
  const live = await liveResources(engine, call.team.teamId)
  return ok(
    shown.map(each => ({
      name: each.name,
      slug: each.slug,
      description: each.description,
      logo: each.logo,
      auth_type: each.authType,
      supported_resources: [...(live.get(each.slug) ?? each.supportedResources)],
      regions: [...each.regions],
      mode: live.has(each.slug) ? ('live' as const) : ('simulated' as const),
    })),
  )
}

/** Returns the resources that each of the team's live providers can supply, by slug, given the scopes that its OAuth app requests. */
async function liveResources(engine: EngineContext, teamId: TeamId): Promise<ReadonlyMap<string, readonly string[]>> {
  const supplied = (await engine.store.live.oauthApps.list(teamId)).map(async ({ provider, scopes: requested }) => {
    const connector = await liveConnector(provider)
    if (connector === null) return []
    const { scopes, resources } = connector
    const supply = { scopes, supportedResources: resources }
    return [[provider, availableResources(supply, splitScopes(scopes, requested))] as const]
  })
  return new Map((await Promise.all(supplied)).flat())
}
