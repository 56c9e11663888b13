/** A field for an event type or a pattern, which offers the types that the server knows. */
import { useId } from 'preact/hooks'
import { useLoad } from '../../api/use-call.ts'

interface TypeFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly placeholder?: string
  readonly hint?: string
  readonly problem?: string | null
}

export function TypeField({ label, value, onInput, placeholder, hint, problem }: TypeFieldProps) {
  const id = useId()
  const types = useLoad('event.types', {})
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        list={`${id}-types`}
        autocomplete="off"
        value={value}
        placeholder={placeholder}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem || hint ? `${id}-notes` : undefined}
        onInput={event => onInput(event.currentTarget.value)}
      />
      <datalist id={`${id}-types`}>
        {types.data?.data.map(({ type, description }) => (
          <option key={type} value={type}>
            {description}
          </option>
        ))}
      </datalist>
      {(problem || hint) && (
        <span id={`${id}-notes`}>
          {problem && <span class="field-problem">{problem} </span>}
          {hint && <span class="field-hint">{hint}</span>}
        </span>
      )}
    </div>
  )
}
