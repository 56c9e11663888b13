/** Lab orders: their states, and what the lab reported. Part of the port (port.ts). */
import type { CollectionMethod, SampleType } from '../catalogue/labs/labs.ts'
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

type Json = Readonly<Record<string, unknown>>

/** A state that the order reached. */
export interface OrderEvent {
  /** From 1 on. */
  readonly id: number
  readonly at: EpochMs
  readonly status: string
  readonly detail: string | null
}

/** What a simulated order still has before it. */
export interface OrderPlan {
  /** Whole statuses, in order, none of them reached yet. */
  readonly statuses: readonly string[]
  /** When the first of them is reached; the others follow, each `delayMs` later. */
  readonly nextAt: EpochMs
  readonly delayMs: number
  /** What the lab reports. */
  readonly flags: Json
}

/** Everything of an order that is not asked for by itself. Personal: it goes with the user. */
export interface OrderDocument {
  readonly patient: Json
  readonly address: Json
  readonly labTestIds: readonly string[]
  readonly markerIds: readonly number[]
  /** What was ordered together, as a lab test: one of the catalogue, or one that this order made. */
  readonly labTestId: string
  readonly labId: number
  readonly method: CollectionMethod
  readonly labAccountId: string | null
  readonly physician: Json | null
  readonly healthInsurance: Json | null
  readonly priority: boolean
  readonly billingType: string
  readonly icdCodes: readonly string[] | null
  readonly consents: readonly Json[]
  readonly aoeAnswers: readonly Json[]
  readonly activateBy: IsoDate | null
  readonly passthrough: string | null
  readonly notes: string | null
  readonly events: readonly OrderEvent[]
  readonly plan: OrderPlan | null
  readonly interpretation: string | null
  readonly hasMissingResults: boolean | null
}

export interface OrderRecord {
  readonly userId: UserId
  readonly orderId: string
  readonly teamId: TeamId
  /** `received.testkit.ordered`. */
  readonly status: string
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
  readonly document: OrderDocument
  /** The report, once there is one. */
  readonly result: Json | null
  /** Counts the changes. */
  readonly rev: number
}

/** Single markers that a team ordered together, kept as a lab test of that team. */
export interface TeamLabTest {
  readonly teamId: TeamId
  readonly labTestId: string
  readonly name: string
  readonly labId: number
  readonly method: CollectionMethod
  readonly sampleType: SampleType
  readonly fasting: boolean
  readonly markerIds: readonly number[]
  readonly createdAt: EpochMs
}

/** An event that is recorded with a change. */
export interface OrderNotice {
  readonly type: string
  readonly document: Json
}

export interface OrderCreation {
  readonly order: OrderRecord
  readonly notices: readonly OrderNotice[]
  readonly labTest: TeamLabTest | null
}

/** `no_user`: there is no such active user. */
export type CreationOutcome = 'created' | 'no_user'

export interface OrderFilter {
  readonly userId: UserId | null
  readonly orderIds: readonly string[] | null
  /** Low-level statuses. */
  readonly statuses: readonly string[] | null
  readonly methods: readonly string[] | null
  /** Whether the order waits for its day. */
  readonly isScheduled: boolean | null
  readonly createdFrom: EpochMs | null
  readonly createdTo: EpochMs | null
  readonly updatedFrom: EpochMs | null
  readonly updatedTo: EpochMs | null
  readonly interpretation: string | null
  readonly isCritical: boolean | null
  /** Parts of the patient's name, and of who receives a parcel; any case. */
  readonly patientName: string | null
  readonly receiverName: string | null
  /** Part of a patient's name, or the beginning of an id of order or user. */
  readonly search: string | null
  readonly sort: 'created_at' | 'updated_at'
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
}

/** Leaves no order out; oldest first, 50 at once. */
export const EVERY_ORDER: OrderFilter = {
  userId: null,
  orderIds: null,
  statuses: null,
  methods: null,
  isScheduled: null,
  createdFrom: null,
  createdTo: null,
  updatedFrom: null,
  updatedTo: null,
  interpretation: null,
  isCritical: null,
  patientName: null,
  receiverName: null,
  search: null,
  sort: 'created_at',
  isDescending: false,
  offset: 0,
  limit: 50,
}

export interface OrderStore {
  /** Keeps a new order with its events, or says what stands against it. */
  create(creation: OrderCreation): Promise<CreationOutcome>
  /** An order of an active user of the team, or null. */
  find(teamId: TeamId, orderId: string): Promise<OrderRecord | null>
  /** The same for the signed address of a document, which names no team. */
  findAnywhere(orderId: string): Promise<OrderRecord | null>
  /** Of active users of the team. */
  list(
    teamId: TeamId,
    filter: OrderFilter,
  ): Promise<{ readonly orders: readonly OrderRecord[]; readonly total: number }>
  /** An order of the user, deleted or not, and whether the user is active; null when there is none. */
  ofUser(userId: UserId, orderId: string): Promise<{ readonly order: OrderRecord; readonly isActive: boolean } | null>
  /**
   * Puts the order in the place of its last revision, `order.rev - 1`, records the events, and makes the job of its plan due, or
   * takes it away. False when somebody else changed it meanwhile, or deleted the user: nothing is done then.
   */
  replace(order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs): Promise<boolean>
  /** Lab tests that orders of the team made, oldest first. */
  labTests(teamId: TeamId): Promise<readonly TeamLabTest[]>
  /** One of them by its id, or null. */
  labTest(teamId: TeamId, labTestId: string): Promise<TeamLabTest | null>
}
