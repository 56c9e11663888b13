/** The received events, by number. */
import type { HeardEvent, HeardState, ServiceEvent } from './heard-event.ts'

/** Maximum number of events to keep. Older events can no longer be inspected or resent. */
const MOST_REMEMBERED = 1_000

export class HeardLog {
  private readonly recent = new Map<number, HeardEvent>()
  private lastShown: HeardEvent | undefined
  /** Number of events received. */
  count = 0

  /** `state` is the initial state of the event. */
  add({ payload: _, ...event }: ServiceEvent, state: HeardState): HeardEvent {
    this.count += 1
    const heard: HeardEvent = { number: this.count, event, attempts: [], state }
    this.recent.set(heard.number, heard)
    this.recent.delete(this.count - MOST_REMEMBERED)
    return heard
  }

  /** Records that the event is on the screen, because `r` and `i` refer to the event shown last. */
  shown(heard: HeardEvent): void {
    this.lastShown = heard
  }

  get last(): HeardEvent | undefined {
    return this.lastShown
  }

  find(number: number): HeardEvent | undefined {
    return this.recent.get(number)
  }

  /** Returns the time of the first event that is neither delivered nor given up. */
  get firstWaitingAt(): string | undefined {
    for (const { state, event } of this.recent.values()) if (state === 'waiting') return event.at
    return undefined
  }
}
