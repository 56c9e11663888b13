/** Schemas of the results that a laboratory reports for an order. See docs/interface/orders.md#orders-9. */
import * as z from 'zod'
import { component, openEnum, sensitive, sensitiveText } from '../kernel/primitives.ts'

export const INTERPRETATIONS = ['normal', 'abnormal', 'critical', 'unknown'] as const
export type Interpretation = (typeof INTERPRETATIONS)[number]
export const RESULT_TYPES = ['numeric', 'range', 'comment', 'coded_value'] as const
export type ResultType = (typeof RESULT_TYPES)[number]

/** Reasons for a missing result. */
export const FAILURE_TYPES = [
  'quantity_not_sufficient_failure',
  'collection_process_failure',
  'drop_off_failure',
  'internal_lab_failure',
  'order_entry_failure',
  'non_failure',
  'unknown_failure',
  'patient_condition_failure',
  'missing_result_calc_failure',
  'missing_demo_aoe_calc_failure',
  'insufficient_volume',
] as const

const sourceMarker = () =>
  z.object({ marker_id: z.int(), name: z.string(), slug: z.string(), provider_id: z.string().nullable() })

/** One result. `type` and `result_type` have the same value. `value` is deprecated, and is -1 if the result is not a number. */
const resultLine = () =>
  component('ResultLine', {
    name: z.string(),
    slug: z.string(),
    value: sensitive(z.number()).meta({ deprecated: true }),
    result: sensitiveText(),
    type: openEnum(RESULT_TYPES),
    result_type: openEnum(RESULT_TYPES),
    unit: z.string().nullable(),
    timestamp: z.string().meta({ format: 'date-time' }),
    notes: sensitiveText().nullable(),
    reference_range: z.string().nullable(),
    min_range_value: z.number().nullable(),
    max_range_value: z.number().nullable(),
    is_above_max_range: sensitive(z.boolean()).nullable(),
    is_below_min_range: sensitive(z.boolean()).nullable(),
    interpretation: sensitive(openEnum(INTERPRETATIONS)),
    source_interpretation: sensitiveText().nullable(),
    loinc: z.string().nullable(),
    loinc_slug: z.string().nullable(),
    provider_id: z.string().nullable(),
    source_markers: z.array(sourceMarker()),
    performing_laboratory: z.string().nullable(),
    source_sample_id: z.string().nullable(),
  })

const missingResult = () =>
  component('MissingResult', {
    name: z.string(),
    slug: z.string(),
    inferred_failure_type: openEnum(FAILURE_TYPES),
    note: z.string().nullable(),
    loinc: z.string().nullable(),
    loinc_slug: z.string().nullable(),
    provider_id: z.string().nullable(),
    source_markers: z.array(sourceMarker()),
  })

const performingLaboratory = () =>
  z.object({
    name: z.string(),
    phone_number: z.string().nullable(),
    medical_director: z.string().nullable(),
    address: z
      .object({
        first_line: z.string(),
        second_line: z.string().nullable(),
        country: z.string(),
        zip: z.string(),
        city: z.string(),
        state: z.string(),
      })
      .nullable(),
  })

const sampleData = () =>
  component('SampleData', {
    sample_id: z.string(),
    control_number: z.string().nullable(),
    date_collected: z.string(),
    date_received: z.string(),
    date_reported: z.string(),
    performing_laboratories: z.record(z.string(), performingLaboratory()),
    clinical_information: z.unknown().nullable(),
  })

export const orderTransaction = () =>
  component('OrderTransaction', {
    id: z.string(),
    status: openEnum(['active', 'completed', 'cancelled']),
    orders: z.array(
      z.object({
        id: z.string(),
        low_level_status: z.string(),
        low_level_status_created_at: z.string(),
        origin: z.string(),
        parent_id: z.string().nullable(),
        created_at: z.string(),
        updated_at: z.string(),
      }),
    ),
  })

const reportMetadata = () =>
  component('ReportMetadata', {
    age: sensitiveText(),
    dob: sensitiveText(),
    'clia_#': z.string().nullable(),
    patient: sensitiveText(),
    provider: sensitiveText().nullable(),
    laboratory: z.string(),
    date_reported: z.string(),
    date_collected: z.string(),
    specimen_number: z.string(),
    date_received: z.string(),
    status: openEnum(['final', 'partial']),
    interpretation: sensitive(openEnum(INTERPRETATIONS)),
    patient_id: z.string(),
    account_id: z.string().nullable(),
  })

/** The complete report. */
export const orderResult = () =>
  component('OrderResult', {
    metadata: reportMetadata(),
    results: z.array(resultLine()),
    missing_results: z.array(missingResult()),
    sample_information: z.record(z.string(), sampleData()),
    order_transaction: orderTransaction(),
  })
export type OrderResult = z.output<ReturnType<typeof orderResult>>
export type ResultLine = OrderResult['results'][number]

/**
 * A report's metadata, without the results. The patient's first and last names are separate fields, and the lab appears as both
 * `laboratory` and `lab_name`.
 */
export const resultMetadata = () =>
  reportMetadata()
    .extend({ patient_first_name: sensitiveText(), patient_last_name: sensitiveText(), lab_name: z.string() })
    .meta({ id: 'ResultMetadata' })
