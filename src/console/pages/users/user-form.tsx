/** The dialog that creates or changes a user. */
import { emptyToNull } from '../../api/body.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { type Entry, FormDialog, useForm } from '../../parts/form.tsx'

type User = ResponseOf<'user.get'>

const EMPTY = {
  client_user_id: '',
  fallback_time_zone: '',
  fallback_birth_date: '',
  ingestion_start: '',
  ingestion_end: '',
}

const fields = (): readonly Entry<typeof EMPTY>[] => [
  {
    name: 'client_user_id',
    label: 'client_user_id',
    isRequired: true,
    hint: 'Your own reference, for example an id from your database',
  },
  {
    class: 'columns',
    fields: [
      {
        name: 'fallback_time_zone',
        label: 'Fallback time zone',
        placeholder: 'Europe/Berlin',
        suggestions: Intl.supportedValuesOf('timeZone'),
        hint: 'For sources without a time zone',
      },
      {
        name: 'fallback_birth_date',
        label: 'Fallback birth date',
        type: 'date',
        hint: 'For providers that do not report an age',
      },
      { name: 'ingestion_start', label: 'First day of ingestion', type: 'date', hint: 'Optional' },
      { name: 'ingestion_end', label: 'Last day of ingestion', type: 'date', hint: 'Optional' },
    ],
  },
]

/** Returns the request body. An empty field is sent as null, which omits or clears the value. */
const buildBody = (values: typeof EMPTY) => ({ ...emptyToNull(values), client_user_id: values.client_user_id })

interface UserDialogProps {
  /** The user to change; absent for a new one. */
  readonly user?: User
  readonly onClose: () => void
  readonly onSaved: (userId: string) => void
}

export function UserDialog({ user, onClose, onSaved }: UserDialogProps) {
  const form = useForm(user ? valuesOf(user) : EMPTY, async values => {
    const body = buildBody(values)
    if (user === undefined) return onSaved((await call('user.create', { body })).user_id)
    await call('user.patch', { params: { user_id: user.user_id }, body })
    onSaved(user.user_id)
  })
  const texts = user ? { title: 'Edit the user', submit: 'Save' } : { title: 'Create a user', submit: 'Create user' }
  return <FormDialog {...texts} onClose={onClose} form={form} fields={fields()} />
}

const valuesOf = ({ client_user_id, fallback_time_zone: zone, fallback_birth_date: birth, ...user }: User) => ({
  client_user_id,
  fallback_time_zone: zone?.id ?? '',
  fallback_birth_date: birth?.value ?? '',
  ingestion_start: user.ingestion_start ?? '',
  ingestion_end: user.ingestion_end ?? '',
})
