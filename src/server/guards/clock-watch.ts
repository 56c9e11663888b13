/** Notices that the engine's clock was moved, or the whole state replaced, by whichever process. */
import type { EngineContext } from '../../engine/context.ts'

export interface ClockWatch {
  stop(): void
}

/** A look costs some microseconds: while nothing was committed it is answered from memory. */
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
      // who is asked for something is told what is wrong with the store
    } finally {
      isLooking = false
    }
  }
  void look()
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
