/** The events of the team as they happen: pages of `event.list`, one after the other, for as long as anybody listens. */
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.ts'
import { type Chance, lossWaitMs } from './backoff.ts'
import type { ServiceEvent } from './heard-event.ts'

export interface EventPage<Event> {
  readonly data: readonly Event[]
  /** Where to go on, also after an empty page. */
  readonly next_cursor: string | null
}

/** A null cursor is the beginning that was asked for; `fresh`, the list began anew with what happened from then on. */
export interface FeedPlace {
  readonly cursor: string | null
  readonly fresh: boolean
}

interface FeedOptions<Event> {
  /** One page, oldest first. */
  readonly page: (at: FeedPlace) => Promise<EventPage<Event>>
  /** Between two looks when there was nothing new. */
  readonly idleMs: number
  readonly signal: AbortSignal
  readonly chance: Chance
  /** The first page was answered: from here on nothing is missed. */
  readonly onReady: () => void
  /** Once a loss, and once when it is over. */
  readonly onLost: (reason: ServiceError) => void
  readonly onBack: () => void
  /** The place in the list is not known any more, for the store was put in another's place. */
  readonly onReplaced: () => void
}

/**
 * Ends when the signal is aborted. A service that cannot be reached at the very first call throws; one that goes away later is
 * waited for. Throws every other ServiceError.
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
      await pause(lossWaitMs(losses, options.chance), signal)
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

/** Ends early, and without a word, when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}

/** What passes: the network, a server that fails or is asked too often, a store that somebody else holds. */
function isLoss(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  return error.category === 'network' || error.code === 'rate_limited' || error.code === 'bad_response'
}

function isReplaced(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'invalid_cursor'
}
