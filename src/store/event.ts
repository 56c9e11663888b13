/** Events: changes to a team's data in packed form, and the state of their deliveries. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch } from '../core/sample.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** `kind` of a document whose `data` is sent unchanged. */
export const READY = 'ready'

/** An event's content: samples as they were packed, or a document that is rendered according to its type. */
export type EventData =
  | { readonly kind: 'samples'; readonly batch: SampleBatch; readonly seriesId: number }
  | { readonly kind: 'document'; readonly document: Readonly<Record<string, unknown>> }

/** An event as stored. It never changes, so that it always renders to the same bytes. */
export interface OutboxEvent {
  readonly eventId: string
  readonly userId: UserId
  readonly teamId: TeamId
  /** Increases by one with each event of a user. */
  readonly sequence: number
  /**
   * Increases with every transaction of the team, independently of the engine's clock. Together with `sequence`, it determines the order of
   * the team's events. 0 means that the event is kept only to undo an import and is never shown. Until the event has its position in the
   * order (EventStore), this value is not a position.
   */
  readonly arrival: number
  readonly type: string
  /** Time by the engine's clock. */
  readonly at: EpochMs
  /** The user's `client_user_id` at that time. */
  readonly clientUserId: string
  /** The date that determined which deprecations applied at that time. */
  readonly compatibilityDate: IsoDate
  readonly data: EventData
}

/** A position in the order of a team's events: directly after the event with these two values. */
export type EventPosition = Pick<OutboxEvent, 'arrival' | 'sequence'>

/**
 * The delivery state to filter by. `failing` means waiting after a failure, and `pending` means waiting whether or not there was a failure.
 */
export type DeliveryFilter = 'pending' | 'failing' | 'delivered' | 'dead'

export interface EventQuery {
  readonly teamId: TeamId
  /** Patterns of event types (`matchesType` in the catalogue), at least one of which must match the type. Null for every type. */
  readonly types: readonly string[] | null
  readonly userId: UserId | null
  /** Inclusive bounds for `at`. */
  readonly since: EpochMs | null
  readonly until: EpochMs | null
  /** Selects only events with a delivery in this state, to the given endpoint if there is one. */
  readonly state: DeliveryFilter | null
  /** Selects only events with a delivery to this endpoint, in any state. */
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

/** One attempt of a delivery. `error` is null if the attempt succeeded. */
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
  /** Attempts, oldest first. */
  readonly attempts: readonly AttemptRecord[]
  /** Time by the engine's clock, or null if no attempt is scheduled. */
  readonly nextAttemptAt: EpochMs | null
}

/** An event that was not caused by a change of data: an endpoint test, or an event that was explicitly requested. */
export interface NewEvent {
  readonly teamId: TeamId
  readonly type: string
  /** The `data` of the webhook body, sent unchanged. */
  readonly data: unknown
  readonly at: EpochMs
  /** The endpoints that receive the event, whatever their event types. Null for the endpoints that subscribe to its type. */
  readonly endpointIds: readonly string[] | null
}
