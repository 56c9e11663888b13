/** Finds the session of a source at a time. */
import { getOrInsert } from '../../../core/maps.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { Session } from '../../shared/summaries.ts'

/** Sessions by source, each list in chronological order. Of sessions that overlap, the one that began last is found. */
export class SessionIndex<Each extends Session> {
  private readonly lists = new Map<string, Each[]>()
  private isSorted = true

  add(source: string, session: Each): void {
    getOrInsert(this.lists, source, () => []).push(session)
    this.isSorted = false
  }

  /** Returns the session that was running at this time, of the given source. */
  find(source: string, start: EpochMs, end: EpochMs): Each | undefined {
    if (!this.isSorted) for (const list of this.lists.values()) list.sort((a, b) => a.start - b.start)
    this.isSorted = true
    const list = this.lists.get(source) ?? []
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((list[middle]?.start ?? 0) <= start) low = middle + 1
      else high = middle
    }
    const found = list[low - 1]
    return found !== undefined && end <= found.end ? found : undefined
  }
}
