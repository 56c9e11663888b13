/** Schemas of labs and their markers. See docs/interface/labs.md. */
import * as z from 'zod'
import { component, flag, line, openEnum, repeated, uuid, wholeNumber } from '../kernel/primitives.ts'

export const lab = () =>
  component('Lab', {
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    first_line_address: z.string(),
    city: z.string(),
    zipcode: z.string(),
    collection_methods: z.array(z.string()),
    sample_types: z.array(z.string()),
    logo_url: z.string().nullable(),
  })

export const labList = () => z.array(lab())

const loinc = () =>
  z
    .object({ id: z.int(), name: z.string(), slug: z.string(), code: z.string(), unit: z.string().nullable() })
    .meta({ id: 'Loinc' })

const expectedResult = () =>
  component('ExpectedResult', {
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    provider_id: z.string(),
    lab_id: z.int(),
    required: z.boolean(),
    loinc: loinc().nullable(),
  })

const markerFields = () => ({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  lab_id: z.int().nullable(),
  provider_id: z.string().nullable(),
  type: z.string().nullable(),
  unit: z.string().nullable(),
  price: z.string().nullable(),
  aoe: aoe().nullable(),
  a_la_carte_enabled: z.boolean(),
  common_tat_days: z.int().nullable(),
  worst_case_tat_days: z.int().nullable(),
  is_orderable: z.boolean(),
})

/** A lab's questions about an ordered marker. */
const aoe = () =>
  component('AskOnOrderEntry', {
    questions: z.array(
      z.object({
        id: z.int(),
        required: z.boolean(),
        code: z.string(),
        value: z.string(),
        type: openEnum(['choice', 'text', 'numeric', 'multi_choice']),
        sequence: z.int(),
        answers: z.array(z.object({ id: z.int(), code: z.string(), value: z.string() })),
        constraint: z.string().nullable(),
        default: z.string().nullable(),
      }),
    ),
  })

export const marker = () =>
  z.object({ ...markerFields(), expected_results: z.array(expectedResult()) }).meta({ id: 'Marker' })

/** A marker inside a lab test, without its expected results. */
export const markerSummary = () => z.object(markerFields()).meta({ id: 'MarkerSummary' })

const paging = () => ({
  page: wholeNumber(1, 1_000_000).default(1),
  size: wholeNumber(1, 100).default(50),
})

export const markerQuery = () =>
  z.object({
    lab_id: repeated(wholeNumber(0, 1_000_000_000)).optional(),
    lab_slug: z.string().max(64).optional(),
    name: z.string().max(256).default(''),
    a_la_carte_enabled: flag().optional(),
    include_pricing: flag().default(false),
    lab_account_id: uuid().optional(),
    ...paging(),
  })

export const markerPaging = () => z.object(paging())
export const testMarkerQuery = () => z.object({ lab_account_id: uuid().optional(), ...paging() })
export const markerByCodeParams = () => z.object({ lab_id: wholeNumber(0, 1_000_000_000), provider_id: line(64) })
export const markerByCodeQuery = () => z.object({ lab_account_id: uuid().optional() })

/** Prices by marker or lab test ID, in the currency's minor units, or the reason why there is no price. */
export const pricing = () =>
  component('Pricing', {
    currency: z.literal('USD'),
    data: z.record(
      z.string(),
      z.union([
        z.object({ base_amount_minor: z.int(), modifiers: z.array(z.unknown()) }),
        z.object({ unspecified: openEnum(['refer_to_contract', 'price_unavailable']) }),
      ]),
    ),
  })

export const markerPage = () =>
  component('MarkerPage', {
    markers: z.array(marker()),
    total: z.int(),
    page: z.int(),
    size: z.int(),
    pages: z.int(),
    pricing: pricing().optional(),
  })
