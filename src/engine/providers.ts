/** Providers: the catalogue's list, and what a user connected (interface.md 2.2, 4.4). */
import { PROVIDERS, providerNamed } from '../catalogue/providers.ts'
import { SOURCE_TYPES } from '../catalogue/source-types.ts'
import { didYouMean, invalid } from '../core/errors.ts'
import { formatInstant } from '../core/time.ts'
import { type Handler, ok } from './context.ts'
import { activeUser, providerSummary } from './users.ts'

/** Throws 422 `unknown_provider` naming the nearest slugs, its `loc` as given. */
export function knownProvider(slug: string, loc: readonly (string | number)[]) {
  const provider = providerNamed(slug)
  if (provider) return provider
  const slugs = PROVIDERS.map(each => each.slug)
  const msg = `"${slug}" is not one of the known providers.${didYouMean(slug, slugs)} Allowed: ${slugs.join(', ')}`
  throw invalid([{ loc, msg, type: 'enum' }], 'unknown_provider')
}

export const listProviders: Handler<'provider.list'> = async (_engine, { query }) => {
  const wanted = query.source_type
  if (wanted !== undefined && !(SOURCE_TYPES as readonly string[]).includes(wanted)) {
    const msg = `must be one of the source types: ${SOURCE_TYPES.join(', ')}.${didYouMean(wanted, SOURCE_TYPES)}`
    throw invalid([{ loc: ['query', 'source_type'], msg, type: 'enum' }])
  }
  const shown = PROVIDERS.filter(
    each => wanted === undefined || (each.sourceTypes as readonly string[]).includes(wanted),
  )
  return ok(
    shown.map(each => ({
      name: each.name,
      slug: each.slug,
      description: each.description,
      logo: each.logo,
      auth_type: each.authType,
      supported_resources: [...each.supportedResources],
      regions: [...each.regions],
    })),
  )
}

export const userProviders: Handler<'user.providers'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const connections = (await engine.store.connections([user.userId])).get(user.userId) ?? []
  return ok({
    providers: connections.map(each => ({
      ...providerSummary(each.provider),
      status: each.status,
      created_on: formatInstant(each.createdOn),
      external_user_id: each.externalUserId,
      // providers without scopes have everything they supply (interface-gaps 2.2)
      resource_availability: Object.fromEntries(
        (providerNamed(each.provider)?.supportedResources ?? []).map(resource => [
          resource,
          { status: 'available' as const, scope_requirements: null },
        ]),
      ),
      error_details: null,
    })),
  })
}
