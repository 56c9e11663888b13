/** Deliveries: how an event is sent to an endpoint, by which process, and with what result for each attempt. Part of the port (port.ts). */
import type { ClockState } from '../core/clock.ts'
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { OutboxEvent } from './event.ts'
import type { DisabledReason, EndpointRecord } from './webhook.ts'

/**
 * Number of slices into which all users are divided. Each slice belongs to one process at a time, which is the only process that delivers
 * for its users.
 */
export const SLICE_COUNT = 256

/** Returns how many slices each process holds while this many processes are alive. */
export function fairShare(living: number): number {
  return Math.ceil(SLICE_COUNT / living)
}

/** One event for one endpoint. */
export interface DeliveryKey {
  readonly userId: UserId
  readonly sequence: number
  readonly endpointId: string
}

/** One event that belongs to a user. */
export type EventKey = Pick<DeliveryKey, 'userId' | 'sequence'>

/** The result of one attempt. */
export interface Attempt {
  /** Time by the engine's clock. */
  readonly at: EpochMs
  /** Null if there was no response. */
  readonly status: number | null
  /** Null if the endpoint accepted the event. */
  readonly error: string | null
  readonly ms: number
}

/**
 * What follows an attempt: nothing, another attempt, or the end of the delivery. With `gone`, the endpoint is disabled too, because it has
 * responded that it is gone.
 */
export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly dueAt: EpochMs }
  /** `event` is the document of a `message.attempt.exhausted` event for the other endpoints, or null if no endpoint is notified. */
  | { readonly kind: 'exhausted'; readonly event: Readonly<Record<string, unknown>> | null }
  | { readonly kind: 'gone' }

/** The sealed request and response of an attempt, and the real time at which the attempt ended. */
export interface SealedExchange {
  readonly at: EpochMs
  readonly sealed: Uint8Array
}

/** Stored fields of one attempt. */
export interface KeptExchange extends SealedExchange, Pick<DeliveryKey, 'endpointId'> {
  /** The attempt's number within its delivery, starting at 1. */
  readonly number: number
}

export interface AttemptOutcome extends DeliveryKey {
  readonly teamId: TeamId
  /** ID of the process that leased the delivery. */
  readonly delivererId: string
  readonly attempt: Attempt
  readonly after: AfterAttempt
  /** Null if nothing was sent or stored. */
  readonly exchange: SealedExchange | null
}

/** The result of storing one user's outcomes. */
export interface KeptOutcomes {
  readonly outcomes: readonly AttemptOutcome[]
  /** Lost: the process no longer holds the user's slice, or the whole state was replaced. Nothing was stored. */
  readonly result: { readonly kind: 'stored' | 'lost' } | { readonly kind: 'failed'; readonly error: unknown }
}

/** A delivery that was leased to the process that requested it. */
export interface ClaimedDelivery extends DeliveryKey {
  /** Total number of attempts so far. */
  readonly attempts: number
  /** Number of attempts since the delivery first became due or was last resent. This is its position in the retry schedule. */
  readonly round: number
}

/** A process's request for deliveries to one endpoint. */
export interface ClaimRequest {
  readonly teamId: TeamId
  readonly endpointId: string
  /** Maximum number of deliveries. */
  readonly most: number
  /** Maximum number of users whose first attempts are leased, starting with the user after `afterUser`. */
  readonly users: number
  readonly afterUser: string
  /** Maximum number of first attempts that the process holds for one user. */
  readonly mostOfUser: number
  /** Number of first attempts that the process already holds for a user. 0 if a user is absent. */
  readonly inHand: ReadonlyMap<UserId, number>
}

export interface DeliveryTick {
  readonly delivererId: string
  /** The store's epoch (snapshot.ts) to which the outcomes belong. Outcomes from another epoch are not stored. */
  readonly epoch: number
  /** Real time. Leases of a process whose `aliveUntil` has passed are void. */
  readonly realNow: EpochMs
  readonly aliveUntil: EpochMs
  /**
   * Whether the process holds no leases and therefore cannot have lost any. If true, a process that the store does not know is registered.
   * If false, the tick of an unknown process is lost (`isLost`).
   */
  readonly holdsNothing: boolean
  /** Time by the engine's clock, which determines which deliveries are due. */
  readonly now: EpochMs
  /** Outcomes since the last tick, which show the health of endpoints. They are stored by `keep`. */
  readonly outcomes: readonly AttemptOutcome[]
  readonly requests: readonly ClaimRequest[]
  /**
   * Number of leases that the process expects to hold after these outcomes have been stored. If the store counts a different number,
   * `isHeld` looks up each lease. An attempt that ends while the tick is waiting still counts, because its lease stays until a later tick
   * stores its outcome.
   */
  readonly holds: number
  /**
   * All deliveries that the process knows it has leased, by `deliveryName`, if an earlier tick failed and may have leased more. Deliveries
   * that are not in this set are released. Null if no tick has failed.
   */
  readonly knownLeases: ReadonlySet<string> | null
  /**
   * Events that need not be returned with their deliveries' leases, by `eventName`, or null if no events should be returned. The set may
   * change while the tick is waiting, because an event that is missing from the result is read when it is sent.
   */
  readonly knownEvents: ReadonlySet<string> | null
}

