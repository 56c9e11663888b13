/** Gives events their position in the team's order after their commit, like a store that distributes users over several machines. */
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import type { EventPosition, EventQuery, ListedEvent } from '../../../src/store/event.ts'
import type { Store } from '../../../src/store/port.ts'
import { until } from '../until.ts'

type EventStore = Store['events']

/** Returns the next delay in milliseconds. */
export type Delay = () => number

/** The visible events of one team. */
interface Order {
  /** Events up to here are visible. */
  visible: number
  /** Events up to here are visible, or it is known when they will be. */
  known: number
  /** In order: no event becomes visible before its predecessors. */
  readonly waiting: { readonly arrival: number; readonly at: number }[]
  /** Checks run one after the other, so that an older state is never mistaken for a restored one. */
  look: Promise<number>
}

export class EventPositions {
  private readonly committed: EventStore
  private readonly delay: Delay
  private readonly orders = new Map<TeamId, Order>()

  constructor(committed: EventStore, delay: Delay) {
    this.committed = committed
    this.delay = delay
  }

  /** Returns events whose lists and ends include only those with a position. The other calls use all committed events. */
  over(events: EventStore): EventStore {
    return {
      list: query => this.list(query),
      end: (teamId, userId) => this.end(teamId, userId),
      find: (teamId, eventId) => events.find(teamId, eventId),
      positionOf: (teamId, eventId) => events.positionOf(teamId, eventId),
      emit: (userId, event) => events.emit(userId, event),
      lastOfUser: userId => events.lastOfUser(userId),
      ofUser: (userId, after, limit) => events.ofUser(userId, after, limit),
      removeOld: (userId, now) => events.removeOld(userId, now),
    }
  }

  /** Waits until every committed event of the team is visible. */
  async settled(teamId: TeamId): Promise<void> {
    const { arrival } = await this.committed.end(teamId, null)
    await until(async () => (await this.lastVisible(teamId)) >= arrival, { everyMs: 1 })
  }

  private async list(query: EventQuery): Promise<readonly ListedEvent[]> {
    const visible = await this.lastVisible(query.teamId)
    const shown: ListedEvent[] = []
    for (let { after } = query; ; ) {
      const found = await this.committed.list({ ...query, after })
      shown.push(...found.filter(each => each.event.arrival <= visible))
      if (found.length < query.limit || shown.length >= query.limit) return shown.slice(0, query.limit)
      after = found.at(-1)?.event ?? null
    }
  }

  private async end(teamId: TeamId, userId: UserId | null): Promise<EventPosition> {
    const arrival = await this.lastVisible(teamId)
    const end = await this.committed.end(teamId, userId)
    if (end.arrival <= arrival) return end
    if (userId === null) return { arrival, sequence: Number.MAX_SAFE_INTEGER }
    const position = { arrival, sequence: end.sequence }
    const [hidden] = await this.committed.list({ ...EVERY, teamId, userId, after: position })
    return { arrival, sequence: hidden ? hidden.event.sequence - 1 : end.sequence }
  }

  /** Returns the last visible arrival. Events committed since the last check get a position after a delay. */
  private lastVisible(teamId: TeamId): Promise<number> {
    let order = this.orders.get(teamId)
    if (!order) {
      order = { visible: 0, known: 0, waiting: [], look: Promise.resolve(0) }
      this.orders.set(teamId, order)
    }
    const own = order
    const look = async () => this.lookAt(own, (await this.committed.end(teamId, null)).arrival)
    own.look = own.look.then(look, look)
    return own.look
  }

  private lookAt(order: Order, last: number): number {
    const now = performance.now()
    // the state was replaced, or the last events were removed
    if (last < order.known) {
      order.waiting.splice(0)
      order.known = last
      order.visible = Math.min(order.visible, last)
    }
    if (last > order.known) {
      order.known = last
      order.waiting.push({ arrival: last, at: Math.max(now + this.delay(), order.waiting.at(-1)?.at ?? 0) })
    }
    for (let next = order.waiting[0]; next && next.at <= now; next = order.waiting[0]) {
      order.visible = next.arrival
      order.waiting.shift()
    }
    return order.visible
  }
}

const EVERY = {
  types: null,
  since: null,
  until: null,
  state: null,
  endpointId: null,
  order: 'asc',
  limit: 1,
} as const satisfies Partial<EventQuery>
