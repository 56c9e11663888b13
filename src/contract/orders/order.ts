/** Schemas of a lab order as the service returns it. See docs/interface/orders.md. */
import * as z from 'zod'
import { BILLING_TYPES } from '../../catalogue/labs/lab-accounts.ts'
import { COLLECTION_METHODS } from '../../catalogue/labs/labs.ts'
import { component, date, dateTime, openEnum, sensitive, sensitiveText, uuid } from '../kernel/primitives.ts'
import { labTest } from '../labs/lab-test.ts'
import { patientAddress, patientDetails } from './order-patient.ts'
import { INTERPRETATIONS, orderTransaction } from './order-result.ts'

const event = () =>
  component('OrderEvent', {
    id: z.int(),
    created_at: dateTime(),
    status: z.string(),
    status_detail: z.string().nullable(),
  })

const shipment = () =>
  z.object({
    id: z.string(),
    outbound_tracking_number: z.string().nullable(),
    outbound_tracking_url: z.string().nullable(),
    inbound_tracking_number: z.string().nullable(),
    inbound_tracking_url: z.string().nullable(),
    outbound_courier: z.string().nullable(),
    inbound_courier: z.string().nullable(),
    notes: z.string().nullable(),
  })

/** Details by collection method: `data` is a shipment if a test kit is sent, and an appointment if a sample is drawn. */
const details = () =>
  z.object({
    type: openEnum(COLLECTION_METHODS),
    data: z.object({
      id: z.string(),
      created_at: dateTime(),
      updated_at: dateTime(),
      shipment: shipment().nullish(),
      appointment_id: z.string().nullish(),
    }),
  })

const shippingDetails = () =>
  z.object({
    receiver_name: sensitiveText(),
    first_line: sensitiveText(),
    second_line: sensitiveText().nullable(),
    city: sensitiveText(),
    state: sensitiveText(),
    zip: sensitiveText(),
    country: sensitiveText(),
    phone_number: sensitiveText(),
  })

export const order = () =>
  component('Order', {
    user_id: uuid(),
    id: uuid(),
    team_id: uuid(),
    patient_details: patientDetails().nullable(),
    patient_address: patientAddress().nullable(),
    lab_test: labTest(),
    details: details(),
    sample_id: z.string().nullable(),
    notes: sensitiveText().nullable(),
    created_at: dateTime(),
    updated_at: dateTime(),
    events: z.array(event()),
    status: z.string().meta({ deprecated: true }),
    last_event: event(),
    physician: z.object({ first_name: sensitiveText(), last_name: sensitiveText(), npi: z.string() }).nullable(),
    health_insurance_id: z.string().nullable(),
    requisition_form_url: sensitiveText().nullable().meta({ deprecated: true }),
    priority: z.boolean(),
    shipping_details: shippingDetails().nullable(),
    activate_by: date().nullable(),
    passthrough: sensitiveText().nullable(),
    billing_type: openEnum(BILLING_TYPES),
    icd_codes: z.array(sensitiveText()).nullable(),
    has_abn: z.boolean(),
    interpretation: sensitive(openEnum(INTERPRETATIONS)).nullable(),
    has_missing_results: z.boolean().nullable(),
    expected_result_by_date: date().nullable(),
    worst_case_result_by_date: date().nullable(),
    origin: openEnum(['initial', 'redraw', 'recreation']),
    order_transaction: orderTransaction(),
  })

export type OrderView = z.output<ReturnType<typeof order>>

/** The response to placing or cancelling an order. */
export const orderReply = () =>
  z.object({ order: order(), status: z.string(), message: z.string() }).meta({ id: 'OrderReply' })

export const orderPage = () =>
  component('OrderPage', {
    orders: z.array(order()),
    total: z.int(),
    page: z.int(),
    size: z.int(),
    pages: z.int(),
  })

/** A simulation's plan: the states that the order goes through, and when it reaches the last one. */
export const simulationReply = () =>
  component('SimulationReply', {
    success: z.boolean(),
    order_id: uuid(),
    final_status: z.string(),
    delay: z.int(),
    statuses: z.array(z.string()),
    completes_at: dateTime(),
  })

/** The states that an order can reach from its current state. Both lists are empty in a final state. */
export const nextStates = () =>
  component('OrderNextStates', {
    order_id: uuid(),
    status: z.string(),
    next: z.array(z.string()).meta({ description: 'States that may follow, the usual one first' }),
    reachable: z.array(z.string()).meta({ description: 'All states that a simulation can end in, nearest first' }),
  })
