/** The order of sources in merges, as a team or a user sets it. Part of the port (port.ts). */
import type { MetricGroup } from '../catalogue/metric-groups.ts'

/** The sources that have all of these values. Null fits every value, and at least one of them is not null. */
export interface SourcePattern {
  readonly provider: string | null
  readonly sourceType: string | null
  readonly appId: string | null
  readonly deviceId: string | null
}

export interface SourceOrder {
  readonly metricGroup: MetricGroup
  /** Best first. Sources that fit none of them come after all that do. */
  readonly sources: readonly SourcePattern[]
}

/** The orders that apply to a user. Those of the user come before those of the team. */
export interface SourceOrders {
  readonly user: readonly SourceOrder[]
  readonly team: readonly SourceOrder[]
}

export const NO_ORDERS: SourceOrders = { user: [], team: [] }
