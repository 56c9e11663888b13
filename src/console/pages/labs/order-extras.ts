/** What an order may say besides patient, address and test: its sections and fields, and their part of the body. */

import { type Body, putInto, textAt } from '../../api/body.ts'
import type { Answer, Input } from '../../api/call.ts'
import type { Problem } from '../../api/problem.ts'

/** Texts by the place of the field in the body: `physician.npi`. A list is separated by commas, a box that is checked is `true`. */
export type Extras = Readonly<Record<string, string>>

export interface ExtraField {
  readonly path: string
  readonly label: string
  /** `text` by default; `choice`: one of the values in the contract. */
  readonly kind?: 'text' | 'choice' | 'list' | 'check'
  readonly type?: 'email' | 'date'
  readonly lines?: number
  readonly hint?: string
  /** What stands in the field at first. It is sent only with something else of its part. */
  readonly preset?: string
}

export interface ExtraSection {
  readonly title: string
  readonly about: string
  readonly fields: readonly ExtraField[]
  /** The part of the body that the server may miss as a whole. */
  readonly part?: string
}

const PROXY = 'patient_details.medical_proxy'
const CONSENTS = 'consents'

export const EXTRA_SECTIONS: readonly ExtraSection[] = [
  {
    title: 'Medical proxy',
    about: 'who answers for a patient under 18',
    part: PROXY,
    fields: [
      { path: `${PROXY}.first_name`, label: 'First name of the proxy' },
      { path: `${PROXY}.last_name`, label: 'Last name of the proxy' },
      { path: `${PROXY}.phone_number`, label: 'Phone number of the proxy' },
      { path: `${PROXY}.email`, label: 'E-mail of the proxy', type: 'email', hint: 'Optional' },
      { path: `${PROXY}.address.first_line`, label: 'Street of the proxy' },
      { path: `${PROXY}.address.second_line`, label: 'Second line of the proxy', hint: 'Optional' },
      { path: `${PROXY}.address.city`, label: 'City of the proxy' },
      { path: `${PROXY}.address.state`, label: 'State of the proxy' },
      { path: `${PROXY}.address.zip`, label: 'ZIP code of the proxy' },
      { path: `${PROXY}.address.country`, label: 'Country of the proxy', preset: 'US' },
    ],
  },
  {
    title: 'Billing and insurance',
    about: 'who pays; your team by default',
    part: 'health_insurance',
    fields: [
      { path: 'billing_type', label: 'Billing type', kind: 'choice' },
      { path: 'health_insurance.payor_code', label: 'Payor code' },
      { path: 'health_insurance.member_id', label: 'Member ID' },
      { path: 'health_insurance.group_id', label: 'Group ID', hint: 'Optional' },
      { path: 'health_insurance.relationship', label: 'Relationship to the insured person', kind: 'choice' },
      { path: 'icd_codes', label: 'ICD-10 codes', kind: 'list', hint: 'Separated by commas: E11.9, I10' },
      { path: 'health_insurance.subjective', label: 'Subjective notes', lines: 2, hint: 'Optional' },
      { path: 'health_insurance.assessment_plan', label: 'Assessment and plan', lines: 2, hint: 'Optional' },
    ],
  },
  {
    title: 'Physician',
    about: 'who orders; one of the network by default',
    fields: [
      { path: 'physician.first_name', label: 'First name of the physician' },
      { path: 'physician.last_name', label: 'Last name of the physician' },
      { path: 'physician.npi', label: 'NPI', hint: 'Ten digits' },
      { path: 'physician.email', label: 'E-mail of the physician', type: 'email', hint: 'Optional' },
      {
        path: 'physician.licensed_states',
        label: 'Licensed states',
        kind: 'list',
        hint: 'Optional, separated by commas: CA, NY',
      },
    ],
  },
  { title: 'Consents', about: 'what the patient agreed to', fields: [] },
  {
    title: 'Handling',
    about: 'priority, start and notes',
    fields: [
      { path: 'priority', label: 'Priority', kind: 'check' },
      { path: 'activate_by', label: 'Becomes active on', type: 'date', hint: 'At once by default' },
      { path: 'clinical_notes', label: 'Clinical notes', lines: 2 },
      { path: 'passthrough', label: 'Passthrough', lines: 2, hint: 'Your own text, which the order keeps' },
    ],
  },
]

/** The place of a consent in the draft; its type is one of the contract. */
export const consentPath = (type: string): string => `${CONSENTS}.${type}`

/** Returns whether something of the section is filled in. */
export function isFilled({ title, fields }: ExtraSection, extras: Extras): boolean {
  if (title === 'Consents')
    return Object.entries(extras).some(([path, text]) => path.startsWith(CONSENTS) && text !== '')
  return fields.some(({ path }) => (extras[path] ?? '') !== '')
}

/** Returns the part of the body. What is empty is left out. */
export function extrasBody(extras: Extras): Partial<NonNullable<Input<'order.create'>['body']>> {
  const body: Body = {}
  for (const section of EXTRA_SECTIONS) {
    for (const { path, kind, preset } of section.fields) {
      const text = (extras[path] ?? (preset !== undefined && isFilled(section, extras) ? preset : '')).trim()
      if (text !== '') putInto(body, path, kind === 'list' ? listOf(text) : kind === 'check' ? true : text)
    }
  }
  const consents = Object.keys(extras).filter(path => path.startsWith(`${CONSENTS}.`) && extras[path] !== '')
  if (consents.length > 0) body[CONSENTS] = consents.map(path => ({ consentType: path.slice(CONSENTS.length + 1) }))
  return body // the places are those of the contract, and the server says at the field which text it refuses
}

const listOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter(each => each !== '')

/** Takes the medical proxy from the user's profile info. */
export function extrasFrom(info: Answer<'user.info'>): Extras {
  const [proxy] = EXTRA_SECTIONS
  if (!info.medical_proxy || !proxy) return {}
  const from = { patient_details: info }
  return Object.fromEntries(proxy.fields.map(({ path }) => [path, textAt(from, path)]))
}

/** The place of a field, or of the list whose item it is. */
const placeOf = (field: string): string => field.replace(/\.\d+$/, '')

/** Returns what the server said about a field, or about an item of its list; null: nothing. */
export function extraProblem(problem: Problem | null, path: string): string | null {
  return problem?.fields.find(({ field }) => placeOf(field) === path)?.message ?? null
}

/** Whether the section shows what the server says about this field of the body. */
export function shows({ fields, part }: ExtraSection, field: string): boolean {
  const place = placeOf(field)
  return place === part || fields.some(({ path }) => path === place)
}
