/** Events: changes to a team's data, in packed form, and the state of their deliveries. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch } from '../core/sample.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** `kind` of a document whose `data` is sent as it is. */
export const READY = 'ready'

/** An event's content: samples as they were packed, or a document that is rendered according to its type. */
export type EventData =
  | { readonly kind: 'samples'; readonly batch: SampleBatch; readonly seriesId: number }
  | { readonly kind: 'document'; readonly document: Readonly<Record<string, unknown>> }

/** An event as it is stored. It never changes, so that it always renders the same bytes. */
export interface OutboxEvent {
  readonly eventId: string
  readonly userId: UserId
  readonly teamId: TeamId
  /** Increases by one within a user. */
  readonly sequence: number
  /**
   * Increases with every transaction of the team, independently of the engine's clock. Together with `sequence`, it orders the team's
   * events. 0: the event is kept only for undoing an import, and is never shown. Before the event has its position in that order
   * (EventStore), this value is not a position.
   */
  readonly arrival: number
  readonly type: string
  /** Time by the engine's clock. */
  readonly at: EpochMs
  /** The user's `client_user_id` at that time. */
  readonly clientUserId: string
  /** The date that decided which deprecations applied at that time. */
  readonly compatibilityDate: IsoDate
  readonly data: EventData
}

/** A position in the order of a team's events: after the event with these two values. */
export type EventPosition = Pick<OutboxEvent, 'arrival' | 'sequence'>

/** An event's delivery state. `failing`: waiting after a failure. `pending`: waiting, whether or not it has failed before. */
export type DeliveryFilter = 'pending' | 'failing' | 'delivered' | 'dead'

export interface EventQuery {
  readonly teamId: TeamId
  /** Patterns of event types (`matchesType` in the catalogue), one of which the type must match; null for every type. */
  readonly types: readonly string[] | null
  readonly userId: UserId | null
  /** Bounds on `at`, inclusive. */
  readonly since: EpochMs | null
  readonly until: EpochMs | null
  /** Only events with a delivery in this state (to the endpoint, if one is given). */
  readonly state: DeliveryFilter | null
  /** Only events with a delivery to this endpoint, in any state. */
  readonly endpointId: string | null
  readonly order: 'asc' | 'desc'
  /** The position at which the previous page ended. */
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

/** One attempt at a delivery; `error` is null if it succeeded. */
export interface AttemptRecord {
  readonly number: number
  readonly at: EpochMs
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

/** The state of an event's delivery to one endpoint. */
export interface EventDelivery {
  readonly endpointId: string
  readonly url: string
  readonly state: DeliveryState
  /** Oldest first. */
  readonly attempts: readonly AttemptRecord[]
  /** Time by the engine's clock; null if no attempt is scheduled. */
  readonly nextAttemptAt: EpochMs | null
}

/** An event that is not caused by a data change: a test of an endpoint, or an explicitly requested event. */
export interface NewEvent {
  readonly teamId: TeamId
  readonly type: string
  /** `data` of the webhook body, sent as it is. */
  readonly data: unknown
  readonly at: EpochMs
  /** The endpoints that receive the event, regardless of their event types; null for those that subscribe to its type. */
  readonly endpointIds: readonly string[] | null
}
