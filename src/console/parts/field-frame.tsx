/** The frame of a control, with its label, a hint, and any problem with its value. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface FieldTexts {
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: string | null | undefined
}

interface FieldFrameProps extends FieldTexts {
  readonly class?: string
  /** Renders the control with the attributes that link it to its label, hint and problem. */
  readonly children: (control: Control) => ComponentChildren
}

interface Control {
  readonly id: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
}

export function FieldFrame({ label, hint, problem, class: layout = 'field', children }: FieldFrameProps) {
  const id = useId()
  const about = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ')
  const control = children({ id, 'aria-invalid': problem ? true : undefined, 'aria-describedby': about || undefined })
  const texts = (
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
  const heading = <label for={id}>{label}</label>
  // the label of a checkbox is next to it
  if (layout === 'check')
    return (
      <div class={layout}>
        {control}
        <div>
          {heading}
          {texts}
        </div>
      </div>
    )
  return (
    <div class={layout}>
      {heading}
      {control}
      {texts}
    </div>
  )
}
