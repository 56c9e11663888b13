/** The dialog that sets a user's profile info. */
import { type Body, setAtPath, textAtPath } from '../../api/body.ts'
import { call, type Input, type ResponseOf } from '../../api/call.ts'
import { toOptions, useChoices } from '../../api/choices.ts'
import { FormDialog, useForm } from '../../parts/form.tsx'
import {
  accessNotes,
  addressFields,
  type PersonField,
  personFields,
  proxyFields,
  required,
} from '../../parts/person-fields.ts'

type Info = ResponseOf<'user.info'>

/** Texts by field path in the body. */
type Texts = Readonly<Record<string, string>>

const PERSON = required(personFields(''))
const ADDRESS = required([...addressFields('address.'), accessNotes('address.')])
const BACKGROUND: readonly PersonField[] = [
  { name: 'race', label: 'Race', isOptional: true },
  { name: 'ethnicity', label: 'Ethnicity', isOptional: true },
  { name: 'sexual_orientation', label: 'Sexual orientation', isOptional: true },
  { name: 'gender_identity', label: 'Gender identity', isOptional: true },
]
const PROXY = proxyFields('medical_proxy.', accessNotes('medical_proxy.address.'))
const OWN = [...PERSON, ...ADDRESS, ...BACKGROUND]
const ALL = [...OWN, ...PROXY]

/** Returns the request body. The request replaces the whole info, so values without a field are sent unchanged. */
function buildBody(info: Info | null, texts: Texts): Input<'user.set_info'>['body'] {
  const body = structuredClone((info ?? {}) as Body) // an object of JSON
  const hasProxy = PROXY.some(({ name }) => texts[name] !== '')
  if (!hasProxy) body['medical_proxy'] = null
  else body['medical_proxy'] ??= {}
  for (const { name, isOptional } of hasProxy ? ALL : OWN) {
    setAtPath(body, name, texts[name] || (isOptional ? null : ''))
    // another name for the same value
    if (name.endsWith('.zip')) setAtPath(body, `${name}_code`, texts[name] || undefined)
  }
  return body as Input<'user.set_info'>['body'] // the server reports missing values at their fields
}

interface ProfileFormProps {
  readonly userId: string
  /** Existing profile info; null if the user has none. */
  readonly info: Info | null
  readonly onClose: () => void
  readonly onSaved: (info: Info) => void
}

export function ProfileForm({ userId, info, onClose, onSaved }: ProfileFormProps) {
  const choices = useChoices('user.set_info')
  const genders = useChoices('order.create')('patient_details.gender')
  const form = useForm<Texts>(
    () => Object.fromEntries(ALL.map(({ name }) => [name, textAtPath(info, name)])),
    async texts => onSaved(await call('user.set_info', { params: { user_id: userId }, body: buildBody(info, texts) })),
  )
  return (
    <FormDialog
      title={info === null ? 'Set the profile' : 'Edit the profile'}
      submit="Save"
      isWide
      onClose={onClose}
      form={form}
      fields={[
        {
          legend: 'Person',
          fields: PERSON.map(each => (each.name === 'gender' ? { ...each, suggestions: genders } : each)),
        },
        { legend: 'Address', fields: ADDRESS },
        {
          class: 'field-parts',
          fields: [
            {
              legend: 'Background',
              about: 'race, ethnicity and gender identity, for orders that ask for it',
              fields: BACKGROUND.map(each => ({ ...each, options: toOptions(choices(each.name), 'Not given') })),
            },
            { legend: 'Medical proxy', about: 'who is responsible for a patient under 18', fields: PROXY },
          ],
        },
      ]}
    />
  )
}
