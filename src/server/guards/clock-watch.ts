/** Detects when any process moves the engine's clock or replaces the store's whole state. */
import type { EngineContext } from '../../engine/context.ts'
import { startWatch, type Watch } from './look.ts'

/** Interval between checks. A check costs a few microseconds, because it reads only memory unless something was committed. */
const LOOK_MS = 150

export function watchClock({ store }: EngineContext, onMove: () => void): Watch {
  let known: string | undefined
  const watch = startWatch(LOOK_MS, async () => {
    try {
      const [{ offsetMs, frozenAt }, epoch] = await Promise.all([store.clock.read(), store.snapshots.epoch()])
      const found = `${offsetMs} ${frozenAt} ${epoch}`
      if (known !== undefined && known !== found) onMove()
      known = found
    } catch {
      // callers' operations report problems with the store
    }
  })
  void watch.look()
  return watch
}
