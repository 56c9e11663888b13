/** The questions that a lab asks when its markers are ordered. */
import { SelectField, TextField } from '../../parts/field.tsx'
import { type Asked, type Draft, keyOf } from './order-draft.ts'

interface QuestionsProps {
  readonly asked: readonly Asked[]
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

export function Questions({ asked, draft, onChange }: QuestionsProps) {
  if (asked.length === 0) return null
  return (
    <fieldset class="field-grid">
      <legend>Questions of the laboratory</legend>
      {asked.map(each => {
        const key = keyOf(each)
        const value = draft.answers[key] ?? ''
        const set = (answer: string): void => onChange({ ...draft, answers: { ...draft.answers, [key]: answer } })
        const label = each.required ? each.value : `${each.value} (optional)`
        return each.answers.length > 0 ? (
          <SelectField
            key={key}
            label={label}
            value={value}
            onChange={set}
            options={[
              { value: '', label: 'Choose' },
              ...each.answers.map(answer => ({ value: answer.code, label: answer.value })),
            ]}
          />
        ) : (
          <TextField
            key={key}
            label={label}
            type={each.type === 'numeric' ? 'number' : 'text'}
            step="any"
            value={value}
            onInput={set}
            isRequired={each.required}
          />
        )
      })}
    </fieldset>
  )
}
