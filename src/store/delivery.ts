/** Deliveries: an event on its way to an endpoint, who is at work on it, and what became of each attempt. Part of the port (port.ts). */
import type { ClockState } from '../core/clock.ts'
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { OutboxEvent } from './event.ts'
import type { DisabledReason, EndpointRecord } from './webhook.ts'

/** One event for one endpoint. */
export interface DeliveryKey {
  readonly userId: UserId
  readonly sequence: number
  readonly endpointId: string
}

/** What one attempt came to. */
export interface Attempt {
  /** By the engine's clock. */
  readonly at: EpochMs
  /** Null: there was no answer. */
  readonly status: number | null
  /** Null: it was taken. */
  readonly error: string | null
  readonly ms: number
}

/** What follows an attempt: nothing more, another one, or the end (of the endpoint too, when it says that it is gone). */
export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly dueAt: EpochMs }
  /** `event` tells the other endpoints of it, as the document of a `message.attempt.exhausted`; null: nobody is told. */
  | { readonly kind: 'exhausted'; readonly event: Readonly<Record<string, unknown>> | null }
  | { readonly kind: 'gone' }

export interface AttemptOutcome extends DeliveryKey {
  readonly teamId: TeamId
  /** Who had leased it. */
  readonly delivererId: string
  readonly attempt: Attempt
  readonly after: AfterAttempt
}

/** A delivery that is leased to who asked. */
export interface ClaimedDelivery extends DeliveryKey {
  /** Made so far, ever. */
  readonly attempts: number
  /** Made since it was first due, or was last sent again: the place in the schedule. */
  readonly round: number
}

/** What a process would take on of an endpoint. */
export interface ClaimRequest {
  readonly teamId: TeamId
  readonly endpointId: string
  /** Deliveries at most. */
  readonly most: number
  /** First attempts are taken of this many users at most, those after `afterUser` first. */
  readonly users: number
  readonly afterUser: string
  /** How many more first attempts of this user it would take. */
  room(userId: UserId): number
}

export interface DeliveryTurn {
  readonly delivererId: string
  /** Which state of the store the outcomes are about (snapshot.ts); those about another one are not kept. */
  readonly epoch: number
  /** Real time; the leases of whoever is past theirs are void. */
  readonly realNow: EpochMs
  readonly aliveUntil: EpochMs
  /** Nothing is leased to it, so that it cannot have lost anything. */
  readonly holdsNothing: boolean
  /** The engine's clock: what is due. */
  readonly now: EpochMs
  readonly outcomes: readonly AttemptOutcome[]
  readonly requests: readonly ClaimRequest[]
  /** How many leases the process counts on when these outcomes are kept: where there are fewer, each is looked at anew. */
  holds(): number
  /** Whether the event of a delivery is to come along when it is leased. */
  wants(userId: UserId, sequence: number): boolean
}

/** What was leased of one endpoint. */
export interface DeliveryClaim {
  readonly endpointId: string
  /** First attempts, of each user in the order of the sequence. */
  readonly first: readonly ClaimedDelivery[]
  /** Those that failed before or are sent again, in the order in which they fell due. */
  readonly again: readonly ClaimedDelivery[]
  /** Where the next request goes on. */
  readonly afterUser: string
  /** Nothing more was to be had. */
  readonly isExhausted: boolean
}

export interface TurnResult {
  /**
   * The process was taken for dead, or the whole state was replaced: what it had leased may be others' now, and it must begin
   * again under a new id.
   */
  readonly isLost: boolean
  readonly claims: readonly DeliveryClaim[]
  /** Of what was leased and wanted; not all where they are large. */
  readonly events: readonly OutboxEvent[]
  readonly clock: ClockState
  /** Endpoints that these outcomes took out of service. */
  readonly disabled: readonly {
    readonly teamId: TeamId
    readonly endpointId: string
    readonly reason: DisabledReason
  }[]
}

/** What there is to do at an endpoint that is enabled; leased deliveries left out. */
export interface EndpointBacklog {
  readonly endpoint: EndpointRecord
  /** Whether first attempts wait. */
  readonly hasFirst: boolean
  /** When the earliest of those that failed before or are sent again is due, or null. */
  readonly againAt: EpochMs | null
}

export interface DeliveryLook {
  /** Of all teams. */
  readonly endpoints: readonly EndpointBacklog[]
  /** Leased deliveries of all processes but this one. */
  readonly leasedElsewhere: number
  /** Until when the other processes said that they live, in real time. */
  readonly othersUntil: readonly EpochMs[]
}

/** Nobody leases for so long: the machine's clock was ahead then, and has been put right. */
const LONGEST_LEASE_MS = 60_000

/** Whether a process that said so counts as dead: its leases are anybody's. */
export function isOver(aliveUntil: EpochMs, realNow: EpochMs): boolean {
  return aliveUntil <= realNow || aliveUntil > realNow + LONGEST_LEASE_MS
}

/** Which events of a team are sent again. */
export interface ResendScope {
  /** By the engine's clock; `until` exclusive. */
  readonly since: EpochMs
  readonly until: EpochMs | null
  /** Event type with `*` for any characters; null: all. */
  readonly type: string | null
  /** Null: every endpoint that is enabled and that the event is for. */
  readonly endpointId: string | null
  /** Only where all attempts were in vain, or the endpoint was disabled. */
  readonly deadOnly: boolean
}

/** A place in the order of a team's events. */
export interface ResendPosition {
  readonly arrival: number
  readonly sequence: number
}

/** Figures of all deliveries. */
export interface DeliveryFigures {
  readonly waiting: number
  readonly leased: number
  readonly dead: number
}

export interface DeliveryStore {
  /** What is to do, for a process that has nothing to do; nearly free as long as nothing changes. */
  look(delivererId: string): Promise<DeliveryLook>
  /**
   * Keeps outcomes, voids the leases of dead processes and leases what is wished for, in one transaction. First attempts of a
   * user at an endpoint are leased to one living process at a time, so that they go out in order.
   */
  turn(turn: DeliveryTurn): Promise<TurnResult>
  /**
   * Whether the delivery still waits, leased to this process: its user, event or endpoint may be gone. Right after a turn that
   * found every lease in its place, and as long as this process changes nothing, the answer costs nothing; what another process
   * does is seen within 50 ms.
   */
  isHeld(delivererId: string, key: DeliveryKey): Promise<boolean>
  /** Keeps the last outcomes, if they are about this state of the store, and lets everything go that is leased to the process. */
  leave(delivererId: string, epoch: number, outcomes: readonly AttemptOutcome[]): Promise<void>
  /**
   * Sends one event again, to the endpoint or to every one that is enabled and that it is for. Answers how many deliveries wait
   * because of it; what waits and is due already is not counted, so it may be repeated.
   */
  resend(
    teamId: TeamId,
    event: Pick<DeliveryKey, 'userId' | 'sequence'>,
    endpointId: string | null,
    now: EpochMs,
  ): Promise<number>
  /** The same for some of the events in the scope, from a position on; `next` is where to go on, or null at the end. */
  resendSome(
    teamId: TeamId,
    scope: ResendScope,
    after: ResendPosition | null,
    now: EpochMs,
  ): Promise<{ readonly queued: number; readonly next: ResendPosition | null }>
  figures(): Promise<DeliveryFigures>
}
