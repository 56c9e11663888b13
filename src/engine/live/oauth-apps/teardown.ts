/** Removes an OAuth app. Removal is refused while there are live connections, unless they are disconnected at the same time. */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { LiveConnectionRecord } from '../../../store/live/connections.ts'
import type { OAuthAppRecord } from '../../../store/live/oauth-apps.ts'
import { knownProvider } from '../../connections/providers.ts'
import { type EngineContext, type Handler, ok } from '../../context.ts'
import { revokeSoon } from '../revoke.ts'
import { removeSubscriptions } from '../subscriptions.ts'
import { notSetUp } from './oauth-apps.ts'

const AT_ONCE = 100

export const teardownProvider: Handler<'provider.teardown'> = async (engine, { params, query }, call) => {
  const { slug } = knownProvider(engine, params.provider, ['path', 'provider'])
  const { teamId } = call.team
  const { oauthApps } = engine.store.live
  const oauthApp = await oauthApps.find(teamId, slug)
  if (oauthApp === null) throw notSetUp(slug)
  const ended = query.disconnect ? await disconnectAll(engine, oauthApp) : NOTHING
  const isFree = query.disconnect || (await engine.store.live.pulls.list(teamId, slug, null, 1)).length === 0
  if (isFree) await removeSubscriptions(engine, oauthApp)
  const left = await oauthApps.remove(teamId, slug)
  if (left === null) throw notSetUp(slug)
  if (left > 0) throw stillConnected(slug, left)
  return ok({ provider: slug, disconnected: ended.disconnected, not_revoked: ended.notRevoked })
}

const NOTHING = { disconnected: 0, notRevoked: 0 }

async function disconnectAll(engine: EngineContext, { teamId, provider }: OAuthAppRecord): Promise<typeof NOTHING> {
  let disconnected = 0
  let notRevoked = 0
  for (;;) {
    const some = await engine.store.live.pulls.list(teamId, provider, null, AT_ONCE)
    if (some.length === 0) return { disconnected, notRevoked }
    for (const { userId } of some) await engine.store.connections.remove(userId, provider)
    disconnected += some.length
    notRevoked += await countRevoked(engine, teamId, some)
  }
}

/** Revokes the access of some connections. Returns the number of connections whose access was not revoked. */
async function countRevoked(
  engine: EngineContext,
  teamId: TeamId,
  some: readonly LiveConnectionRecord[],
): Promise<number> {
  const userIds = some.map(each => each.userId)
  const provider = some[0]?.provider
  await revokeSoon(engine, userIds)
  const waiting = await engine.store.live.tokenSets.revoking(Number.MAX_SAFE_INTEGER, userIds, userIds.length)
  const left = waiting.filter(each => each.teamId === teamId && each.provider === provider)
  // without the OAuth app, the access cannot be revoked
  for (const tokenSet of left) await engine.store.live.tokenSets.remove(tokenSet)
  return left.length
}

function stillConnected(provider: string, count: number): ServiceError {
  const words = count === 1 ? '1 live connection uses' : `${count} live connections use`
  return new ServiceError('conflict', `${words} the OAuth app for ${provider}.`, {
    suggestions: [
      `To disconnect them and end their access at the provider: svc provider teardown ${provider} --disconnect`,
    ],
  })
}
