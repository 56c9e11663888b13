/** Forms with fields as data and one state, which show the service's problems at their fields. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import { useAction } from '../api/use-call.ts'
import { Button, type ButtonKind } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field, type FieldSpec } from './field.tsx'
import { ProblemNote } from './states.tsx'

/** Field values by name: a boolean for a checkbox, and a text for any other field. */
export type Values = Readonly<Record<string, string | boolean>>

export interface FormField<V = Values> extends FieldSpec {
  /** Path of the value in the form's values and, unless `path` differs, in the request: `address.zip`. */
  readonly name: keyof V & string
  readonly path?: string
}

/** Fields that belong together. */
export interface FieldGroup<V = Values> {
  readonly fields: readonly Entry<V>[]
  /** Heading of the group. */
  readonly legend?: string
  /** Purpose of the group. A group with a purpose is closed until the user opens it or one of its values is refused. */
  readonly about?: string
  /** Part of the request that the service may report as missing. */
  readonly path?: string
  /** Layout of the fields. */
  readonly class?: string
}

/** An entry in a form; `false` for a field that is currently not shown. */
export type Entry<V = Values> = FormField<V> | FieldGroup<V> | false

/** The values that fields show and change. */
export interface FieldState<V> {
  readonly values: V
  readonly set: (part: Partial<V>) => void
  readonly problem?: Problem | null
}

export interface Form<V> extends FieldState<V> {
  readonly problem: Problem | null
  readonly run: () => void
  readonly isRunning: boolean
}

/** Keeps the values of a form, and passes them to `act` when it is submitted. */
export function useForm<V extends Values>(initial: V | (() => V), act: (values: V) => Promise<unknown>): Form<V> {
  const [values, setValues] = useState(initial)
  const { run, isRunning, problem } = useAction(() => act(values))
  return { values, set: part => setValues(before => ({ ...before, ...part })), problem, run, isRunning }
}

interface FieldsProps<V> {
  readonly of: FieldState<V>
  readonly fields: readonly Entry<V>[]
}

export function Fields<V extends Values>({ of, fields }: FieldsProps<V>) {
  return fields.map((entry, index) => {
    if (entry === false) return null
    if ('fields' in entry) return <Group key={entry.legend ?? index} of={of} group={entry} />
    const { name, path = name, ...spec } = entry
    return (
      <Field
        key={name}
        {...spec}
        problem={of.problem?.fields.find(({ field }) => isAt(path, field))?.message ?? spec.problem}
        value={of.values[name] ?? ''}
        onChange={value => of.set({ [name]: value } as Partial<V>)} // the value has the type of the field
      />
    )
  })
}

function Group<V extends Values>({ of, group }: { readonly of: FieldState<V>; readonly group: FieldGroup<V> }) {
  const { legend, about, path, fields, class: layout = 'field-grid' } = group
  const inside = <Fields of={of} fields={fields} />
  if (legend === undefined) return <div class={layout}>{inside}</div>
  const set = (
    <fieldset class={layout}>
      <legend class={about === undefined ? '' : 'visually-hidden'}>{legend}</legend>
      {inside}
    </fieldset>
  )
  if (about === undefined) return set
  const missing = of.problem?.fields.find(({ field }) => field === path)?.message
  return (
    <details>
      <summary>
        {legend} <span class="soft">{about}</span>
      </summary>
      {missing && (
        <p class="field-problem" role="alert">
          {missing}
        </p>
      )}
      {set}
    </details>
  )
}

/** Converts the value of a `datetime-local` field to an instant in UTC; an empty text stays empty. */
export const toUtc = (text: string): string => (text === '' ? '' : `${text}:00Z`)

/** Returns whether a path refers to this field or to part of its value, such as a list item. */
const isAt = (path: string, field: string): boolean => field === path || field.startsWith(`${path}.`)

/** Returns whether one of the fields shows a problem at this path. */
const isShown = <V,>(entries: readonly Entry<V>[], field: string): boolean =>
  entries.some(entry => {
    if (entry === false) return false
    if ('fields' in entry) return entry.path === field || isShown(entry.fields, field)
    return isAt(entry.path ?? entry.name, field)
  })

