/** Empties the store and leaves nothing of its former contents in its files. */
import { type Handler, ok } from '../context.ts'
import { cancellable, replacedView } from './snapshot.ts'

/** How long the last step waits for readers of older data, in real time. */
const WAIT_MS = 5_000

export const resetEngine: Handler<'engine.reset'> = async (engine, _input, call) => {
  const replaced = await cancellable(call, () => engine.store.snapshots.reset(call.signal))
  // from here on the store is empty, whatever happens to the caller
  const outcome = await engine.store.upkeep.scrub({ waitMs: WAIT_MS })
  return ok({ ...(await replacedView(engine, replaced)), scrubbed: outcome === 'clean' })
}
