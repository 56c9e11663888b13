/** The parts of an order that most orders lack. Each is closed until somebody wants it, or the server refuses something in it. */

import { useEffect, useState } from 'preact/hooks'
import { words } from '../../../catalogue/wording.ts'
import { useChoices } from '../../api/choices.ts'
import type { Problem } from '../../api/problem.ts'
import { CheckField, SelectField, TextField } from '../../parts/field.tsx'
import type { Draft } from './order-draft.ts'
import {
  consentPath,
  EXTRA_SECTIONS,
  type ExtraField,
  type ExtraSection,
  extraProblem,
  isFilled,
  shows,
} from './order-extras.ts'

interface ExtrasProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly problem: Problem | null
}

export function ExtraSections(props: ExtrasProps) {
  return (
    <div class="field-parts">
      {EXTRA_SECTIONS.map(section => (
        <Section key={section.title} {...props} section={section} />
      ))}
    </div>
  )
}

function Section({ section, draft, onChange, problem }: ExtrasProps & { readonly section: ExtraSection }) {
  const { title, about, fields, part } = section
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    if (problem?.fields.some(({ field }) => shows(section, field))) setIsOpen(true)
  }, [section, problem])
  const set = (path: string, text: string): void => onChange({ ...draft, extras: { ...draft.extras, [path]: text } })
  const missing = part === undefined ? null : extraProblem(problem, part)
  return (
    <details open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary>
        {title} <span class="soft">{isFilled(section, draft.extras) ? 'filled in' : about}</span>
      </summary>
      {missing && (
        <p class="field-problem" role="alert">
          {missing}
        </p>
      )}
      <fieldset class="field-grid">
        <legend class="visually-hidden">{title}</legend>
        {fields.map(field => (
          <Field
            key={field.path}
            field={field}
            text={draft.extras[field.path] ?? field.preset ?? ''}
            onInput={text => set(field.path, text)}
            problem={extraProblem(problem, field.path)}
            isOpen={isOpen}
          />
        ))}
        {title === 'Consents' && <Consents draft={draft} onInput={set} isOpen={isOpen} />}
      </fieldset>
    </details>
  )
}

interface FieldProps {
  readonly field: ExtraField
  readonly text: string
  readonly onInput: (text: string) => void
  readonly problem: string | null
  readonly isOpen: boolean
}

function Field({ field, text, onInput, problem, isOpen }: FieldProps) {
  const { path, label, kind = 'text', type, lines, hint } = field
  const choices = useChoices('order.create', path, kind === 'choice' && isOpen)
  if (kind === 'check')
    return (
      <CheckField
        label={label}
        {...(hint === undefined ? {} : { hint })}
        isChecked={text !== ''}
        onChange={isChecked => onInput(isChecked ? 'true' : '')}
      />
    )
  const shared = { label, hint, problem, value: text }
  if (kind === 'choice')
    return (
      <SelectField
        {...shared}
        onChange={onInput}
        options={[{ value: '', label: 'Not given' }, ...choices.map(value => ({ value, label: words(value) }))]}
      />
    )
  return (
    <TextField {...shared} onInput={onInput} {...(type ? { type } : {})} {...(lines === undefined ? {} : { lines })} />
  )
}

interface ConsentsProps {
  readonly draft: Draft
  readonly onInput: (path: string, text: string) => void
  readonly isOpen: boolean
}

function Consents({ draft, onInput, isOpen }: ConsentsProps) {
  const types = useChoices('order.create', 'consents.consentType', isOpen)
  return (
    <>
      {types.map(type => (
        <CheckField
          key={type}
          label={type.replaceAll('-', ' ')}
          isChecked={(draft.extras[consentPath(type)] ?? '') !== ''}
          onChange={isChecked => onInput(consentPath(type), isChecked ? 'true' : '')}
        />
      ))}
    </>
  )
}
