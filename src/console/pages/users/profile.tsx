/** A user's latest profile info, and the dialog that sets it. */
import { readableName } from '../../../catalogue/wording.ts'
import { type Body, setAtPath, textAtPath } from '../../api/body.ts'
import { call, type Input, type ResponseOf } from '../../api/call.ts'
import { toOptions, useChoices } from '../../api/choices.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog, useForm } from '../../parts/form.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import {
  accessNotes,
  addressFields,
  addressText,
  type PersonField,
  personFields,
  proxyFields,
  required,
} from '../../parts/person-fields.ts'
import { Name } from '../../parts/small.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { useUrlState } from '../../shell/url-state.ts'

export function Profile({ userId }: { readonly userId: string }) {
  const load = useLoad('user.info', { params: { user_id: userId } })
  const info = load.data
  const isMissing = load.problem?.status === 404
  const { query, change } = useUrlState()
  const edit = (
    <Button isSmall={!isMissing} needs="user.set_info" onClick={() => change({ open: 'profile' }, true)}>
      {isMissing ? 'Set the profile' : 'Edit the profile'}
    </Button>
  )
  return (
    <Card title="Profile" actions={info && edit}>
      {load.isLoading && !info && <Skeleton lines={3} />}
      {isMissing ? (
        <Empty title="No profile info" action={edit}>
          Lab orders take the patient from it. On a terminal, <code>svc user set-info</code> sets it.
        </Empty>
      ) : (
        <ProblemNote problem={load.problem} onRetry={load.reload} />
      )}
      {info && (
        <Facts
          rows={[
            ['Name', <Name key="name" lines={3}>{`${info.first_name} ${info.last_name}`}</Name>],
            ['Date of birth', info.dob],
            ['Gender', readableName(info.gender)],
            ['E-mail', info.email],
            ['Phone', info.phone_number],
            [
              'Address',
              <Name key="address" lines={3}>
                {addressText(info.address)}
              </Name>,
            ],
            [
              'Medical proxy',
              info.medical_proxy && (
                <Name key="proxy">{`${info.medical_proxy.first_name} ${info.medical_proxy.last_name}`}</Name>
              ),
            ],
          ]}
        />
      )}
      {query['open'] === 'profile' && (info || isMissing) && (
        <ProfileForm
          userId={userId}
          info={info ?? null}
          onClose={() => change({ open: null })}
          onSaved={saved => {
            change({ open: null })
            load.replace(saved)
          }}
        />
      )}
    </Card>
  )
}

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

function ProfileForm({ userId, info, onClose, onSaved }: ProfileFormProps) {
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