/** Returns whether the fields show every refused value. */
export const showsAll = <V,>(entries: readonly Entry<V>[], problem: Problem | null): boolean =>
  problem !== null && problem.fields.length > 0 && problem.fields.every(({ field }) => isShown(entries, field))

interface FormViewProps<V> {
  readonly form: Form<V>
  readonly fields: readonly Entry<V>[]
  /** Text of the submit button; absent if the button is elsewhere and refers to the form's ID. */
  readonly submit?: string
  readonly kind?: ButtonKind
  /** Whether the form is complete enough to submit. */
  readonly isReady?: boolean
  readonly id?: string
  /** Content before the fields. */
  readonly children?: ComponentChildren
  /** Content after the fields. */
  readonly foot?: ComponentChildren
}

/** Selector for the first control to correct, or for the first control in a part that is missing as a whole. */
const REFUSED = '[aria-invalid], .field-problem + fieldset :is(input, select, textarea)'

/**
 * A form on a page. A refused value is reported at its field, which receives the focus. It is reported below the form only if no field
 * shows it.
 */
export function FormView<V extends Values>(props: FormViewProps<V>) {
  const { form, fields, submit, kind, isReady = true, id, children, foot } = props
  const { problem } = form
  const element = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem === null) return
    for (const part of element.current?.querySelectorAll('details') ?? []) {
      if (part.querySelector('.field-problem')) part.open = true
    }
    element.current?.querySelector<HTMLElement>(REFUSED)?.focus()
  }, [problem])
  return (
    <form
      id={id}
      class="stack"
      ref={element}
      onSubmit={event => {
        event.preventDefault()
        form.run()
      }}
    >
      {children}
      <Fields of={form} fields={fields} />
      {showsAll(fields, problem) ? (
        <p class="visually-hidden" role="alert">
          Correct the fields that are marked.
        </p>
      ) : (
        <ProblemNote problem={problem} />
      )}
      {submit !== undefined && (
        <div>
          <Button kind={kind} type="submit" isBusy={form.isRunning} disabled={!isReady}>
            {submit}
          </Button>
        </div>
      )}
      {foot}
    </form>
  )
}

interface FormDialogProps<V> extends FormViewProps<V> {
  readonly title: string
  readonly submit: string
  readonly onClose: () => void
  /** Why the form cannot be submitted while it is not ready. */
  readonly notReady?: string
  /** Text of the button that closes the dialog, if "Cancel" could be mistaken for the form's action. */
  readonly cancel?: string
  readonly isWide?: boolean
}

/** Props of a page's dialogs. */
export interface DialogProps {
  readonly onClose: () => void
  /** Called when the dialog's action has succeeded. */
  readonly onDone: () => void
}

/**
 * Returns a function that opens one of a page's dialogs, and the open one. When the dialog's action has succeeded, it closes and `onDone`
 * runs.
 */
export function useDialog(onDone: () => void = () => {}) {
  const [shown, setShown] = useState<{ readonly draw: (props: DialogProps) => ComponentChildren } | null>(null)
  const onClose = (): void => setShown(null)
  const open = (draw: (props: DialogProps) => ComponentChildren): void => setShown({ draw })
  const dialog = shown?.draw({
    onClose,
    onDone: () => {
      onClose()
      onDone()
    },
  })
  return { open, dialog }
}

/** A dialog whose content is a form. */
export function FormDialog<V extends Values>(props: FormDialogProps<V>) {
  const {
    title,
    onClose,
    submit,
    kind = 'primary',
    isReady = true,
    notReady,
    cancel = 'Cancel',
    isWide,
    ...view
  } = props
  const id = useId()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      isWide={isWide}
      actions={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button
            kind={kind}
            type="submit"
            form={id}
            isBusy={view.form.isRunning}
            disabled={!isReady && notReady === undefined}
            why={isReady ? null : notReady}
          >
            {submit}
          </Button>
        </>
      }
    >
      <FormView {...view} id={id} />
    </Dialog>
  )
}

interface ConfirmDialogProps extends Omit<FormDialogProps<Values>, 'form' | 'fields'> {
  readonly act: () => Promise<unknown>
}

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog({ act, ...props }: ConfirmDialogProps) {
  return <FormDialog kind="danger" {...props} form={useForm({}, act)} fields={[]} />
}
