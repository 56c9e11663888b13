/** A button that opens a box below it: a menu, or a small form. The box closes on Escape and on a click elsewhere. */
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, type ButtonProps } from '../button.tsx'
import { useModal } from '../dialog.tsx'

interface PopupProps extends Omit<ButtonProps, 'onClick' | 'opens'> {
  /** Name of the box. */
  readonly title: string
  readonly opens: 'menu' | 'dialog'
  readonly content: (close: () => void) => ComponentChildren
}

export function Popup({ title, opens, content, ...button }: PopupProps) {
  const at = useRef<HTMLSpanElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const close = (): void => setIsOpen(false)
  return (
    <span ref={at}>
      <Button {...button} opens={opens} onClick={() => setIsOpen(true)} />
      {isOpen && (
        <Box title={title} at={at} onClose={close}>
          {opens === 'menu' ? <Menu title={title}>{content(close)}</Menu> : content(close)}
        </Box>
      )}
    </span>
  )
}

interface BoxProps {
  readonly title: string
  readonly at: RefObject<HTMLElement | null>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Smallest distance from the edges of the window, in pixels. */
const MARGIN = 8

function Box({ title, at, onClose, children }: BoxProps) {
  const modal = useModal(onClose)
  useLayoutEffect(() => {
    const place = (): void => {
      const { current: box } = modal.ref
      const anchor = at.current?.getBoundingClientRect()
      if (!box || !anchor) return
      const { clientWidth, clientHeight } = document.documentElement
      const isWide = anchor.left + box.offsetWidth + MARGIN > clientWidth
      const left = isWide ? anchor.right - box.offsetWidth : anchor.left
      const isAbove = anchor.bottom + box.offsetHeight + MARGIN > clientHeight
      const top = isAbove ? anchor.top - box.offsetHeight : anchor.bottom
      box.style.left = `${Math.max(MARGIN, left)}px`
      box.style.top = `${Math.max(MARGIN, top)}px`
    }
    place()
    // the page behind the box can scroll, and the keyboard of a phone changes its size
    addEventListener('scroll', place, true)
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', place, true)
      removeEventListener('resize', place)
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      {...modal}
      class="dialog popup"
      aria-label={title}
      onClick={event => event.target === event.currentTarget && onClose()}
    >
      <div class="popup-body">{children}</div>
    </dialog>
  )
}

/** Moves the focus between the entries. */
function Menu({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div
      role="menu"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={event => {
        const entries = [...event.currentTarget.querySelectorAll('button')]
        const from = entries.findIndex(each => each.matches(':focus'))
        const steps: Readonly<Record<string, number>> = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: -1 }
        const to = steps[event.key]
        if (to === undefined) return
        event.preventDefault()
        entries.at(to % entries.length)?.focus()
      }}
    >
      {children}
    </div>
  )
}
