/** Notices when any process moves the engine's clock or replaces the whole state of the store. */
import type { EngineContext } from '../../engine/context.ts'

export interface ClockWatch {
  stop(): void
}

/** A look costs a few microseconds: it is answered from memory unless something was committed. */
const LOOK_MS = 150

export function watchClock({ store }: EngineContext, onMove: () => void): ClockWatch {
  let known: string | undefined
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      const [{ offsetMs, frozenAt }, epoch] = await Promise.all([store.clock(), store.snapshots.epoch()])
      const found = `${offsetMs} ${frozenAt} ${epoch}`
      if (known !== undefined && known !== found) onMove()
      known = found
    } catch {
      // a problem with the store is reported to whoever calls an operation
    } finally {
      isLooking = false
    }
  }
  void look()
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
