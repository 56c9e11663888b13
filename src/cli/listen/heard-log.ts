/** The events that were heard, by their numbers. */
import type { HeardEvent, HeardState, ServiceEvent } from './heard-event.ts'

/** Older ones cannot be inspected or sent again any more. */
const MOST_REMEMBERED = 1_000

export class HeardLog {
  private readonly recent = new Map<number, HeardEvent>()
  private lastShown: HeardEvent | undefined
  /** How many there were. */
  count = 0

  /** `state` is that of an event nothing was done about yet. */
  add({ payload: _, ...event }: ServiceEvent, state: HeardState): HeardEvent {
    this.count += 1
    const heard: HeardEvent = { number: this.count, event, attempts: [], state }
    this.recent.set(heard.number, heard)
    this.recent.delete(this.count - MOST_REMEMBERED)
    return heard
  }

  /** A line of it is on the screen: what `r` and `i` go by. */
  shown(heard: HeardEvent): void {
    this.lastShown = heard
  }

  get last(): HeardEvent | undefined {
    return this.lastShown
  }

  find(number: number): HeardEvent | undefined {
    return this.recent.get(number)
  }

  /** When the first one happened that is neither delivered nor given up. */
  get firstWaitingAt(): string | undefined {
    for (const { state, event } of this.recent.values()) if (state === 'waiting') return event.at
    return undefined
  }
}
