/** Buttons, and links that look like buttons. */
import type { ComponentChildren } from 'preact'

export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps {
  readonly children: ComponentChildren
  readonly kind?: ButtonKind | undefined
  readonly isSmall?: boolean
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  /** Whether the button's action is running. The button then stays focusable but does nothing. */
  readonly isBusy?: boolean
  readonly onClick?: () => void
  /** Accessible name, such as "Delete user ada", for a button whose text alone is ambiguous. */
  readonly label?: string
  /** ID of the form to submit, if the button is outside the form. */
  readonly form?: string
}

const buttonClass = (kind: ButtonKind, isSmall: boolean): string =>
  ['button', kind === 'plain' ? '' : `button-${kind}`, isSmall ? 'button-small' : ''].filter(Boolean).join(' ')

export function Button(props: ButtonProps) {
  const {
    children,
    kind = 'plain',
    isSmall = false,
    type = 'button',
    disabled,
    isBusy = false,
    onClick,
    label,
    form,
  } = props
  return (
    <button
      form={form}
      type={type}
      class={buttonClass(kind, isSmall)}
      disabled={disabled}
      aria-disabled={isBusy}
      aria-label={label}
      onClick={event => {
        if (isBusy) event.preventDefault()
        else onClick?.()
      }}
    >
      {children}
    </button>
  )
}

interface LinkButtonProps {
  readonly children: ComponentChildren
  readonly href: string
  readonly kind?: ButtonKind
  readonly isSmall?: boolean
  /** Whether the server responds with a file, which the browser saves. */
  readonly isDownload?: boolean
  readonly label?: string
}

export function LinkButton({
  children,
  href,
  kind = 'plain',
  isSmall = false,
  isDownload = false,
  label,
}: LinkButtonProps) {
  return (
    <a class={buttonClass(kind, isSmall)} href={href} aria-label={label} {...(isDownload ? { download: '' } : {})}>
      {children}
    </a>
  )
}
