/** Lab orders: their states, and the lab's results. Part of the port (port.ts). */
import type { CollectionMethod, SampleType } from '../catalogue/labs/labs.ts'
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

type Json = Readonly<Record<string, unknown>>

/** A state that the order has reached. */
export interface OrderEvent {
  /** Number of the state, starting at 1. */
  readonly id: number
  readonly at: EpochMs
  readonly status: string
  readonly detail: string | null
}

/** A simulated order's remaining steps. */
export interface OrderPlan {
  /** Full statuses that have not been reached yet, in order. */
  readonly statuses: readonly string[]
  /** When the first of these statuses is reached. Each of the others follows after another `delayMs`. */
  readonly nextAt: EpochMs
  readonly delayMs: number
  /** Options for the lab's report. */
  readonly flags: Json
}

/** Parts of an order that have no separate field. They are personal data, which is removed together with the user. */
export interface OrderDocument {
  readonly patient: Json
  readonly address: Json
  readonly labTestIds: readonly string[]
  readonly markerIds: readonly number[]
  /** The items that were ordered together, as a lab test: either one from the catalogue, or one created by this order. */
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
  /** The full status, such as `received.testkit.ordered`. */
  readonly status: string
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
  readonly document: OrderDocument
  /** The report, or null if there is none yet. */
  readonly result: Json | null
  /** Revision number, which increases with each change. */
  readonly rev: number
}

/** Individual markers that a team ordered together, stored as a lab test of that team. */
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

/** An event that is written with a change. */
export interface OrderNotice {
  readonly type: string
  readonly document: Json
}

export interface OrderCreation {
  readonly order: OrderRecord
  readonly notices: readonly OrderNotice[]
  readonly labTest: TeamLabTest | null
}

/** `no_user` means that there is no such active user. */
export type CreationOutcome = 'created' | 'no_user'

export interface OrderFilter {
  readonly userId: UserId | null
  readonly orderIds: readonly string[] | null
  /** Low-level statuses to filter by. */
  readonly statuses: readonly string[] | null
  readonly methods: readonly string[] | null
  /** Whether the order is waiting for its date (`activateBy`). */
  readonly isScheduled: boolean | null
  readonly createdFrom: EpochMs | null
  readonly createdTo: EpochMs | null
  readonly updatedFrom: EpochMs | null
  readonly updatedTo: EpochMs | null
  readonly interpretation: string | null
  readonly isCritical: boolean | null
  /** Part of the patient's or the parcel recipient's name. Case is ignored. */
  readonly patientName: string | null
  readonly receiverName: string | null
  /** Part of a patient's name, or the beginning of an order ID or user ID. */
  readonly search: string | null
  readonly sort: 'created_at' | 'updated_at'
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
}

/** Query for all orders, oldest first, 50 per page. */
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
