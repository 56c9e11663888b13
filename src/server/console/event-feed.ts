/**
 * Sends each team's new events to its watchers. One loop per watched team reads the store, which other processes may also write to, and
 * sends every watcher the events that it requests, in the team's order.
 */
import { matchesType } from '../../catalogue/event-types.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { EventPosition, ListedEvent } from '../../store/event.ts'

/** The events that a watcher requests. */
export interface EventFilter {
  readonly teamId: TeamId
  /** Patterns of event types; null for every type. */
  readonly types: readonly string[] | null
  readonly userId: UserId | null
}

export interface Watcher {
  readonly filter: EventFilter
  /** Receives events in order. Resolves to whether the watcher accepts more now. If the call rejects, the same events are sent again. */
  readonly take: (events: readonly ListedEvent[]) => Promise<boolean>
}

export interface EventFeedOptions {
  /** Called with store errors; the feed then tries again. */
  readonly onError: (error: unknown) => void
  readonly lookMs?: number
}

const LOOK_MS = 500
/** Pause after a store error. */
const REST_MS = 5_000
const PAGE = 100

interface Watching {
  readonly watcher: Watcher
  /** The last event that the watcher has seen or skipped. */
  at: EventPosition
}

export class EventFeed {
  private readonly engine: EngineContext
  private readonly options: EventFeedOptions
  private readonly teams = new Map<TeamId, TeamFeed>()
  private isStopped = false

  constructor(engine: EngineContext, options: EventFeedOptions) {
    this.engine = engine
    this.options = options
  }

  /** Sends the watcher the events after this position. Returns a function that stops the watcher. */
  watch(watcher: Watcher, after: EventPosition): () => void {
    const { teamId } = watcher.filter
    let feed = this.teams.get(teamId)
    if (feed === undefined) {
      feed = new TeamFeed(this.engine, teamId, this.options)
      this.teams.set(teamId, feed)
    }
    const leave = feed.join({ watcher, at: after })
    return () => {
      leave()
      if (feed.isEmpty && this.teams.get(teamId) === feed) {
        feed.stop()
        this.teams.delete(teamId)
      }
    }
  }

  stop(): void {
    if (this.isStopped) return
    this.isStopped = true
    for (const feed of this.teams.values()) feed.stop()
    this.teams.clear()
  }
}

class TeamFeed {
  private readonly engine: EngineContext
  private readonly teamId: TeamId
  private readonly options: EventFeedOptions
  private readonly watching = new Set<Watching>()
  private timer: NodeJS.Timeout | undefined
  private isStopped = false
  private isLooking = false

  constructor(engine: EngineContext, teamId: TeamId, options: EventFeedOptions) {
    this.engine = engine
    this.teamId = teamId
    this.options = options
  }

  get isEmpty(): boolean {
    return this.watching.size === 0
  }

  join(watching: Watching): () => void {
    this.watching.add(watching)
    this.schedule(0)
    return () => this.watching.delete(watching)
  }

  stop(): void {
    this.isStopped = true
    clearTimeout(this.timer)
  }

  private schedule(ms: number): void {
    if (this.isStopped || this.isLooking) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.look(), ms)
    this.timer.unref()
  }

  private async look(): Promise<void> {
    this.isLooking = true
    let restMs = this.options.lookMs ?? LOOK_MS
    try {
      if (await this.advance()) restMs = 0
    } catch (error) {
      this.options.onError(error)
      restMs = REST_MS
    }
    this.isLooking = false
    this.schedule(restMs)
  }

  /** Moves all watchers forward. Watchers at the same position move together. Returns whether there may already be more events. */
  private async advance(): Promise<boolean> {
    // read before the lists, so that the lists contain everything up to this position
    const end = await this.engine.store.events.end(this.teamId, null)
    const behind = new Map<string, Watching[]>()
    for (const each of this.watching) {
      if (!isAfter(end, each.at)) continue
      const position = `${each.at.arrival} ${each.at.sequence}`
      behind.set(position, [...(behind.get(position) ?? []), each])
    }
    let isMore = false
    for (const group of behind.values()) if (await this.read(group, end)) isMore = true
    return isMore
  }

  /** Reads a page for watchers at the same position. Returns whether there is another page. */
  private async read(group: readonly Watching[], end: EventPosition): Promise<boolean> {
    const [first] = group
    if (first === undefined) return false
    const found = await this.engine.store.events.list({
      teamId: this.teamId,
      ...sharedFilter(group),
      since: null,
      until: null,
      state: null,
      endpointId: null,
      order: 'asc',
      after: first.at,
      limit: PAGE,
    })
    const last = found.length < PAGE ? end : (found.at(-1)?.event ?? end)
    const reached = isAfter(last, first.at) ? { arrival: last.arrival, sequence: last.sequence } : first.at
    let isMore = false
    for (const each of group) {
      if (!this.watching.has(each)) continue
      const fitting = found.filter(({ event }) => fits(each.watcher.filter, event))
      const takesMore = await each.watcher.take(fitting)
      each.at = reached
      if (takesMore && found.length === PAGE) isMore = true
    }
    return isMore
  }
}

/** Returns the store's filter. If every watcher wants only some types, the store omits events that no watcher wants. */
function sharedFilter(group: readonly Watching[]): { types: readonly string[] | null; userId: null } {
  const types = group.map(({ watcher }) => watcher.filter.types)
  return { types: types.includes(null) ? null : [...new Set(types.flatMap(each => each ?? []))], userId: null }
}

function fits({ types, userId }: EventFilter, event: ListedEvent['event']): boolean {
  if (userId !== null && event.userId !== userId) return false
  return types === null || types.some(pattern => matchesType(pattern, event.type))
}

function isAfter(a: EventPosition, b: EventPosition): boolean {
  return a.arrival > b.arrival || (a.arrival === b.arrival && a.sequence > b.sequence)
}
