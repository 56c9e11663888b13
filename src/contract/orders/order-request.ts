/** Schemas of the requests to place, find and simulate lab orders. See docs/interface/orders.md. */
import * as z from 'zod'
import { BILLING_TYPES } from '../../catalogue/labs/lab-accounts.ts'
import { COLLECTION_METHODS } from '../../catalogue/labs/labs.ts'
import { LOW_STATUSES, ORDER_STATUSES } from '../../catalogue/labs/order-statuses.ts'
import {
  component,
  date,
  dateOrDateTime,
  flag,
  line,
  lowerUuid,
  matching,
  repeated,
  sensitive,
  userId,
  uuid,
  wholeNumber,
} from '../kernel/primitives.ts'
import { ORDER_DIRECTIONS } from '../labs/lab-test.ts'
import { patientAddressInput, patientInput } from './order-patient.ts'
import { INTERPRETATIONS, RESULT_TYPES } from './order-result.ts'

const MOST_OF_A_SET = 50
/** The items of one order: lab tests, additional individual markers, and the lab account. */
export const orderSet = () =>
  component('OrderSet', {
    lab_test_ids: z.array(uuid()).max(MOST_OF_A_SET).nullish(),
    add_on: z
      .object({
        marker_ids: z.array(z.int().min(0)).max(MOST_OF_A_SET).nullish(),
        provider_ids: z.array(line(64)).max(MOST_OF_A_SET).nullish(),
      })
      .nullish(),
    lab_account_id: uuid().nullish(),
  })
export type OrderSet = z.output<ReturnType<typeof orderSet>>

const personName = () => sensitive(line(100))

const physician = () =>
  component('OrderPhysicianInput', {
    first_name: personName(),
    last_name: personName(),
    npi: matching(/^\d{10}$/, 'must be an NPI with ten digits'),
    email: sensitive(line(254)).nullish(),
    licensed_states: z
      .array(z.string().regex(/^[A-Za-z]{2}$/, 'must be a two-letter US state code'))
      .max(60)
      .optional(),
  })

const healthInsurance = () =>
  component('OrderHealthInsurance', {
    payor_code: line(64),
    member_id: sensitive(line(64)),
    group_id: sensitive(line(64)).nullish(),
    relationship: sensitive(z.enum(['Self', 'Spouse', 'Other'])),
    subjective: sensitive(z.string().max(1000)).nullish(),
    assessment_plan: sensitive(z.string().max(1000)).nullish(),
  })

export const CONSENT_TYPES = [
  'terms-of-use',
  'telehealth-informed-consent',
  'mobile-terms-and-conditions',
  'notice-of-privacy-practices',
  'privacy-policy',
  'hipaa-authorization',
] as const

const consent = () =>
  z.object({
    consentType: z.enum(CONSENT_TYPES),
    version: line(64).nullish(),
    timeOfConsent: dateOrDateTime().nullish(),
  })

const icdCode = () =>
  sensitive(matching(/^[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?$/, 'must be an ICD-10 code such as E11.9'))

const aoeAnswer = () =>
  z.object({
    marker_id: z.int().min(0),
    question_id: z.int().min(0),
    answer: sensitive(z.string().max(1000)),
  })

/** The body that places an order, with either `order_set` or the deprecated `lab_test_id`. */
export const orderRequest = () =>
  component('OrderRequest', {
    user_id: userId(),
    patient_details: patientInput(),
    patient_address: patientAddressInput(),
    lab_test_id: uuid().nullish().meta({ deprecated: true }),
    order_set: orderSet().nullish(),
    collection_method: z.enum(COLLECTION_METHODS).nullish(),
    physician: physician().nullish(),
    health_insurance: healthInsurance().nullish(),
    priority: z.boolean().default(false),
    billing_type: z.enum(BILLING_TYPES).nullish(),
    icd_codes: z.array(icdCode()).max(20).nullish(),
    consents: z.array(consent()).max(20).nullish(),
    activate_by: date().nullish(),
    aoe_answers: z.array(aoeAnswer()).max(200).nullish(),
    passthrough: sensitive(z.string().max(1000)).nullish(),
    clinical_notes: sensitive(z.string().max(1000)).nullish(),
    lab_account_id: uuid().nullish(),
  })
export type OrderRequest = z.output<ReturnType<typeof orderRequest>>

export const orderParams = () => z.object({ order_id: lowerUuid() })

export const ORDER_KEYS = ['created_at', 'updated_at'] as const
export const ACTIVATION_TYPES = ['current', 'scheduled'] as const

export const orderQuery = () =>
  z.object({
    user_id: userId().optional(),
    order_ids: repeated(lowerUuid()).optional(),
    status: repeated(z.enum(LOW_STATUSES as [string, ...string[]])).optional(),
    order_type: repeated(z.enum(COLLECTION_METHODS)).optional(),
    order_activation_types: repeated(z.enum(ACTIVATION_TYPES)).optional(),
    start_date: dateOrDateTime().optional(),
    end_date: dateOrDateTime().optional(),
    updated_start_date: dateOrDateTime().optional(),
    updated_end_date: dateOrDateTime().optional(),
    is_critical: flag().optional(),
    interpretation: z.enum(INTERPRETATIONS).optional(),
    search_input: sensitive(z.string().max(256)).optional(),
    patient_name: sensitive(z.string().max(256)).optional(),
    shipping_recipient_name: sensitive(z.string().max(256)).optional(),
    order_key: z.enum(ORDER_KEYS).default('created_at'),
    order_direction: z.enum(ORDER_DIRECTIONS).default('desc'),
    page: wholeNumber(1, 1_000_000).default(1),
    size: wholeNumber(1, 100).default(50),
  })

/** The final state of a simulated order, and the seconds between its states. */
export const simulationQuery = () =>
  z.object({
    final_status: z.enum(ORDER_STATUSES as [string, ...string[]]).optional(),
    delay: wholeNumber(0, 31_536_000).default(0),
  })

/** The results that the simulated lab reports. */
export const simulationFlags = () =>
  component('SimulationFlags', {
    interpretation: sensitive(z.enum(INTERPRETATIONS)).nullish(),
    result_types: z.array(z.enum(RESULT_TYPES)).max(20).nullish(),
    has_missing_results: z.boolean().nullish(),
  })

/** Query parameters of `requisition_form_url`: the expiry (Unix seconds), and the signature over the order ID and the expiry. */
export const requisitionFormQuery = () =>
  z.object({ expires: wholeNumber(0, 999_999_999_999), signature: z.string().max(128) })
