/** The dialog that sets the profile info of a user. */

import { useState } from 'preact/hooks'
import { words } from '../../../catalogue/wording.ts'
import { type Body, putInto, textAt } from '../../api/body.ts'
import { type Answer, call, type Input } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import type { Problem } from '../../api/problem.ts'
import { useAction } from '../../api/use-call.ts'
import { problemWith, SelectField, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ProblemNote } from '../../parts/states.tsx'

type Info = Answer<'user.info'>

/** Texts by the place of the field in the body. */
type Texts = Readonly<Record<string, string>>

interface ProfileField {
  readonly path: string
  readonly label: string
  readonly type?: 'email' | 'date'
  readonly isOptional?: boolean
  /** The field has one of the values in the contract. */
  readonly isChoice?: boolean
}

const placeIn = (path: string): readonly ProfileField[] => [
  { path: `${path}.first_line`, label: 'Street' },
  { path: `${path}.second_line`, label: 'Second line', isOptional: true },
  { path: `${path}.city`, label: 'City' },
  { path: `${path}.state`, label: 'State' },
  { path: `${path}.zip`, label: 'ZIP code' },
  { path: `${path}.country`, label: 'Country' },
  { path: `${path}.access_notes`, label: 'Access notes', isOptional: true },
]

const PERSON: readonly ProfileField[] = [
  { path: 'first_name', label: 'First name' },
  { path: 'last_name', label: 'Last name' },
  { path: 'dob', label: 'Date of birth', type: 'date' },
  { path: 'gender', label: 'Gender' },
  { path: 'email', label: 'E-mail', type: 'email' },
  { path: 'phone_number', label: 'Phone number' },
]
const ADDRESS = placeIn('address')
const BACKGROUND: readonly ProfileField[] = [
  { path: 'race', label: 'Race', isOptional: true, isChoice: true },
  { path: 'ethnicity', label: 'Ethnicity', isOptional: true, isChoice: true },
  { path: 'sexual_orientation', label: 'Sexual orientation', isOptional: true, isChoice: true },
  { path: 'gender_identity', label: 'Gender identity', isOptional: true, isChoice: true },
]
const PROXY: readonly ProfileField[] = [
  { path: 'medical_proxy.first_name', label: 'First name' },
  { path: 'medical_proxy.last_name', label: 'Last name' },
  { path: 'medical_proxy.phone_number', label: 'Phone number' },
  { path: 'medical_proxy.email', label: 'E-mail', type: 'email' as const, isOptional: true },
  ...placeIn('medical_proxy.address'),
].map(each => ({ ...each, label: `${each.label} of the proxy` }))
const ALL = [...PERSON, ...ADDRESS, ...BACKGROUND, ...PROXY]

const textsOf = (info: Info | null): Texts => Object.fromEntries(ALL.map(({ path }) => [path, textAt(info, path)]))

/** The info is replaced as a whole, so what has no field stays as it was. */
function bodyOf(info: Info | null, texts: Texts): Input<'user.set_info'>['body'] {
  const body = structuredClone((info ?? {}) as Body) // an object of JSON
  const hasProxy = PROXY.some(({ path }) => texts[path] !== '')
  if (!hasProxy) body['medical_proxy'] = null
  else body['medical_proxy'] ??= {}
  for (const { path, isOptional } of hasProxy ? ALL : ALL.filter(each => !PROXY.includes(each))) {
    putInto(body, path, texts[path] || (isOptional ? null : ''))
    // the other name of the same value
    if (path.endsWith('.zip')) putInto(body, `${path}_code`, texts[path])
  }
  return body as Input<'user.set_info'>['body'] // the server says at the field what it lacks
}

interface ProfileFormProps {
  readonly userId: string
  /** Null: the user has none. */
  readonly info: Info | null
  readonly onClose: () => void
  readonly onSaved: (info: Info) => void
}

export function ProfileForm({ userId, info, onClose, onSaved }: ProfileFormProps) {
  const [texts, setTexts] = useState(() => textsOf(info))
  const save = useAction(async () =>
    onSaved(await call('user.set_info', { params: { user_id: userId }, body: bodyOf(info, texts) })),
  )
  const { problem } = save
  const part = (fields: readonly ProfileField[], legend: string, isHidden = false) => (
    <fieldset class="field-grid">
      <legend class={isHidden ? 'visually-hidden' : ''}>{legend}</legend>
      {fields.map(field => (
        <Field
          key={field.path}
          field={field}
          text={texts[field.path] ?? ''}
          onInput={text => setTexts({ ...texts, [field.path]: text })}
          problem={problem}
        />
      ))}
    </fieldset>
  )
  const isRefused = (fields: readonly ProfileField[]) => fields.some(({ path }) => problemWith(problem, path) !== null)
  return (
    <FormDialog
      title={info === null ? 'Set the profile' : 'Edit the profile'}
      isWide
      onClose={onClose}
      action={save}
      submit="Save"
    >
      {problem && !isRefused(ALL) && <ProblemNote problem={problem} />}
      {part(PERSON, 'Person')}
      {part(ADDRESS, 'Address')}
      <div class="field-parts">
        <details open={isRefused(BACKGROUND)}>
          <summary>
            Background <span class="soft">race, ethnicity and gender identity, for orders that ask for it</span>
          </summary>
          {part(BACKGROUND, 'Background', true)}
        </details>
        <details open={isRefused(PROXY)}>
          <summary>
            Medical proxy <span class="soft">who answers for a patient under 18</span>
          </summary>
          {part(PROXY, 'Medical proxy', true)}
        </details>
      </div>
    </FormDialog>
  )
}

interface FieldProps {
  readonly field: ProfileField
  readonly text: string
  readonly onInput: (text: string) => void
  readonly problem: Problem | null
}

function Field({ field, text, onInput, problem }: FieldProps) {
  const { path, label, type, isOptional = false, isChoice = false } = field
  const choices = useChoices('user.set_info', path, isChoice)
  const genders = useChoices('order.create', 'patient_details.gender', path === 'gender')
  const shared = { label, value: text, problem: problemWith(problem, path) }
  if (isChoice)
    return (
      <SelectField
        {...shared}
        onChange={onInput}
        options={[{ value: '', label: 'Not given' }, ...choices.map(value => ({ value, label: words(value) }))]}
      />
    )
  return (
    <TextField
      {...shared}
      onInput={onInput}
      // a part that is closed must not keep the form from being sent
      isRequired={!isOptional && !PROXY.includes(field)}
      hint={isOptional ? 'Optional' : undefined}
      {...(type ? { type } : {})}
      {...(path === 'gender' ? { suggestions: genders } : {})}
    />
  )
}
