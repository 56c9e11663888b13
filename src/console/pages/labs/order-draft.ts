/** What a person fills in for an order, and the request body that is made from it. */
import type { Answer, Input } from '../../api/call.ts'
import type { Problem } from '../../api/problem.ts'
import { EXTRA_SECTIONS, type Extras, extrasBody, extrasFrom, shows } from './order-extras.ts'

export interface Patient {
  readonly first_name: string
  readonly last_name: string
  readonly dob: string
  readonly gender: string
  readonly email: string
  readonly phone_number: string
}
export interface Address {
  readonly first_line: string
  readonly second_line: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
}

export interface Draft {
  readonly patient: Patient
  readonly address: Address
  /** Texts by `keyOf` of the question. */
  readonly answers: Readonly<Record<string, string>>
  readonly extras: Extras
}

export const EMPTY_DRAFT: Draft = {
  patient: { first_name: '', last_name: '', dob: '', gender: '', email: '', phone_number: '' },
  address: { first_line: '', second_line: '', city: '', state: '', zip: '', country: 'US' },
  answers: {},
  extras: {},
}

/** Fills in the patient from the user's profile info. */
export function patientFrom(draft: Draft, info: Answer<'user.info'>): Draft {
  const { first_name, last_name, dob, gender, email, phone_number, address } = info
  const { first_line, second_line, city, state, zip, country } = address
  return {
    ...draft,
    patient: { first_name, last_name, dob, gender: gender.toLowerCase(), email, phone_number },
    address: { first_line, second_line: second_line ?? '', city, state, zip, country },
    extras: { ...draft.extras, ...extrasFrom(info) },
  }
}

type Marker = Answer<'labs.markers'>['markers'][number]

/** A question that a lab asks when a marker is ordered. */
export type Asked = NonNullable<Marker['aoe']>['questions'][number] & { readonly markerId: number }

export function askedOf(marker: Marker): readonly Asked[] {
  return (marker.aoe?.questions ?? []).map(question => ({ ...question, markerId: marker.id }))
}

export const keyOf = ({ markerId, id }: Asked): string => `${markerId} ${id}`

interface What {
  readonly userId: string
  readonly set: NonNullable<OrderBody['order_set']>
  readonly asked: readonly Asked[]
}
type OrderBody = NonNullable<Input<'order.create'>['body']>

export function bodyOf(draft: Draft, { userId, set, asked }: What): OrderBody {
  const answers = asked
    .map(each => ({ marker_id: each.markerId, question_id: each.id, answer: draft.answers[keyOf(each)] ?? '' }))
    .filter(each => each.answer !== '')
  const extras = extrasBody(draft.extras)
  return {
    ...extras,
    user_id: userId,
    order_set: set,
    patient_details: {
      ...extras.patient_details,
      ...draft.patient,
      // the server offered the gender, and refuses an empty one by its name
      gender: draft.patient.gender as OrderBody['patient_details']['gender'],
    },
    patient_address: draft.address,
    ...(answers.length > 0 ? { aoe_answers: answers } : {}),
  }
}

/** Whether the fields of the form show every part of the problem. */
export const isShownAtField = (problem: Problem): boolean =>
  problem.fields.length > 0 &&
  problem.fields.every(({ field }) => FIELDS.has(field) || EXTRA_SECTIONS.some(section => shows(section, field)))

const FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(EMPTY_DRAFT.patient).map(name => `patient_details.${name}`),
  ...Object.keys(EMPTY_DRAFT.address).map(name => `patient_address.${name}`),
])