/** Returns the key under which a process caches an event. */
export function eventName({ userId, sequence }: EventKey): string {
  return `${userId} ${sequence}`
}

/** Returns a delivery's unique name. */
export function deliveryName(key: DeliveryKey): string {
  return `${eventName(key)} ${key.endpointId}`
}

/** The deliveries that were leased for one endpoint. */
export interface DeliveryClaim {
  readonly endpointId: string
  /** First attempts, ordered by sequence for each user. */
  readonly first: readonly ClaimedDelivery[]
  /** Deliveries that have failed before or are being resent, in the order in which they became due. */
  readonly again: readonly ClaimedDelivery[]
  /** `afterUser` for the next request. */
  readonly afterUser: string
  /** Whether there were no more deliveries to lease. */
  readonly isExhausted: boolean
}

export interface TickResult {
  /**
   * Whether the process was considered dead, or the whole state was replaced. Its leases may now belong to other processes, and it must
   * start again with a new ID.
   */
  readonly isLost: boolean
  readonly claims: readonly DeliveryClaim[]
  /** The events of the leased deliveries, without known events. Large or damaged events may be missing. */
  readonly events: readonly OutboxEvent[]
  readonly clock: ClockState
  /** Endpoints that these outcomes disabled. */
  readonly disabled: readonly {
    readonly teamId: TeamId
    readonly endpointId: string
    readonly reason: DisabledReason
  }[]
}

/** Pending work, without leased deliveries. */
export interface Backlog {
  /** Whether first attempts are waiting. */
  readonly hasFirst: boolean
  /** When the earliest delivery that has failed before or is being resent is due, or null if there is none. */
  readonly againAt: EpochMs | null
}

/** Pending work for an enabled endpoint. */
export interface EndpointBacklog extends Backlog {
  readonly endpoint: EndpointRecord
  /** The part for users in the process's slices. */
  readonly ours: Backlog
}

export interface DeliveryLook {
  /** Enabled endpoints of all teams. */
  readonly endpoints: readonly EndpointBacklog[]
  /** Number of deliveries that are leased to other processes. */
  readonly leasedElsewhere: number
  /** The real time until which each of the other processes has declared itself alive. */
  readonly othersUntil: readonly EpochMs[]
  /** Whether the store knows the process. */
  readonly isKnown: boolean
  /** Number of slices that the process holds, and number of free slices. */
  readonly slices: { readonly own: number; readonly free: number }
}

/**
 * A duration longer than any lease. A lease that ends later was taken while the machine's clock was ahead, and the clock has since been
 * corrected.
 */
const LONGEST_LEASE_MS = 60_000

/** Returns whether a process that declared itself alive until `aliveUntil` is considered dead. If so, its leases are free. */
export function isOver(aliveUntil: EpochMs, realNow: EpochMs): boolean {
  return aliveUntil <= realNow || aliveUntil > realNow + LONGEST_LEASE_MS
}

/** Selects which of a team's events to resend. */
export interface ResendScope {
  /** Time by the engine's clock. `since` is inclusive and `until` is exclusive. */
  readonly since: EpochMs
  readonly until: EpochMs | null
  /** Event type, in which `*` matches any characters. Null for every type. */
  readonly type: string | null
  /** Null for every enabled endpoint that should receive the event. */
  readonly endpointId: string | null
  /** Selects only deliveries that are dead because all attempts failed or the endpoint was disabled. */
  readonly deadOnly: boolean
}

/** A position in the order of a team's events. */
export interface ResendPosition {
  readonly arrival: number
  readonly sequence: number
}

/** Numbers of deliveries in the whole store. */
export interface DeliveryFigures {
  readonly waiting: number
  readonly leased: number
  readonly dead: number
}
