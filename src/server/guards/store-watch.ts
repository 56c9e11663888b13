/** Notices when the database of a running server is removed, replaced or emptied. Logs it once, and logs when it is back. */
import { ServiceError } from '../../core/errors.ts'
import type { EngineContext } from '../../engine/context.ts'
import { type Watch, watching } from './look.ts'

const LOOK_MS = 1_000

/** Starts looking. Each look also makes the store refuse or accept the calls that follow. */
export function watchStore(
  { store }: EngineContext,
  { log, lookMs = LOOK_MS }: { readonly log: (line: string) => void; readonly lookMs?: number },
): Watch {
  let isLost = false
  return watching(lookMs, async () => {
    const lost = await store.upkeep.ping().then(() => null, lossOf)
    if (lost !== null && !isLost) log(`${lost.code}: ${lost.message} ${lost.suggestions.join(' ')}`)
    if (lost === null && isLost) log('the database is back: the server continues')
    isLost = lost !== null
  })
}

/** A busy store or a full disk is reported by whichever call meets it. */
function lossOf(error: unknown): ServiceError | null {
  const isLoss = error instanceof ServiceError && (error.code === 'store_lost' || error.code === 'data_damaged')
  return isLoss ? error : null
}
