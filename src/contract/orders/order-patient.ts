/** Schemas of a lab order's patient: the person, the address, and the guarantor of a minor. See docs/interface/orders.md#orders-3. */
import * as z from 'zod'
import {
  component,
  date,
  line,
  matching,
  openEnum,
  sensitive,
  sensitiveText,
  wrongValue,
} from '../kernel/primitives.ts'
import {
  ETHNICITIES,
  emailAddress,
  GENDER_IDENTITIES,
  personName,
  phoneNumber,
  RACES,
  SEXUAL_ORIENTATIONS,
} from '../users/user-info.ts'

export const GENDERS = ['female', 'male', 'other', 'unknown'] as const

const NAME_CHARACTERS = 50

const textLine = (mostCharacters: number) => sensitive(line(mostCharacters))
/** A US postal code, because laboratories deliver kits and draw samples only in the United States. */
const zip = () => sensitive(matching(/^\d{5}(-\d{4})?$/, 'must be a ZIP code such as 12345 or 12345-6789'))
const state = () => sensitive(matching(/^[A-Za-z]{2}$/, 'must be a two-letter US state code'))
const country = () =>
  sensitive(matching(/^(?:US|USA)$/i, 'must be US, because laboratories serve only the United States'))

const streetAddress = () => ({
  first_line: textLine(200),
  second_line: sensitive(z.string().max(200)).nullish(),
  city: textLine(100),
  state: state(),
  zip: zip(),
  country: country(),
})

const guarantorInput = () =>
  component('OrderGuarantor', {
    first_name: personName(NAME_CHARACTERS),
    last_name: personName(NAME_CHARACTERS),
    address: z.object({
      ...streetAddress(),
      access_notes: sensitive(z.string().max(1000)).nullish(),
    }),
    phone_number: phoneNumber(),
    household_income: sensitive(z.int().min(0)).nullish(),
    household_size: sensitive(z.int().min(1).max(100)).nullish(),
    email: emailAddress().nullish(),
  })

const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  sensitive(
    openEnum(values).refine(text => text.length <= 100, wrongValue('must be at most 100 characters long')),
  ).nullish()

/** The patient as sent. A patient under 18 needs a medical_proxy, which the engine checks by its clock. */
export const patientInput = () =>
  component('OrderPatientInput', {
    first_name: personName(NAME_CHARACTERS),
    last_name: personName(NAME_CHARACTERS),
    dob: sensitive(date()),
    gender: sensitive(z.enum(GENDERS)),
    phone_number: phoneNumber(),
    email: emailAddress(),
    medical_proxy: guarantorInput().nullish(),
    race: choice(RACES),
    ethnicity: choice(ETHNICITIES),
    sexual_orientation: choice(SEXUAL_ORIENTATIONS),
    gender_identity: choice(GENDER_IDENTITIES),
    household_income: sensitive(z.int().min(0)).nullish(),
    household_size: sensitive(z.int().min(1).max(100)).nullish(),
  })

export const patientAddressInput = () =>
  component('OrderAddressInput', {
    receiver_name: textLine(100).nullish(),
    ...streetAddress(),
    phone_number: phoneNumber().nullish(),
    access_notes: sensitive(z.string().max(1000)).nullish(),
  })

export type PatientInput = z.output<ReturnType<typeof patientInput>>
export type PatientAddressInput = z.output<ReturnType<typeof patientAddressInput>>

/** The patient as returned in an order. */
export const patientDetails = () =>
  component('OrderPatient', {
    first_name: sensitiveText(),
    last_name: sensitiveText(),
    dob: sensitive(date()),
    gender: sensitiveText(),
    phone_number: sensitiveText(),
    email: sensitiveText(),
    medical_proxy: sensitive(z.unknown()).nullable(),
    race: sensitiveText().nullable(),
    ethnicity: sensitiveText().nullable(),
    sexual_orientation: sensitiveText().nullable(),
    gender_identity: sensitiveText().nullable(),
    household_income: sensitive(z.int()).nullable(),
    household_size: sensitive(z.int()).nullable(),
  })

export const patientAddress = () =>
  component('OrderAddress', {
    receiver_name: sensitiveText().nullable(),
    first_line: sensitiveText(),
    second_line: sensitiveText().nullable(),
    city: sensitiveText(),
    state: sensitiveText(),
    zip: sensitiveText(),
    country: sensitiveText(),
    phone_number: sensitiveText().nullable(),
    access_notes: sensitiveText().nullable(),
  })
