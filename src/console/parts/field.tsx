/** Fields of forms: a label, the control, a hint, and what is wrong with the value. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'

interface FrameProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: string | null | undefined
}

interface TextFieldProps extends FrameProps {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'password' | 'search' | 'date' | 'datetime-local' | 'number' | 'email' | 'url' | 'time'
  readonly placeholder?: string
  readonly isRequired?: boolean
  readonly autoFocus?: boolean
  readonly autoComplete?: string
  /** Lines of a text area; absent: one line. */
  readonly lines?: number
  /** The text is code, such as JSON. */
  readonly isCode?: boolean
  readonly min?: string | number
  readonly max?: string | number
  readonly step?: string | number
  /** Values that the browser offers while the person types; others stay possible. */
  readonly suggestions?: readonly (string | Suggestion)[] | undefined
  /** Id of a datalist elsewhere on the page, for fields that share their suggestions. */
  readonly listId?: string
}

/** A value with what it means. */
export interface Suggestion {
  readonly value: string
  readonly label: string
}

export function TextField(props: TextFieldProps) {
  const { label, hint, problem, value, onInput, type = 'text', isRequired = false, autoFocus = false, lines } = props
  const id = useId()
  const about = describedBy(id, hint, problem)
  // the types of JSX differ by this value, and none of them takes a union; all of these are single-line texts
  const kind = { type } as { type: 'text' }
  const shared = {
    id,
    class: props.isCode ? 'input input-code' : 'input',
    value,
    placeholder: props.placeholder,
    required: isRequired,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': about,
    // the main field of what has just opened, such as a dialog, takes the focus
    ref: autoFocus ? focusOnce : undefined,
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines === undefined ? (
        <input
          {...shared}
          {...kind}
          autocomplete={props.autoComplete ?? 'off'}
          min={props.min}
          max={props.max}
          step={props.step}
          list={props.suggestions ? `${id}-list` : props.listId}
          onInput={event => onInput(event.currentTarget.value)}
        />
      ) : (
        <textarea {...shared} rows={lines} onInput={event => onInput(event.currentTarget.value)} />
      )}
      {props.suggestions && <Suggestions id={`${id}-list`} values={props.suggestions} />}
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  )
}

interface SuggestionsProps {
  readonly id: string
  readonly values: readonly (string | Suggestion)[]
}

/** The list of suggestions that fields refer to by its id. */
export function Suggestions({ id, values }: SuggestionsProps) {
  return (
    <datalist id={id}>
      {values.map(each =>
        typeof each === 'string' ? (
          <option key={each} value={each} />
        ) : (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ),
      )}
    </datalist>
  )
}

interface SelectFieldProps extends FrameProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

export function SelectField({ label, hint, problem, value, onChange, options }: SelectFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="input"
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={describedBy(id, hint, problem)}
        onChange={event => onChange(event.currentTarget.value)}
      >
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  )
}

interface CheckFieldProps {
  readonly label: ComponentChildren
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly hint?: string
}

export function CheckField({ label, isChecked, onChange, hint }: CheckFieldProps) {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={describedBy(id, hint, null)}
        onChange={event => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        <Notes id={id} hint={hint} problem={null} />
      </div>
    </div>
  )
}

/** Returns what the server said about one field of a form, or null. */
export function problemWith(problem: Problem | null, field: string): string | null {
  return problem?.fields.find(each => each.field === field)?.message ?? null
}

function Notes({
  id,
  hint,
  problem,
}: {
  readonly id: string
  readonly hint?: string | undefined
  readonly problem?: string | null | undefined
}) {
  return (
    <>
      {problem && (
        <span class="field-problem" id={`${id}-problem`}>
          {problem}
        </span>
      )}
      {hint && (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </>
  )
}

function describedBy(id: string, hint: string | undefined, problem: string | null | undefined): string | undefined {
  const ids = [problem ? `${id}-problem` : '', hint ? `${id}-hint` : ''].filter(Boolean)
  return ids.length === 0 ? undefined : ids.join(' ')
}

function focusOnce(element: HTMLElement | null): void {
  if (element && element.dataset['focused'] === undefined) {
    element.dataset['focused'] = ''
    // a dialog that is not open yet moves the focus here when it opens
    element.setAttribute('autofocus', '')
    element.focus()
  }
}
