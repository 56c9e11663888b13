/**
 * Detects when a running server's database is removed, replaced or emptied, or when the database server does not respond. Logs this once,
 * and logs when the database is back.
 */
import { ServiceError } from '../../core/errors.ts'
import type { EngineContext } from '../../engine/context.ts'
import { startWatch, type Watch } from './look.ts'

const LOOK_MS = 1_000

export interface StoreWatchOptions {
  readonly log: (line: string) => void
  /** Called when the database is back. */
  readonly onBack?: () => void
  readonly lookMs?: number
}

export interface StoreWatch extends Watch {
  /** Reports an error to the watch. Returns true, and logs the problem, if the database server does not respond. */
  report(error: unknown): boolean
}

/** Starts checking. Each check also decides whether the store refuses or accepts later calls. */
export function watchStore(
  { store }: EngineContext,
  { log, onBack = () => {}, lookMs = LOOK_MS }: StoreWatchOptions,
): StoreWatch {
  let isLost = false
  const watch = startWatch(lookMs, async () => {
    const lost = await store.upkeep.ping().then(() => null, findLoss)
    if (lost !== null && !isLost) log(`${lost.code}: ${lost.message} ${lost.suggestions.join(' ')}`)
    const isBack = lost === null && isLost
    isLost = lost !== null
    if (!isBack) return
    log('the database is back: the server continues')
    onBack()
  })
  return {
    ...watch,
    report(error) {
      if (!(error instanceof ServiceError) || error.code !== 'store_unreachable') return false
      void watch.look()
      return true
    },
  }
}

const LOSSES: readonly string[] = ['store_lost', 'store_unreachable', 'data_damaged']

/** Returns the error if the store is lost. The affected calls report a busy store or a full disk. */
function findLoss(error: unknown): ServiceError | null {
  return error instanceof ServiceError && LOSSES.includes(error.code) ? error : null
}
