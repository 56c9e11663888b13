/** Builds the body of a lab order from flags, a file and the user's profile info. */
import { boolean, integer, option, string } from '@oclif/core/flags'
import { BILLING_TYPES } from '../../catalogue/labs/lab-accounts.ts'
import { COLLECTION_METHODS } from '../../catalogue/labs/labs.ts'
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { dateReader } from '../arguments/dates.ts'
import { labTestIds } from '../arguments/lab-test-argument.ts'
import { type FlagValues, repeatable } from '../runtime/shared-flags.ts'
import { mergeFields, type PersonalFields, readUserDocument } from '../users/user-document.ts'
import { definedFields, personFlags, readPersonFlags } from '../users/user-person.ts'

/** Flags that choose the lab tests and markers to order. */
export const orderSetFlags = () => ({
  'lab-test': string({ description: 'Lab test, as ID or slug; can be repeated', helpValue: 'TEST', ...repeatable }),
  marker: integer({ description: 'ID of a marker to add; can be repeated', ...repeatable }),
  code: string({ description: "Lab's code for a marker to add; can be repeated", helpValue: 'CODE', ...repeatable }),
  'lab-account': string({ description: 'ID of the lab account to use', helpValue: 'ID' }),
})

/** Flags of an order, except the flags that identify the user. */
export const orderFlags = () => ({
  ...orderSetFlags(),
  file: string({
    description: 'File with the request body in JSON; - reads stdin; flags override it',
    helpValue: 'FILE',
  }),
  'collection-method': option({
    options: COLLECTION_METHODS,
    description: "Collection method; defaults to the lab test's",
  })(),
  billing: option({ options: BILLING_TYPES, description: 'Who pays for the order' })(),
  'icd-code': string({ description: 'ICD code of a diagnosis; can be repeated', helpValue: 'CODE', ...repeatable }),
  'activate-by': string({
    description: 'Day on which the order becomes active: 2026-12-01, today, tomorrow',
    helpValue: 'DATE',
  }),
  priority: boolean({ description: 'Request priority handling' }),
  'clinical-notes': string({ description: 'Notes for the lab' }),
  passthrough: string({ description: 'Your own text, returned with the order' }),
  ...personFlags(),
})

/** Returns the order set. Lab tests can be given as slugs. */
export async function buildOrderSet(
  client: ServiceClient,
  flags: FlagValues<ReturnType<typeof orderSetFlags>>,
): Promise<PersonalFields> {
  const addOn = definedFields({ marker_ids: flags.marker, provider_ids: flags.code })
  return definedFields({
    lab_test_ids: flags['lab-test'] && (await labTestIds(client, flags['lab-test'])),
    add_on: Object.keys(addOn).length > 0 ? addOn : undefined,
    lab_account_id: flags['lab-account'],
  })
}

type OrderValues = FlagValues<ReturnType<typeof orderFlags>>

/** Reads the document of `--file`, before any request to the service. */
export function orderDocument(flags: OrderValues): Promise<PersonalFields> {
  return readUserDocument(flags.file)
}

/** Returns the whole body. The patient comes from the file or, if it has none, from the user's profile info; flags override both. */
export async function buildOrderRequest(
  client: ServiceClient,
  {
    flags,
    document,
    userId,
  }: { readonly flags: OrderValues; readonly document: PersonalFields; readonly userId: string },
): Promise<PersonalFields> {
  const { address, ...person } = readPersonFlags(flags)
  const set = await buildOrderSet(client, flags)
  const isWhole = document['patient_details'] && document['patient_address']
  const profile = isWhole ? {} : await fetchProfile(client, userId)
  const isAnythingOrdered = Object.keys(set).length > 0 || 'order_set' in document || 'lab_test_id' in document
  if (!isAnythingOrdered) {
    throw new ServiceError('usage', 'The order is empty. Give a --lab-test, a --marker or a --code.', {
      suggestions: ['`svc labs tests` and `svc labs markers` list what you can order.'],
    })
  }
  const body = mergeFields(mergeFields(profile ?? {}, document), {
    user_id: userId,
    ...definedFields({
      patient_details: Object.keys(person).length > 0 ? person : undefined,
      patient_address: address,
      order_set: Object.keys(set).length > 0 ? set : undefined,
      collection_method: flags['collection-method'],
      billing_type: flags.billing,
      icd_codes: flags['icd-code'],
      activate_by: await dateReader(client, userId)('first day', '--activate-by', flags['activate-by']),
      priority: flags.priority ? true : undefined,
      clinical_notes: flags['clinical-notes'],
      passthrough: flags.passthrough,
    }),
  })
  if (profile === undefined && !(body['patient_details'] && body['patient_address'])) throw noPatient()
  return body
}

/** Returns the error for an order without a patient. It lists the missing fields and the command that stores them for later orders. */
function noPatient(): ServiceError {
  return new ServiceError(
    'invalid_request',
    'The user has no profile info, so the name, birth date and address of the patient are unknown.',
    {
      suggestions: [
        `Store the profile info once: svc user set-info USER ${SET_INFO}`,
        'Or give the same flags, or --file with patient_details and patient_address, for this order only.',
      ],
    },
  )
}

const SET_INFO =
  '--first-name NAME --last-name NAME --email EMAIL --phone-number NUMBER --gender GENDER --dob YYYY-MM-DD ' +
  '--first-line STREET --city CITY --state STATE --zip ZIP --country US'

/** Returns the patient from the profile info; undefined if there is none, and an empty object if the team may not read it. */
async function fetchProfile(client: ServiceClient, userId: string): Promise<PersonalFields | undefined> {
  try {
    const reply = await client.call('user.info', { params: { user_id: userId } })
    if (reply.kind !== 'json') return {}
    const { address, ...person } = reply.body
    return { patient_details: { ...person, gender: person.gender.toLowerCase() }, patient_address: { ...address } }
  } catch (error) {
    if (error instanceof ServiceError && error.category === 'not_found') return undefined
    if (error instanceof ServiceError && error.code === 'feature_disabled') return {}
    throw error
  }
}
