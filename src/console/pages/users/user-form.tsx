/** The dialogs that create a user and change one. */
import { useState } from 'preact/hooks'
import { type Answer, call } from '../../api/call.ts'
import type { Problem } from '../../api/problem.ts'
import { useAction } from '../../api/use-call.ts'
import { problemWith, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ProblemNote } from '../../parts/states.tsx'

type User = Answer<'user.get'>

/** Values of the fields as texts; an empty text for none. */
interface Fields {
  readonly client_user_id: string
  readonly fallback_time_zone: string
  readonly fallback_birth_date: string
  readonly ingestion_start: string
  readonly ingestion_end: string
}

const EMPTY: Fields = {
  client_user_id: '',
  fallback_time_zone: '',
  fallback_birth_date: '',
  ingestion_start: '',
  ingestion_end: '',
}

function fieldsOf(user: User): Fields {
  return {
    client_user_id: user.client_user_id,
    fallback_time_zone: user.fallback_time_zone?.id ?? '',
    fallback_birth_date: user.fallback_birth_date?.value ?? '',
    ingestion_start: user.ingestion_start ?? '',
    ingestion_end: user.ingestion_end ?? '',
  }
}

/** An empty field is sent as null, which leaves it out or clears it. */
function bodyOf(fields: Fields) {
  return {
    client_user_id: fields.client_user_id,
    fallback_time_zone: fields.fallback_time_zone || null,
    fallback_birth_date: fields.fallback_birth_date || null,
    ingestion_start: fields.ingestion_start || null,
    ingestion_end: fields.ingestion_end || null,
  }
}

interface CreateProps {
  readonly onClose: () => void
  readonly onCreated: (user: User) => void
}

export function CreateUser({ onClose, onCreated }: CreateProps) {
  const [fields, setFields] = useState(EMPTY)
  const create = useAction(async () => onCreated(await call('user.create', { body: bodyOf(fields) })))
  return (
    <FormDialog title="Create a user" onClose={onClose} action={create} submit="Create user">
      <UserFields fields={fields} onChange={setFields} problem={create.problem} />
    </FormDialog>
  )
}

interface EditProps {
  readonly user: User
  readonly onClose: () => void
  readonly onChanged: () => void
}

export function EditUser({ user, onClose, onChanged }: EditProps) {
  const [fields, setFields] = useState(() => fieldsOf(user))
  const save = useAction(async () => {
    await call('user.patch', { params: { user_id: user.user_id }, body: bodyOf(fields) })
    onChanged()
  })
  return (
    <FormDialog title="Edit the user" onClose={onClose} action={save} submit="Save">
      <UserFields fields={fields} onChange={setFields} problem={save.problem} />
    </FormDialog>
  )
}

interface UserFieldsProps {
  readonly fields: Fields
  readonly onChange: (fields: Fields) => void
  readonly problem: Problem | null
}

function UserFields({ fields, onChange, problem }: UserFieldsProps) {
  const bind = (name: keyof Fields) => ({
    value: fields[name],
    onInput: (value: string) => onChange({ ...fields, [name]: value }),
    problem: problemWith(problem, name),
  })
  return (
    <>
      {problem?.fields.every(each => !(each.field in EMPTY)) && <ProblemNote problem={problem} />}
      <TextField
        label="client_user_id"
        isRequired
        autoFocus
        hint="Your own reference, for example the id in your database"
        {...bind('client_user_id')}
      />
      <div class="columns">
        <TextField
          label="Fallback time zone"
          placeholder="Europe/Berlin"
          suggestions={Intl.supportedValuesOf('timeZone')}
          hint="For sources without a time zone"
          {...bind('fallback_time_zone')}
        />
        <TextField
          label="Fallback birth date"
          type="date"
          hint="For providers that do not report an age"
          {...bind('fallback_birth_date')}
        />
        <TextField label="First day of ingestion" type="date" hint="Optional" {...bind('ingestion_start')} />
        <TextField label="Last day of ingestion" type="date" hint="Optional" {...bind('ingestion_end')} />
      </div>
    </>
  )
}
