/** Schemas of a user's health insurance. See docs/interface/users.md#users-23. */
import * as z from 'zod'
import { component, date, flag, line, sensitive, sensitiveText } from '../kernel/primitives.ts'
import { address, emailAddress, guarantor, newAddress, newGuarantor, personName, phoneNumber } from './user-info.ts'

const RELATIONSHIPS = ['Self', 'Spouse', 'Other'] as const
const GENDERS = ['female', 'male', 'other', 'unknown'] as const

const insured = () =>
  z.object({
    first_name: personName(),
    last_name: personName(),
    gender: sensitive(z.enum(GENDERS)),
    address: newAddress(),
    dob: sensitive(date()),
    email: emailAddress(),
    phone_number: phoneNumber(),
  })

/** Body of POST /v2/user/{user_id}/insurance. */
export const createInsurance = () =>
  component('CreateInsurance', {
    payor_code: line(64),
    member_id: sensitive(line(64)),
    group_id: sensitive(line(64)).nullish(),
    relationship: z.enum(RELATIONSHIPS).meta({ description: 'Relationship of the user to the insured person' }),
    insured: insured(),
    guarantor: newGuarantor().nullish(),
    is_primary: z.boolean().default(true),
  })

export const insurance = () =>
  component('Insurance', {
    payor_code: z.string(),
    member_id: sensitiveText(),
    group_id: sensitiveText().nullable(),
    relationship: z.string(),
    insured: z.object({
      first_name: sensitiveText(),
      last_name: sensitiveText(),
      gender: sensitiveText(),
      address: address(),
      dob: sensitive(date()),
      email: sensitiveText(),
      phone_number: sensitiveText(),
    }),
    guarantor: guarantor().nullable(),
    company: z
      .object({ name: z.string(), address: address() })
      .meta({ description: 'Payor; if payor_code is unknown, the name is the code itself' }),
    is_primary: z.boolean(),
  })

export const latestInsuranceQuery = () =>
  z.object({
    is_primary: flag().optional().meta({ description: 'true: only primary insurance; false: only other insurance' }),
  })
