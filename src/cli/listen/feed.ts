/** The live events of the team: reads pages of `event.list` one after the other until the listener stops. */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.ts'
import type { RandomSource } from '../../core/random.ts'
import { lossWaitMs } from './backoff.ts'
import type { ServiceEvent } from './heard-event.ts'

export interface EventPage<Event> {
  readonly data: readonly Event[]
  /** Cursor to continue from, even after an empty page. */
  readonly next_cursor: string | null
}

/**
 * A position in the feed. A null cursor means the start that the user chose; `fresh` means that the list starts over with new events only.
 */
export interface FeedPosition {
  readonly cursor: string | null
  readonly fresh: boolean
}

interface FeedOptions<Event> {
  /** One page, oldest first. */
  readonly page: (at: FeedPosition) => Promise<EventPage<Event>>
  /** Wait before the next request if there were no new events. */
  readonly idleMs: number
  readonly signal: AbortSignal
  readonly random: RandomSource
  /** Called when the first page has been read. From then on, no event is missed. */
  readonly onReady: () => void
  /** Called once when the service becomes unreachable, and once when it is reachable again. */
  readonly onLost: (reason: ServiceError) => void
  readonly onBack: () => void
  /** Called when the cursor is no longer valid because the store was replaced. */
  readonly onReplaced: () => void
}

/**
 * Reads the feed until the signal is aborted. Throws if the very first call cannot reach the service; waits if the service becomes
 * unreachable later. Throws every other ServiceError.
 */
export async function* eventFeed<Event extends ServiceEvent>(options: FeedOptions<Event>): AsyncGenerator<Event> {
  const { signal } = options
  let cursor: string | null = null
  let fresh = false
  let isReady = false
  let losses = 0
  while (!signal.aborted) {
    let page: EventPage<Event>
    try {
      page = await options.page({ cursor, fresh })
    } catch (error) {
      if (signal.aborted) return
      if (cursor !== null && isReplaced(error)) {
        options.onReplaced()
        cursor = null
        fresh = true
        continue
      }
      if (!isReady || !isLoss(error)) throw error
      if (losses === 0) options.onLost(error)
      await pause(lossWaitMs(losses, options.random), signal)
      losses += 1
      continue
    }
    if (losses > 0) options.onBack()
    losses = 0
    if (!isReady) options.onReady()
    isReady = true
    cursor = page.next_cursor ?? cursor
    for (const event of page.data) {
      if (signal.aborted) return
      yield event
    }
    if (page.data.length === 0) await pause(options.idleMs, signal)
  }
}

/** Returns early, without an error, when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}

/** Returns whether an error is temporary: the network, a failing or rate-limiting server, or a store that another process has locked. */
function isLoss(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  return error.category === 'network' || error.code === 'rate_limited' || error.code === 'bad_response'
}

function isReplaced(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'invalid_cursor'
}
