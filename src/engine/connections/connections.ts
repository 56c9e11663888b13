/** Shows a user's connections, disconnects them, and makes them fail on request. See docs/interface/connections.md#connections-2. */
import { availableResources, resourceAvailability, type Supply } from '../../catalogue/resource-availability.ts'
import { liveConnector } from '../../connectors/live/live-connectors.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { formatInstant } from '../../core/time.ts'
import type { ConnectionRecord } from '../../store/data-write.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { activeUser, providerSummary } from '../users/users.ts'
import { knownProvider } from './providers.ts'

type ProviderEntry = ReplyBody<Operations['provider.fail']>

/** Default message for each error type, used if a failure has no message. */
const MESSAGES: Readonly<Record<string, string>> = {
  token_refresh_failed: "The provider refused to refresh this connection's tokens",
  webhook_registration_failed: 'The provider refused to send notifications about new data for this connection',
  user_not_found: 'The provider no longer knows the account',
  deregistered_per_provider: 'The account was disconnected at the provider',
  required_scopes_not_granted: 'A scope that the connection needs was withdrawn at the provider',
  provider_credential_error: 'The provider no longer accepts the credentials',
  provider_password_expired: 'The provider requires a new password',
  unknown: 'The provider refused access without giving a reason',
}

export const userProviders: Handler<'user.providers'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const connections = await listUserConnections(engine, user.userId)
  return ok({ providers: await Promise.all(connections.map(each => providerEntry(engine, each))) })
}

export const disconnectProvider: Handler<'user.disconnect'> = async (engine, { params }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const known = (await listUserConnections(engine, user.userId)).find(each => each.provider === params.provider)
  if (!(await engine.store.connections.remove(user.userId, params.provider)))
    throw notConnected(engine, params.provider)
  if (known?.isLive) {
    const { revokeSoon } = await import('../live/revoke.ts')
    await revokeSoon(engine, [user.userId])
  }
  return ok({ success: true })
}

/** Makes a connection fail. A connection that is already failed or paused fails again, with another event. */
export const failConnection: Handler<'provider.fail'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const error = {
    type: body.error_type,
    message: body.error_message ?? String(MESSAGES[body.error_type]),
    at: call.now,
  }
  const failed = await engine.store.connections.fail(user.teamId, user.userId, params.provider, error)
  const connection = (await listUserConnections(engine, user.userId)).find(each => each.provider === params.provider)
  if (!failed || !connection) throw notConnected(engine, params.provider)
  return ok(await providerEntry(engine, connection))
}

/** Returns the user's connections, oldest first. */
export async function listUserConnections(engine: EngineContext, userId: UserId): Promise<readonly ConnectionRecord[]> {
  return (await engine.store.connections.ofUsers([userId])).get(userId) ?? []
}

/**
 * Returns the resources that a connection supplies: those whose required scopes the user has granted. See
 * docs/interface/connections.md#connections-4.
 */
export async function suppliedResources(engine: EngineContext, connection: ConnectionRecord): Promise<string[]> {
  const supply = await findSupply(engine, connection)
  return supply ? availableResources(supply, connection.scopes) : []
}

async function readAvailability(
  engine: EngineContext,
  connection: ConnectionRecord,
): Promise<ProviderEntry['resource_availability']> {
  const supply = await findSupply(engine, connection)
  return supply ? resourceAvailability(supply, connection.scopes) : {}
}

/** Returns a provider's scopes and resources, from its connector if it is live or otherwise from the catalogue. */
export async function findSupply(
  { providers }: EngineContext,
  { provider, isLive }: Pick<ConnectionRecord, 'provider' | 'isLive'>,
): Promise<Supply | undefined> {
  const connector = isLive ? await liveConnector(provider) : null
  return connector ? { scopes: connector.scopes, supportedResources: connector.resources } : providers.find(provider)
}

/** Returns the 404 error for a provider that the user has not connected. Throws a 422 for an unknown slug. */
function notConnected(engine: EngineContext, slug: string): ServiceError {
  knownProvider(engine, slug, ['path', 'provider'])
  return new ServiceError('not_found', `The user has no connection to ${slug}.`, {
    suggestions: ['`svc provider list --user USER` lists the connections of a user.'],
  })
}

async function providerEntry(engine: EngineContext, connection: ConnectionRecord): Promise<ProviderEntry> {
  const { provider: slug, error } = connection
  return {
    ...providerSummary(engine.providers, slug),
    status: connection.status,
    created_on: formatInstant(connection.createdOn),
    external_user_id: connection.externalUserId,
    resource_availability: await readAvailability(engine, connection),
    error_details: error && {
      error_type: error.type,
      error_message: error.message,
      errored_at: formatInstant(error.at),
    },
    mode: connection.isLive ? 'live' : 'simulated',
  }
}
