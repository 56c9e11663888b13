/** A dialog whose content is a form, with the button that submits it. */
import type { ComponentChildren } from 'preact'
import type { Action } from '../api/use-call.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface FormDialogProps {
  readonly title: string
  readonly onClose: () => void
  /** What the form does. */
  readonly action: Pick<Action<[]>, 'run' | 'isRunning'>
  /** Text of the button that submits. */
  readonly submit: string
  readonly kind?: 'primary' | 'danger'
  /** Whether enough is filled in to submit. */
  readonly isReady?: boolean
  /** Text of the button beside it that closes the dialog, where "Cancel" would be taken for what the form does. */
  readonly cancel?: string
  readonly isWide?: boolean
  readonly children: ComponentChildren
}

export function FormDialog(props: FormDialogProps) {
  const {
    title,
    onClose,
    action,
    submit,
    kind = 'primary',
    isReady = true,
    cancel = 'Cancel',
    isWide = false,
    children,
  } = props
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={action.run}
      isWide={isWide}
      actions={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button kind={kind} type="submit" isBusy={action.isRunning} disabled={!isReady}>
            {submit}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
