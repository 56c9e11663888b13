/** Reads a lab order's stored state: its status, when it changed, and the ordered items. */
import { type LabTest, markersById } from '../../catalogue/labs/lab-tests.ts'
import type { Marker } from '../../catalogue/labs/markers.ts'
import { COLLECTED_STATUSES, lowStatus } from '../../catalogue/labs/order-statuses.ts'
import type { EpochMs } from '../../core/time.ts'
import type { OrderEvent, OrderRecord } from '../../store/order.ts'
import type { EngineContext } from '../context.ts'
import { labTestNamed } from '../labs/tests.ts'

/** Data that is needed for an order's views and reports, in addition to the order itself. */
export interface Ordered {
  readonly labTest: LabTest
  /** All markers in the catalogue, by ID. */
  readonly markers: ReadonlyMap<number, Marker>
}

/** Returns the ordered items. Lab tests are never removed, so an order's test always exists. */
export async function orderedBy(engine: EngineContext, record: OrderRecord): Promise<Ordered> {
  const [labTest, markers] = await Promise.all([
    labTestNamed(engine, record.teamId, record.document.labTestId),
    markersById(),
  ])
  return { labTest, markers }
}

export function lastEvent(record: OrderRecord): OrderEvent {
  return record.document.events.at(-1) as OrderEvent
}

/** Returns when the order first had one of these low-level statuses, or null if it never had. */
export function firstIn(record: OrderRecord, statuses: readonly string[]): EpochMs | null {
  return record.document.events.find(event => statuses.includes(lowStatus(event.status)))?.at ?? null
}

/** Returns when the patient handed over the sample, or null if that has not happened. */
export function collectedAt(record: OrderRecord): EpochMs | null {
  return firstIn(record, COLLECTED_STATUSES)
}

/** Returns whether the service wrote a requisition. It writes none if the team writes its own, or before the order's day. */
export function hasRequisition(record: OrderRecord): boolean {
  return firstIn(record, ['requisition_created']) !== null
}

/** Returns the order after moving it to its next state at this time. */
export function movedTo(record: OrderRecord, status: string, at: EpochMs, detail: string | null = null): OrderRecord {
  const { events } = record.document
  const event: OrderEvent = { id: events.length + 1, at, status, detail }
  return { ...record, status, updatedAt: at, document: { ...record.document, events: [...events, event] } }
}
