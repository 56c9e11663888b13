/** Schemas of a user's profile info. See docs/interface/users.md#users-18. */
import * as z from 'zod'
import { component, date, line, openEnum, sensitive, sensitiveText, wrongValue } from '../kernel/primitives.ts'

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

/**
 * An address as returned. `zip` and `zip_code` are the same: one is documented, and existing clients read the other one. See
 * docs/interface/users.md#users-19.
 */
export const address = () =>
  component('Address', {
    first_line: sensitiveText(),
    second_line: sensitiveText().nullable(),
    zip_code: sensitiveText(),
    zip: sensitiveText(),
    state: sensitiveText(),
    city: sensitiveText(),
    country: sensitiveText(),
    access_notes: sensitiveText().nullable(),
  })

/** The person responsible for a patient under 18. */
export const guarantor = () =>
  component('GuarantorDetails', {
    first_name: sensitiveText(),
    last_name: sensitiveText(),
    address: address(),
    phone_number: sensitiveText(),
    household_income: sensitive(z.int()).nullable(),
    household_size: sensitive(z.int()).nullable(),
    email: sensitiveText().nullable(),
  })

/** Profile info as returned. The four enumerations are open: unlisted values are returned unchanged. */
export const userInfo = () =>
  component('UserInfo', {
    first_name: sensitiveText(),
    last_name: sensitiveText(),
    email: sensitiveText(),
    phone_number: sensitiveText(),
    gender: sensitiveText(),
    dob: sensitive(date()),
    address: address(),
    medical_proxy: guarantor().nullish(),
    race: sensitive(openEnum(RACES)).nullish(),
    ethnicity: sensitive(openEnum(ETHNICITIES)).nullish(),
    sexual_orientation: sensitive(openEnum(SEXUAL_ORIENTATIONS)).nullish(),
    gender_identity: sensitive(openEnum(GENDER_IDENTITIES)).nullish(),
  })

/**
 * Returns whether labs accept a person's name: words of Latin letters, digits and - . , ' with single spaces between them. A letter may be
 * followed by combining marks, because a keyboard or a form may send é as two characters. The pattern is created inside the function,
 * because loading the letter classes takes a millisecond.
 */
const isName = (text: string): boolean =>
  /^[\p{Script=Latin}0-9][\p{Script=Latin}\p{M}0-9\-.,']*( [\p{Script=Latin}0-9\-.,'][\p{Script=Latin}\p{M}0-9\-.,']*)*$/u.test(
    text,
  )
/** The rule for names, as shown in messages. */
const NAME_RULE =
  "must contain only Latin letters (including ones such as é, ß and Ł), digits and - . , ' with single spaces between words, and must " +
  'begin with a letter or digit'
const EMAIL = /^[^\s\p{Cc}@,;<>"]+@[^\s\p{Cc}@,;<>".]+(\.[^\s\p{Cc}@,;<>".]+)+$/u
const PHONE = /^[0-9+()\-. ]+$/

/** Text that reports at most one issue: empty or overlong text is not checked further. */
const checked = (mostCharacters: number, isRight: (text: string) => boolean, message: string) =>
  sensitive(
    z
      .string()
      .min(1)
      .max(mostCharacters)
      .refine(text => text === '' || text.length > mostCharacters || isRight(text), wrongValue(message)),
  )

/** A first or last name. */
export const personName = (mostCharacters = 100) => checked(mostCharacters, isName, NAME_RULE)
export const emailAddress = () => checked(254, text => EMAIL.test(text), 'must be an e-mail address')
export const phoneNumber = () =>
  checked(
    32,
    text => PHONE.test(text) && text.replaceAll(/\D/g, '').length >= 10,
    'must have at least 10 digits, and no other characters except + ( ) - . and spaces',
  )

const part = (mostCharacters: number) => sensitive(line(mostCharacters))

/** An address as sent, with `zip`, `zip_code` or both. The transform converts it to the form of `address`. */
export const newAddress = () =>
  z
    .object({
      first_line: part(200),
      second_line: sensitive(z.union([z.literal(''), line(200)])).nullish(),
      zip: part(20).optional(),
      zip_code: part(20).optional().meta({ description: 'Same as zip; one of the two is required' }),
      state: part(64),
      city: part(100),
      country: part(64),
      access_notes: part(1000).nullish(),
    })
    .refine(({ zip, zip_code: other }) => zip !== undefined || other !== undefined, {
      path: ['zip'],
      ...wrongValue('Field required', 'missing'),
      // this check also runs if other fields are missing, so that one response lists all missing fields
      when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
    })
    .refine(({ zip, zip_code: other }) => zip === undefined || other === undefined || zip === other, {
      path: ['zip'],
      ...wrongValue('must be the same as zip_code if both are sent'),
    })
    .transform(({ zip, zip_code: other, second_line: second, access_notes: notes, ...rest }) => {
      const code = zip ?? other ?? ''
      return { ...rest, second_line: second ?? '', zip: code, zip_code: code, access_notes: notes ?? null }
    })
    .meta({ id: 'NewAddress' })

/** The person responsible for a patient under 18, as sent. */
export const newGuarantor = () =>
  z
    .object({
      first_name: personName(),
      last_name: personName(),
      address: newAddress(),
      phone_number: phoneNumber(),
      household_income: sensitive(z.int().min(0)).nullish(),
      household_size: sensitive(z.int().min(1).max(100)).nullish(),
      email: emailAddress().nullish(),
    })
    .transform(({ household_income: income, household_size: size, email, ...rest }) => ({
      ...rest,
      household_income: income ?? null,
      household_size: size ?? null,
      email: email ?? null,
    }))
    .meta({ id: 'NewGuarantor' })

/** Body of PATCH /v2/user/{user_id}/info; it replaces all of the previous info. */
export const setUserInfo = () =>
  component('SetUserInfo', {
    first_name: personName(),
    last_name: personName(),
    email: emailAddress(),
    phone_number: phoneNumber(),
    gender: part(64),
    dob: sensitive(date()),
    address: newAddress(),
    medical_proxy: newGuarantor().nullish(),
    race: sensitive(z.enum(RACES)).nullish(),
    ethnicity: sensitive(z.enum(ETHNICITIES)).nullish(),
    sexual_orientation: sensitive(z.enum(SEXUAL_ORIENTATIONS)).nullish(),
    gender_identity: sensitive(z.enum(GENDER_IDENTITIES)).nullish(),
  })
