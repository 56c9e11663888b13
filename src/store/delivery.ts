/**
 * Deliveries: an event on its way to an endpoint, the process that delivers it, and the result of each attempt. Part of the port (port.ts).
 */
import type { ClockState } from '../core/clock.ts'
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { OutboxEvent } from './event.ts'
import type { DisabledReason, EndpointRecord } from './webhook.ts'

/** Number of parts that all users are divided into. Each part belongs to one process at a time, which alone delivers for its users. */
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

/** One event of a user. */
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
 * The next step after an attempt: nothing more, another attempt, or the end of the delivery (with `gone` also the end of the endpoint,
 * which has responded that it is gone).
 */
export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly dueAt: EpochMs }
  /** `event` is the document of a `message.attempt.exhausted` event for the other endpoints; null if nobody is notified. */
  | { readonly kind: 'exhausted'; readonly event: Readonly<Record<string, unknown>> | null }
  | { readonly kind: 'gone' }

/** The request and the response of an attempt, sealed, and when it ended in real time. */
export interface SealedExchange {
  readonly at: EpochMs
  readonly sealed: Uint8Array
}

/** The stored fields of one attempt. */
export interface KeptExchange extends SealedExchange, Pick<DeliveryKey, 'endpointId'> {
  /** The number of the attempt within its delivery, from 1. */
  readonly number: number
}

export interface AttemptOutcome extends DeliveryKey {
  readonly teamId: TeamId
  /** The process that had leased the delivery. */
  readonly delivererId: string
  readonly attempt: Attempt
  readonly after: AfterAttempt
  /** Null if nothing was sent, or nothing of it is stored. */
  readonly exchange: SealedExchange | null
}

/** The result of storing the outcomes of one user. */
export interface KeptOutcomes {
  readonly outcomes: readonly AttemptOutcome[]
  /** Lost: the process no longer held the slice of the user, or the whole state was replaced. Nothing was stored. */
  readonly result: { readonly kind: 'stored' | 'lost' } | { readonly kind: 'failed'; readonly error: unknown }
}

/** A delivery that is leased to the process that requested it. */
export interface ClaimedDelivery extends DeliveryKey {
  /** Attempts made so far, in total. */
  readonly attempts: number
  /** Attempts made since the delivery was first due, or since it was last sent again: its position in the retry schedule. */
  readonly round: number
}

/** A process's offer to make deliveries to one endpoint. */
export interface ClaimRequest {
  readonly teamId: TeamId
  readonly endpointId: string
  /** Maximum number of deliveries. */
  readonly most: number
  /** Maximum number of users whose first attempts are leased. Users after `afterUser` come first. */
  readonly users: number
  readonly afterUser: string
  /** Maximum number of first attempts of one user that the process holds. */
  readonly mostOfUser: number
  /** How many first attempts of a user the process holds already; 0 for absent users. */
  readonly inHand: ReadonlyMap<UserId, number>
}

export interface DeliveryTurn {
  readonly delivererId: string
  /** The epoch of the store that the outcomes belong to (snapshot.ts). Outcomes of another epoch are not stored. */
  readonly epoch: number
  /** Real time. Leases of a process whose `aliveUntil` has passed are void. */
  readonly realNow: EpochMs
  readonly aliveUntil: EpochMs
  /**
   * Whether the process holds no leases, and so cannot have lost any. A process that the store does not know is registered if this is true;
   * if it is false, the pass is lost (`isLost`).
   */
  readonly holdsNothing: boolean
  /** Time by the engine's clock, which decides what is due. */
  readonly now: EpochMs
  /** Outcomes since the last pass, which show the health of endpoints. `keep` stores them. */
  readonly outcomes: readonly AttemptOutcome[]
  readonly requests: readonly ClaimRequest[]
  /**
   * How many leases the process expects to hold once these outcomes are stored. If the store finds another number, `isHeld` looks up each
   * lease. An attempt that ends while the pass waits still counts: its lease stays until a later pass stores its outcome.
   */
  readonly holds: number
  /**
   * All deliveries that the process knows to be leased to it, by `deliveryName`, if an earlier pass failed and may have leased more.
   * Deliveries missing here are released. Null if no pass failed.
   */
  readonly knownLeases: ReadonlySet<string> | null
  /**
   * The events that need not be returned with the leases of their deliveries, by `eventName`; null if none should be returned. The set may
   * change while the pass waits, because an event that is missing from the result is read when it is sent.
   */
  readonly knownEvents: ReadonlySet<string> | null
}

/** Returns the key under which a process caches an event. */
export function eventName({ userId, sequence }: EventKey): string {
  return `${userId} ${sequence}`
}

/** Returns a unique name for a delivery. */
export function deliveryName(key: DeliveryKey): string {
  return `${eventName(key)} ${key.endpointId}`
}

/** The deliveries that were leased for one endpoint. */
export interface DeliveryClaim {
  readonly endpointId: string
  /** First attempts, ordered by sequence within each user. */
  readonly first: readonly ClaimedDelivery[]
  /** Deliveries that failed before or are sent again, in the order in which they fell due. */
  readonly again: readonly ClaimedDelivery[]
  /** `afterUser` of the next request. */
  readonly afterUser: string
  /** Whether there were no more deliveries to lease. */
  readonly isExhausted: boolean
}

export interface TurnResult {
  /**
   * The process was considered dead, or the whole state was replaced. Its leases may belong to other processes now, and it must start again
   * under a new id.
   */
  readonly isLost: boolean
  readonly claims: readonly DeliveryClaim[]
  /** Events of the leased deliveries, except known ones. Some are missing if they are large or damaged. */
  readonly events: readonly OutboxEvent[]
  readonly clock: ClockState
  /** Endpoints that these outcomes disabled. */
  readonly disabled: readonly {
    readonly teamId: TeamId
    readonly endpointId: string
    readonly reason: DisabledReason
  }[]
}

/** Pending work, not counting leased deliveries. */
export interface Backlog {
  /** Whether first attempts are waiting. */
  readonly hasFirst: boolean
  /** When the earliest delivery that failed before or is sent again is due, or null if there is none. */
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
  /** Until when each of the other processes has declared itself alive, in real time. */
  readonly othersUntil: readonly EpochMs[]
  /** Whether the store knows the process. */
  readonly isKnown: boolean
  /** Number of slices that the process holds, and number of free slices. */
  readonly slices: { readonly own: number; readonly free: number }
}

/** Longer than any lease. A lease that ends later was taken while the machine's clock was ahead, which has since been corrected. */
const LONGEST_LEASE_MS = 60_000

/** Returns whether a process that declared itself alive until `aliveUntil` counts as dead. Its leases are then free. */
export function isOver(aliveUntil: EpochMs, realNow: EpochMs): boolean {
  return aliveUntil <= realNow || aliveUntil > realNow + LONGEST_LEASE_MS
}

/** Which events of a team to send again. */
export interface ResendScope {
  /** Time by the engine's clock, inclusive; `until` is exclusive. */
  readonly since: EpochMs
  readonly until: EpochMs | null
  /** Event type, in which `*` stands for any characters; null for every type. */
  readonly type: string | null
  /** Null for every enabled endpoint that the event is for. */
  readonly endpointId: string | null
  /** Only deliveries that are dead, because all attempts failed or the endpoint was disabled. */
  readonly deadOnly: boolean
}

/** A position in the order of a team's events. */
export interface ResendPosition {
  readonly arrival: number
  readonly sequence: number
}

/** Counts of all deliveries. */
export interface DeliveryFigures {
  readonly waiting: number
  readonly leased: number
  readonly dead: number
}
