/** The fields of a person and of an address, by path in a request, and the text for an address. */
import type { FormField } from './form.tsx'

export interface PersonField extends FormField {
  /** Whether the service accepts the person or address without this field. */
  readonly isOptional?: boolean
}

const OPTIONAL = { isOptional: true, hint: 'Optional' } as const

/** Returns the fields of a person. `at` is the path of the person in the request, with a trailing dot, or an empty text. */
export function personFields(at: string): readonly PersonField[] {
  return [
    { name: `${at}first_name`, label: 'First name' },
    { name: `${at}last_name`, label: 'Last name' },
    { name: `${at}dob`, label: 'Date of birth', type: 'date' },
    { name: `${at}gender`, label: 'Gender' },
    { name: `${at}email`, label: 'E-mail', type: 'email' },
    { name: `${at}phone_number`, label: 'Phone number' },
  ]
}

export function addressFields(at: string): readonly PersonField[] {
  return [
    { name: `${at}first_line`, label: 'Street' },
    { name: `${at}second_line`, label: 'Second line', ...OPTIONAL },
    { name: `${at}city`, label: 'City' },
    { name: `${at}state`, label: 'State' },
    { name: `${at}zip`, label: 'ZIP code' },
    { name: `${at}country`, label: 'Country' },
  ]
}

export const accessNotes = (at: string): PersonField => ({
  name: `${at}access_notes`,
  label: 'Access notes',
  ...OPTIONAL,
})

/** Returns the fields of the person responsible for a patient under 18. */
export function proxyFields(at: string, ...more: readonly PersonField[]): readonly PersonField[] {
  const fields: readonly PersonField[] = [
    { name: `${at}first_name`, label: 'First name' },
    { name: `${at}last_name`, label: 'Last name' },
    { name: `${at}phone_number`, label: 'Phone number' },
    { name: `${at}email`, label: 'E-mail', type: 'email', ...OPTIONAL },
    ...addressFields(`${at}address.`),
    ...more,
  ]
  return fields.map(each => ({ ...each, label: `${each.label} of the proxy` }))
}

/** Makes the browser require all fields except the optional ones before it submits the form. */
export const required = (fields: readonly PersonField[]): readonly PersonField[] =>
  fields.map(each => ({ ...each, isRequired: !each.isOptional }))

type Address = Readonly<Record<'first_line' | 'city' | 'state' | 'zip', string>> & {
  readonly second_line?: string | null
  readonly country?: string | null
}

/** Returns an address on one line. */
export const addressText = ({ first_line, second_line, city, state, zip, country }: Address): string =>
  [first_line, second_line, city, state, zip, country].filter(Boolean).join(', ')
