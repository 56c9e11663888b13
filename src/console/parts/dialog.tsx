/** A modal dialog. It uses the browser's dialog element, which keeps the focus inside, closes on Escape and restores the focus. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Buttons at the bottom. */
  readonly actions?: ComponentChildren
  readonly isWide?: boolean | undefined
}

export function Dialog({ title, onClose, children, actions, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    if (element && !element.open) element.showModal()
    // focus the first field, because the browser would focus the button that closes the dialog
    element?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus()
    return () => {
      element?.close()
      // the browser restores the focus only if the dialog is still in the document, but it is removed in the same step
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
      })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" isSmall onClick={onClose} label={`Close: ${title}`}>
          Close
        </Button>
      </div>
      <div class="dialog-body">{children}</div>
      {actions && <div class="dialog-foot">{actions}</div>}
    </dialog>
  )
}
