/** A field in a form or filter. Its type determines its control. */
import { useId } from 'preact/hooks'
import { FieldFrame, type FieldTexts } from './field-frame.tsx'
import { UserPicker } from './user-picker.tsx'

/** A value with its label. */
export interface Option {
  readonly value: string
  readonly label: string
}

/** The properties of a field, apart from its value. */
export interface FieldSpec extends FieldTexts {
  /** Field type. The value is a boolean for `check`, a user_id for `user`, and otherwise a text. */
  readonly type?:
    | 'text'
    | 'password'
    | 'search'
    | 'date'
    | 'datetime-local'
    | 'number'
    | 'email'
    | 'url'
    | 'check'
    | 'user'
  readonly placeholder?: string | undefined
  readonly isRequired?: boolean
  /** The only values that the field accepts. */
  readonly options?: readonly (string | Option)[]
  /** Values that the browser suggests while the user types; other values are allowed. */
  readonly suggestions?: readonly (string | Option)[] | undefined
  /** ID of a datalist elsewhere on the page, for fields that share suggestions. */
  readonly listId?: string
  /** Number of lines of a text area; absent for a single line. */
  readonly lines?: number
  /** Whether the text is code, such as JSON. */
  readonly isCode?: boolean
  readonly min?: string | number
  readonly max?: string | number
  readonly step?: string | number
}

interface FieldProps<T extends string | boolean> extends FieldSpec {
  readonly value: T
  readonly onChange: (value: T) => void
}

export function Field<T extends string | boolean>(props: FieldProps<T>) {
  const { label, hint, problem, type = 'text', value, options, suggestions, lines, min, max, step } = props
  const listId = useId()
  const texts = { label, hint, problem }
  const change = props.onChange as (value: string | boolean) => void // the value's type depends on the field's type
  if (type === 'user')
    return <UserPicker {...texts} userId={String(value) || null} onPick={user => change(user.user_id)} />
  if (type === 'check')
    return (
      <FieldFrame {...texts} class="check">
        {control => (
          <input
            {...control}
            type="checkbox"
            checked={value === true}
            onChange={event => change(event.currentTarget.checked)}
          />
        )}
      </FieldFrame>
    )
  const shared = {
    class: props.isCode ? 'input input-code' : 'input',
    value: String(value),
    placeholder: props.placeholder,
    required: props.isRequired,
  }
  return (
    <FieldFrame {...texts}>
      {control =>
        options ? (
          <select {...control} {...shared} onChange={event => change(event.currentTarget.value)}>
            <Options of={options} />
          </select>
        ) : lines ? (
          <textarea {...control} {...shared} rows={lines} onInput={event => change(event.currentTarget.value)} />
        ) : (
          <>
            <input
              {...control}
              {...shared}
              {...{ min, max, step }}
              // JSX has a different type for each value and does not accept a union; all of these values are single-line texts
              {...({ type } as { type: 'text' })}
              autocomplete="off"
              list={suggestions ? listId : props.listId}
              onInput={event => change(event.currentTarget.value)}
            />
            {suggestions && <Suggestions id={listId} values={suggestions} />}
          </>
        )
      }
    </FieldFrame>
  )
}

/** The list of suggestions, which fields refer to by its ID. */
export function Suggestions({ id, values }: { readonly id: string; readonly values: readonly (string | Option)[] }) {
  return (
    <datalist id={id}>
      <Options of={values} />
    </datalist>
  )
}

function Options({ of }: { readonly of: readonly (string | Option)[] }) {
  return of
    .map(each => (typeof each === 'string' ? { value: each, label: each } : each))
    .map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))
}
