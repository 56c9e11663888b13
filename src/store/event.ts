/** Events: what happened to the data of a team's users, in packed form, and what became of sending them. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch } from '../core/sample.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** `kind` of a document whose `data` is sent as it is. */
export const READY = 'ready'

/** What an event carries: samples as they were packed, or a document that is rendered by its type. */
export type EventData =
  | { readonly kind: 'samples'; readonly batch: SampleBatch; readonly seriesId: number }
  | { readonly kind: 'document'; readonly document: Readonly<Record<string, unknown>> }

/** An event as it is kept. Nothing of it ever changes, so that it renders the same bytes for ever. */
export interface OutboxEvent {
  readonly eventId: string
  readonly userId: UserId
  readonly teamId: TeamId
  /** Ascends by one within a user. */
  readonly sequence: number
  /**
   * Ascends with every transaction of the team, wherever the engine's clock stands: with `sequence` the order of the team's
   * events. 0: kept for the undoing of an import alone, and shown to nobody.
   */
  readonly arrival: number
  readonly type: string
  /** By the engine's clock. */
  readonly at: EpochMs
  /** The user's name then. */
  readonly clientUserId: string
  /** The day whose deprecations applied then. */
  readonly compatibilityDate: IsoDate
  readonly data: EventData
}

/** A place in the order of a team's events: after the event with these two. */
export type EventPosition = Pick<OutboxEvent, 'arrival' | 'sequence'>

/** How the deliveries of an event stand: `failing` waits after a failure, `pending` waits whether it failed before or not. */
export type DeliveryFilter = 'pending' | 'failing' | 'delivered' | 'dead'

export interface EventQuery {
  readonly teamId: TeamId
  /** Patterns of event types (catalogue: `matchesType`), one of which it has; null: every type. */
  readonly types: readonly string[] | null
  readonly userId: UserId | null
  /** Bounds on `at`, inclusive. */
  readonly since: EpochMs | null
  readonly until: EpochMs | null
  /** Events with a delivery in this state (to the endpoint, where one is named). */
  readonly state: DeliveryFilter | null
  /** Events with a delivery to this endpoint, whatever its state. */
  readonly endpointId: string | null
  readonly order: 'asc' | 'desc'
  /** Where the last page ended. */
  readonly after: EventPosition | null
  readonly limit: number
}

export interface DeliveryCounts {
  readonly pending: number
  readonly delivered: number
  readonly dead: number
}

export interface ListedEvent {
  readonly event: OutboxEvent
  readonly deliveries: DeliveryCounts
}

export type DeliveryState = 'waiting' | 'delivered' | 'dead' | 'cancelled'

/** One attempt to deliver; `error` is null when it succeeded. */
export interface AttemptRecord {
  readonly number: number
  readonly at: EpochMs
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

/** How an event fared at one endpoint. */
export interface EventDelivery {
  readonly endpointId: string
  readonly url: string
  readonly state: DeliveryState
  /** Oldest first. */
  readonly attempts: readonly AttemptRecord[]
  /** By the engine's clock; null when none is to come. */
  readonly nextAttemptAt: EpochMs | null
}

/** An event that no change of data causes: a test of an endpoint, or one that was asked for as it is. */
export interface NewEvent {
  readonly teamId: TeamId
  readonly type: string
  /** `data` of the webhook body, as it is sent. */
  readonly data: unknown
  readonly at: EpochMs
  /** The endpoints that get it, whatever they ask for; null: those that ask for its type. */
  readonly endpointIds: readonly string[] | null
}

export interface EventStore {
  /** Events of active users, in the order of arrival or the other way round. */
  list(query: EventQuery): Promise<readonly ListedEvent[]>
  /** The event of an active user of the team, or null. */
  find(
    teamId: TeamId,
    eventId: string,
  ): Promise<{ readonly event: OutboxEvent; readonly deliveries: readonly EventDelivery[] } | null>
  /** Where the events of the team end now, or those of one user of it: what happens from then on follows. */
  end(teamId: TeamId, userId: UserId | null): Promise<EventPosition>
  /** Writes the event for the user. Throws ServiceError `user_not_found` when there is no such active user. */
  emit(userId: UserId, event: NewEvent): Promise<OutboxEvent>
  /** Events of a user after a sequence number, in order, those that nobody is shown included. */
  ofUser(userId: UserId, afterSequence: number, limit: number): Promise<readonly OutboxEvent[]>
  /**
   * Removes events of the user that are older than the team keeps them, with what was kept about their deliveries: those before
   * the first that is younger or that still waits for an endpoint. What an import that can be undone needs stays, and is shown to
   * nobody. Answers how many there were, and makes the next removal due.
   */
  removeOld(userId: UserId, now: EpochMs): Promise<number>
}
