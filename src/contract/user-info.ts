/** The latest profile info of a user (interface.md 2.3; interface-gaps 2.3 for the guarantor and the further address fields). */
import { z } from 'zod'
import { date, sensitive } from './primitives.ts'

export const RACES = [
  'african_american_or_black',
  'asian',
  'indigenous_native_american_alaska_native',
  'other',
  'pacific_islander_or_hawaiian',
  'white_caucasian',
] as const
export const ETHNICITIES = ['hispanic', 'non_hispanic', 'ashkenazi_jewish', 'other'] as const
export const SEXUAL_ORIENTATIONS = [
  'lesbian_gay_or_homosexual',
  'heterosexual_or_straight',
  'bisexual',
  'dont_know',
  'other',
] as const
export const GENDER_IDENTITIES = [
  'male',
  'female',
  'female_to_male_ftm_transgender_male_trans_man',
  'male_to_female_mtf_transgender_female_trans_woman',
  'genderqueer',
  'other',
] as const

const text = () => sensitive(z.string())

/** `zip` and `zip_code` hold the same: the interface names the one, published clients ask for the other. */
export const address = () =>
  z
    .object({
      first_line: text(),
      second_line: text().nullable(),
      zip_code: text(),
      zip: text(),
      state: text(),
      city: text(),
      country: text(),
      access_notes: text().nullable(),
    })
    .meta({ id: 'Address' })

/** Who vouches for a patient under 18. */
export const guarantor = () =>
  z
    .object({
      first_name: text(),
      last_name: text(),
      address: address(),
      phone_number: text(),
      household_income: sensitive(z.number().int()).nullable(),
      household_size: sensitive(z.number().int()).nullable(),
      email: text().nullable(),
    })
    .meta({ id: 'GuarantorDetails' })

/** The four enums are not exhaustive: a value that is not listed is kept as it is. */
export const userInfo = () =>
  z
    .object({
      first_name: text(),
      last_name: text(),
      email: text(),
      phone_number: text(),
      gender: text(),
      dob: sensitive(date()),
      address: address(),
      medical_proxy: guarantor().nullable().optional(),
      race: sensitive(z.union([z.enum(RACES), z.string()]))
        .nullable()
        .optional(),
      ethnicity: sensitive(z.union([z.enum(ETHNICITIES), z.string()]))
        .nullable()
        .optional(),
      sexual_orientation: sensitive(z.union([z.enum(SEXUAL_ORIENTATIONS), z.string()]))
        .nullable()
        .optional(),
      gender_identity: sensitive(z.union([z.enum(GENDER_IDENTITIES), z.string()]))
        .nullable()
        .optional(),
    })
    .meta({ id: 'UserInfo' })
