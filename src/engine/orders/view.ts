/** Builds the interface's view of a lab order. See docs/interface/orders.md. */
import { CANCELLED_STATUSES, lowStatus, topStatus } from '../../catalogue/labs/order-statuses.ts'
import type { OrderView } from '../../contract/orders/order.ts'
import { ownedId } from '../../core/ids.ts'
import { DAY_MS, type EpochMs, formatDate, formatInstant } from '../../core/time.ts'
import type { OrderEvent, OrderRecord } from '../../store/order.ts'
import type { EngineContext } from '../context.ts'
import { labTestView } from '../labs/views.ts'
import { requisitionUrl } from './requisition-url.ts'
import { collectedAt, firstIn, lastEvent, type Ordered } from './state.ts'

interface OrderPeople {
  readonly patient: NonNullable<OrderView['patient_details']>
  readonly address: NonNullable<OrderView['patient_address']>
  readonly physician: OrderView['physician']
}

/** Returns the patient with the postal address, and the physician. */
export function orderPeople({ document }: OrderRecord): OrderPeople {
  // validated when the order was placed
  return document as unknown as OrderPeople
}

/** Returns the view. `now` is the time at which it is shown. The requisition URL is valid for 7 days from then. */
export function orderView(engine: EngineContext, record: OrderRecord, ordered: Ordered, now: EpochMs): OrderView {
  const { document } = record
  const labTest = labTestView(ordered.labTest, ordered.markers)
  const people = orderPeople(record)
  return {
    user_id: record.userId,
    id: record.orderId,
    team_id: record.teamId,
    patient_details: { ...people.patient },
    patient_address: { ...people.address },
    lab_test: labTest,
    details: orderDetails(record),
    sample_id: orderSampleId(record),
    notes: document.notes,
    created_at: formatInstant(record.createdAt),
    updated_at: formatInstant(record.updatedAt),
    events: document.events.map(eventView),
    status: topStatus(record.status),
    last_event: eventView(lastEvent(record)),
    physician: people.physician,
    health_insurance_id: document.healthInsurance ? ownedId(record.userId, 'order insurance', record.orderId) : null,
    requisition_form_url: requisitionUrl(engine, record, now),
    priority: document.priority,
    shipping_details: document.method === 'testkit' ? shippingDetails(people) : null,
    activate_by: document.activateBy,
    passthrough: document.passthrough,
    billing_type: document.billingType,
    icd_codes: document.icdCodes ? [...document.icdCodes] : null,
    has_abn: false,
    interpretation: document.interpretation,
    has_missing_results: document.hasMissingResults,
    expected_result_by_date: resultBy(record, labTest.common_tat_days),
    worst_case_result_by_date: resultBy(record, labTest.worst_case_tat_days),
    origin: 'initial',
    order_transaction: describeTransaction(record),
  }
}

function eventView(event: OrderEvent): OrderView['last_event'] {
  return { id: event.id, created_at: formatInstant(event.at), status: event.status, status_detail: event.detail }
}

/** Returns the number on the tube, which exists once there is a sample or a registered kit. */
export function orderSampleId(record: OrderRecord): string | null {
  const isThere = collectedAt(record) !== null || firstIn(record, ['registered']) !== null
  if (!isThere) return null
  return `S${ownedId(record.userId, 'sample', record.orderId).replaceAll('-', '').slice(12, 22).toUpperCase()}`
}

export function describeTransaction(record: OrderRecord): OrderView['order_transaction'] {
  const top = topStatus(record.status)
  const over = top === 'completed' || top === 'failed'
  const cancelled = CANCELLED_STATUSES.includes(lowStatus(record.status))
  return {
    id: ownedId(record.userId, 'order transaction', record.orderId),
    status: cancelled ? 'cancelled' : over ? 'completed' : 'active',
    orders: [
      {
        id: record.orderId,
        low_level_status: lowStatus(record.status),
        low_level_status_created_at: formatInstant(lastEvent(record).at),
        origin: 'initial',
        parent_id: null,
        created_at: formatInstant(record.createdAt),
        updated_at: formatInstant(record.updatedAt),
      },
    ],
  }
}

function orderDetails(record: OrderRecord): OrderView['details'] {
  const { method } = record.document
  const data = {
    id: ownedId(record.userId, 'order detail', record.orderId),
    created_at: formatInstant(record.createdAt),
    updated_at: formatInstant(record.updatedAt),
  }
  if (method === 'testkit') return { type: method, data: { ...data, shipment: findShipment(record) } }
  if (method === 'on_site_collection') return { type: method, data }
  const hasAppointment = firstIn(record, ['appointment_scheduled']) !== null
  const appointment_id = hasAppointment ? ownedId(record.userId, 'appointment', record.orderId) : null
  return { type: method, data: { ...data, appointment_id } }
}

type Shipment = NonNullable<OrderView['details']['data']['shipment']>

/** Returns the shipment once the parcel has been sent. The return shipment has its own number. */
function findShipment(record: OrderRecord): Shipment | null {
  if (firstIn(record, ['transit_customer']) === null) return null
  const isBack = firstIn(record, ['transit_lab']) !== null
  const number = (way: string): string =>
    ownedId(record.userId, 'parcel', way, record.orderId).replaceAll('-', '').slice(12).toUpperCase()
  const tracking = (id: string): string => `https://tracking.svc.example/${id}`
  const [out, back] = [number('out'), number('back')]
  return {
    id: ownedId(record.userId, 'shipment', record.orderId),
    outbound_tracking_number: out,
    outbound_tracking_url: tracking(out),
    inbound_tracking_number: isBack ? back : null,
    inbound_tracking_url: isBack ? tracking(back) : null,
    outbound_courier: 'sandbox courier',
    inbound_courier: isBack ? 'sandbox courier' : null,
    notes: null,
  }
}

function shippingDetails({ patient, address }: OrderPeople): NonNullable<OrderView['shipping_details']> {
  return {
    receiver_name: address.receiver_name ?? `${patient.first_name} ${patient.last_name}`,
    first_line: address.first_line,
    second_line: address.second_line,
    city: address.city,
    state: address.state,
    zip: address.zip,
    country: address.country,
    phone_number: address.phone_number ?? patient.phone_number,
  }
}

/** Returns when the result is due. The lab's processing days are counted from the sample's collection. */
function resultBy(record: OrderRecord, days: number | null): string | null {
  const from = collectedAt(record)
  return from === null || days === null ? null : formatDate(from + days * DAY_MS)
}
