/** Notices when the database of a running server is removed, replaced or emptied. Logs it once, and logs when it is back. */
import { ServiceError } from '../../core/errors.ts'
import type { EngineContext } from '../../engine/context.ts'

export interface StoreWatch {
  stop(): void
}

const LOOK_MS = 1_000

/** Starts looking. Each look also makes the store refuse or accept the calls that follow. */
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
    if (lost === null && isLost) log('the database is back: the server continues')
    isLost = lost !== null
  }
  const timer = setInterval(() => void look(), lookMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** A busy store or a full disk is reported by whichever call meets it. */
function lossOf(error: unknown): ServiceError | null {
  const isLoss = error instanceof ServiceError && (error.code === 'store_lost' || error.code === 'data_damaged')
  return isLoss ? error : null
}
