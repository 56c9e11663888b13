/** A modal dialog. It uses the browser's dialog element, which keeps the focus inside, closes on Escape and restores the focus. */
import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
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
  const modal = useModal(onClose)
  const id = useId()
  return (
    <dialog {...modal} class={isWide ? 'dialog dialog-wide' : 'dialog'} aria-labelledby={id}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" isSmall icon={X} onClick={onClose} label={`Close: ${title}`} />
      </div>
      <div class="stack dialog-body">{children}</div>
      {actions && <div class="dialog-foot">{actions}</div>}
    </dialog>
  )
}

/** Opens a dialog element while it is shown. Returns the element's attributes. */
export function useModal(onClose: () => void) {
  const dialog = useRef<HTMLDialogElement>(null)
  // a layout effect, because the next key may be pressed before the next frame, and belongs to the dialog
  useLayoutEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    if (element && !element.open) element.showModal()
    // focus the first field or entry, because the browser would focus the button that closes the dialog, or the whole menu
    element?.querySelector<HTMLElement>('form :is(input, select, textarea), [role="menuitem"]')?.focus()
    return () => {
      element?.close()
      // a menu may have opened another dialog, which returns the focus to where it is now
      if (opener instanceof HTMLElement) opener.focus()
      // the browser restores the focus only if the dialog is still in the document, but it is removed in the same step
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
      })
    }
  }, [])
  const onCancel = (event: Event): void => {
    event.preventDefault()
    onClose()
  }
  return { ref: dialog, onCancel }
}
