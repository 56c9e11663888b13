/**
 * Empties the store and removes all former content from its files. Access at providers is revoked first, because it cannot be revoked
 * later.
 */
import { type EngineContext, type Handler, ok } from '../context.ts'
import { cancellable, replacedView } from './snapshot.ts'

/** How long the last step waits for readers of older data, in real time. */
const WAIT_MS = 5_000

export const resetEngine: Handler<'engine.reset'> = async (engine, _input, call) => {
  const notRevoked = await revokeAccess(engine, call.signal)
  const replaced = await cancellable(call, () => engine.store.snapshots.reset(call.signal))
  // from here on, the store is empty, even if the caller disconnects
  const outcome = await engine.store.upkeep.scrub({ waitMs: WAIT_MS })
  return ok({ ...(await replacedView(engine, replaced)), scrubbed: outcome === 'clean', not_revoked: notRevoked })
}

/** Revokes access at providers. Returns the number of connections whose access could not be revoked. */
async function revokeAccess(engine: EngineContext, signal: AbortSignal | undefined): Promise<number> {
  if ((await engine.store.live.oauthApps.list(null)).length === 0) return 0
  const { revokeEverything } = await import('../live/revoke.ts')
  return revokeEverything(engine, signal)
}
