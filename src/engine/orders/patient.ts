/**
 * Checks an order's patient: the stored data, and the requirements that depend on the patient's age. See docs/interface/orders.md#orders-3.
 */
import type { PatientAddressInput, PatientInput } from '../../contract/orders/order-patient.ts'
import { invalid } from '../../core/errors.ts'
import { type EpochMs, formatDate, type IsoDate } from '../../core/time.ts'

/** Age from which a patient does not need a medical proxy. */
const ADULT_YEARS = 18
const OLDEST_YEARS = 130

/** Returns a person's age in whole years on a given day. */
export function ageAt(birth: IsoDate, day: IsoDate): number {
  const years = Number(day.slice(0, 4)) - Number(birth.slice(0, 4))
  return day.slice(5) < birth.slice(5) ? years - 1 : years
}

/** Throws 422 for an impossible birth date, and for a patient under 18 without a medical proxy. */
export function checkPatient(patient: PatientInput, now: EpochMs): void {
  const age = ageAt(patient.dob, formatDate(now))
  const loc = ['body', 'patient_details']
  if (age < 0 || age > OLDEST_YEARS) {
    const msg = `must be a birth date within the last ${OLDEST_YEARS} years`
    throw invalid([{ loc: [...loc, 'dob'], msg, type: 'value_error' }])
  }
  if (age >= ADULT_YEARS || patient.medical_proxy) return
  const msg = `is required for patients under ${ADULT_YEARS}. Specify the person who represents the patient.`
  throw invalid([{ loc: [...loc, 'medical_proxy'], msg, type: 'missing' }])
}

/** Returns the patient, with null for all fields that were not given. */
export function keptPatient(patient: PatientInput): Record<string, unknown> {
  return {
    first_name: patient.first_name,
    last_name: patient.last_name,
    dob: patient.dob,
    gender: patient.gender,
    phone_number: patient.phone_number,
    email: patient.email,
    medical_proxy: keptProxy(patient.medical_proxy),
    race: patient.race ?? null,
    ethnicity: patient.ethnicity ?? null,
    sexual_orientation: patient.sexual_orientation ?? null,
    gender_identity: patient.gender_identity ?? null,
    household_income: patient.household_income ?? null,
    household_size: patient.household_size ?? null,
  }
}

function keptProxy(proxy: PatientInput['medical_proxy']): Record<string, unknown> | null {
  if (!proxy) return null
  const { address } = proxy
  return {
    first_name: proxy.first_name,
    last_name: proxy.last_name,
    address: {
      ...keptLocality(address),
      second_line: address.second_line ?? '',
      access_notes: address.access_notes ?? null,
    },
    phone_number: proxy.phone_number,
    household_income: proxy.household_income ?? null,
    household_size: proxy.household_size ?? null,
    email: proxy.email ?? null,
  }
}

export function keptAddress(address: PatientAddressInput): Record<string, unknown> {
  return {
    receiver_name: address.receiver_name ?? null,
    ...keptLocality(address),
    phone_number: address.phone_number ?? null,
    access_notes: address.access_notes ?? null,
  }
}

function keptLocality(locality: Omit<PatientAddressInput, 'receiver_name' | 'phone_number'>): Record<string, unknown> {
  return {
    first_line: locality.first_line,
    second_line: locality.second_line ?? null,
    city: locality.city,
    state: locality.state.toUpperCase(),
    zip: locality.zip,
    country: locality.country.toUpperCase(),
  }
}
