/** Schemas of lab tests and lab accounts: the tests that can be ordered, and the account to order through. See docs/interface/labs.md. */
import * as z from 'zod'
import { ACCOUNT_STATUSES, BILLING_TYPES, DELEGATED_FLOWS } from '../../catalogue/labs/lab-accounts.ts'
import { LAB_TEST_STATUSES } from '../../catalogue/labs/lab-tests.ts'
import { COLLECTION_METHODS } from '../../catalogue/labs/labs.ts'
import { component, flag, line, openEnum, repeated, uuid, wholeNumber } from '../kernel/primitives.ts'
import { lab, markerSummary, pricing } from './lab.ts'

export const labTest = () =>
  component('LabTest', {
    id: uuid(),
    slug: z.string(),
    name: z.string(),
    sample_type: z.string(),
    method: openEnum(COLLECTION_METHODS),
    price: z.number(),
    is_active: z.boolean().meta({ deprecated: true }),
    status: openEnum(LAB_TEST_STATUSES),
    fasting: z.boolean(),
    lab: lab().nullable(),
    markers: z.array(markerSummary()).nullable(),
    is_delegated: z.boolean().meta({ deprecated: true }),
    auto_generated: z.boolean(),
    has_collection_instructions: z.boolean(),
    common_tat_days: z.int().nullable(),
    worst_case_tat_days: z.int().nullable(),
  })

export const GENERATION_METHODS = ['auto', 'manual', 'all'] as const
export const LAB_TEST_ORDER_KEYS = ['price', 'created_at', 'updated_at'] as const
export const ORDER_DIRECTIONS = ['asc', 'desc'] as const

const filters = () => ({
  lab_account_id: uuid().optional(),
  generation_method: z.enum(GENERATION_METHODS).default('manual'),
  lab_slug: z.string().max(64).optional(),
  collection_method: z.enum(COLLECTION_METHODS).optional(),
  status: z.enum(LAB_TEST_STATUSES).optional(),
  marker_ids: repeated(wholeNumber(0, 1_000_000_000_000)).optional(),
  provider_ids: repeated(line(64)).optional(),
  name: z.string().max(256).default(''),
  order_key: z.enum(LAB_TEST_ORDER_KEYS).default('created_at'),
  order_direction: z.enum(ORDER_DIRECTIONS).default('asc'),
})

/** Filters for the list that returns all lab tests at once. */
export const labTestFilters = () => z.object(filters())

export const labTestQuery = () =>
  z.object({
    lab_test_limit: wholeNumber(1, 500).default(50),
    next_cursor: z.string().max(512).optional(),
    include_pricing: flag().default(false),
    ...filters(),
  })

export const labTestList = () => z.array(labTest())

export const labTestPage = () =>
  z
    .object({ data: z.array(labTest()), next_cursor: z.string().nullable(), pricing: pricing().optional() })
    .meta({ id: 'LabTestPage' })

export const labTestParams = () => z.object({ lab_test_id: uuid() })
export const oneLabTestQuery = () => z.object({ lab_account_id: uuid().optional() })

const labAccount = () =>
  component('LabAccount', {
    id: uuid(),
    lab: z.string(),
    org_id: uuid(),
    status: openEnum(ACCOUNT_STATUSES),
    delegated_flow: openEnum(DELEGATED_FLOWS),
    provider_account_id: z.string(),
    account_name: z.string(),
    default_clinical_notes: z.string().nullable(),
    business_units: z.array(z.string()),
    allowed_billing: z.array(openEnum(BILLING_TYPES)),
    team_id_allowlist: z.array(z.string()),
  })

export const labAccountQuery = () =>
  z.object({ lab_account_id: uuid().optional(), status: z.enum(ACCOUNT_STATUSES).optional() })

export const labAccountList = () => z.object({ data: z.array(labAccount()) }).meta({ id: 'LabAccountList' })
