/** Notices that the database of a running server was removed, replaced or emptied, says so once, and says when it is back. */
import { ServiceError } from '../../core/errors.ts'
import type { EngineContext } from '../../engine/context.ts'

export interface StoreWatch {
  stop(): void
}

const LOOK_MS = 1_000

/** Begins to look; each look also makes the store refuse, or take again, whatever is asked for next. */
export function watchStore(
  { store }: EngineContext,
  { log, lookMs = LOOK_MS }: { readonly log: (line: string) => void; readonly lookMs?: number },
): StoreWatch {
  let isLost = false
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    const lost = await store.ping().then(() => null, lossOf)
    isLooking = false
    if (lost !== null && !isLost) log(`${lost.code}: ${lost.message} ${lost.suggestions.join(' ')}`)
    if (lost === null && isLost) log('the database is back: going on')
    isLost = lost !== null
  }
  const timer = setInterval(() => void look(), lookMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** A busy store or a full disk is told by whoever stumbles over it. */
function lossOf(error: unknown): ServiceError | null {
  const isLoss = error instanceof ServiceError && (error.code === 'store_lost' || error.code === 'data_damaged')
  return isLoss ? error : null
}
