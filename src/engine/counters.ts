/** Counts in memory what a process does, and adds the counts to the store from time to time, so that no request waits for a counter. */
import { DAY_MS, type EpochMs, MINUTE_MS } from '../core/time.ts'
import type { Store } from '../store/port.ts'
import type { Count } from '../store/team.ts'
import type { EngineContext } from './context.ts'

/** How long counts are kept: the 14 days that are shown, and the current one. */
const KEPT_MS = 15 * DAY_MS

/** Counts that are not stored yet. A process that crashes loses them. */
export class Counters {
  private sums = new Map<string, Count>()
  private timer: NodeJS.Timeout | undefined

  readonly add = (count: Count): void => {
    const key = `${count.teamId} ${count.name} ${count.subject}`
    const known = this.sums.get(key)
    this.sums.set(key, known ? { ...known, n: known.n + count.n } : count)
  }

  /** Stores the counts every minute. Called by processes that keep running. */
  start(store: Store, now: () => EpochMs): void {
    this.timer = setInterval(() => void this.flush(store, now()), MINUTE_MS)
    this.timer.unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** Adds the counts to the hour of a real time. If this fails, they are kept for the next time. */
  async flush({ counters }: Pick<Store, 'counters'>, at: EpochMs): Promise<void> {
    if (this.sums.size === 0) return
    // always in the same order, so that processes that lock the same rows do not wait for each other in a circle
    const counts = [...this.sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
    this.sums = new Map()
    try {
      await counters.add(counts, at)
    } catch {
      // a counter must not make anything fail, and whatever is wrong with the store is reported by others
      for (const count of counts) this.add(count)
    }
  }
}

/** Removes counts that are no longer shown. Returns the number of removed rows. */
export function removeOldCounts({ store, wall }: EngineContext, signal?: AbortSignal): Promise<number> {
  return store.counters.removeOld(wall.now() - KEPT_MS, signal)
}
