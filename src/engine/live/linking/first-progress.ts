/** Creates a new live connection's initial progress: nothing has been pulled yet, and the history is due immediately. */
import type { LiveConnector } from '../../../connectors/live/live-connector.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { LiveConnectionRecord } from '../../../store/live/connections.ts'

/** Returns the progress of all collections that the granted scopes allow. `now` is real time. */
export function firstProgress(
  { collections }: LiveConnector,
  granted: readonly string[],
  now: EpochMs,
): LiveConnectionRecord['progress'] {
  return Object.fromEntries(
    collections
      .filter(each => each.scopes.every(scope => granted.includes(scope)))
      .map(({ name, historyDays }) => [
        name,
        {
          reached: now,
          until: now,
          goal: Number.isFinite(historyDays) ? now - historyDays * DAY_MS : null,
          isComplete: false,
          empty: 0,
          dueAt: now,
          failures: 0,
          lastError: null,
          lastPullAt: null,
          received: 0,
          unmapped: {},
        },
      ]),
  )
}
