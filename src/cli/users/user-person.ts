/** Flags that describe a person: the user in the profile info, or the insured person. */
import { string } from '@oclif/core/flags'
import type { PersonalFields } from './user-document.ts'

const text = (description: string) => string({ description, helpGroup: 'PERSON' })

/** Flags for name, contact data, birth and address. */
export const personFlags = () => ({
  'first-name': text('First name'),
  'last-name': text('Last name'),
  email: text('E-mail address'),
  'phone-number': text('Phone number, at least 10 digits'),
  gender: text('Gender: female, male, other or unknown'),
  dob: string({ description: 'Date of birth', helpGroup: 'PERSON', helpValue: 'YYYY-MM-DD' }),
  'first-line': text('Address: street and number'),
  'second-line': text('Address: second line'),
  city: text('Address: city'),
  state: text('Address: state'),
  zip: text('Address: postal code'),
  country: text('Address: country'),
  'access-notes': text('Address: access notes'),
})

type PersonValues = { readonly [Name in keyof ReturnType<typeof personFlags>]?: string | undefined }

/** Returns the fields from the flags, in the service's form. */
export function readPersonFlags(flags: PersonValues): PersonalFields {
  const address = definedFields({
    first_line: flags['first-line'],
    second_line: flags['second-line'],
    city: flags.city,
    state: flags.state,
    // A document may use the other spelling.
    zip: flags.zip,
    zip_code: flags.zip,
    country: flags.country,
    access_notes: flags['access-notes'],
  })
  return definedFields({
    first_name: flags['first-name'],
    last_name: flags['last-name'],
    email: flags.email,
    phone_number: flags['phone-number'],
    gender: flags.gender,
    dob: flags.dob,
    address: Object.keys(address).length > 0 ? address : undefined,
  })
}

/** Returns the fields without those that are undefined. */
export function definedFields(fields: PersonalFields): PersonalFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
