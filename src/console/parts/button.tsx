/** Buttons, and links that look like buttons. */
import type { IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { OperationId } from '../api/call.ts'
import { mayUse } from '../api/session.ts'
import { Icon } from './icon.tsx'

export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet'

export interface ButtonProps {
  /** Text of the button. A button without a text needs an icon and a label, which is also its tooltip. */
  readonly children?: ComponentChildren
  readonly icon?: IconNode
  readonly kind?: ButtonKind | undefined
  readonly isSmall?: boolean
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  /** Whether the button's action is running. The button then stays focusable but does nothing. */
  readonly isBusy?: boolean
  /** Why the button cannot be used now. The button is then disabled but stays focusable, and the reason is next to it. */
  readonly why?: string | null | undefined
  readonly onClick?: () => void
  /** Operation that the button leads to. The button is absent if the session may not use it. */
  readonly needs?: OperationId | undefined
  /** Accessible name, such as "Delete user ada", for a button whose text alone is ambiguous. */
  readonly label?: string
  /** What a click opens, for screen readers. */
  readonly opens?: 'menu' | 'dialog'
  /** ID of the form to submit, if the button is outside the form. */
  readonly form?: string
}

const buttonClass = (kind: ButtonKind, isSmall: boolean): string =>
  ['button', kind === 'plain' ? '' : `button-${kind}`, isSmall ? 'button-small' : ''].filter(Boolean).join(' ')

export function Button(props: ButtonProps) {
  const {
    children,
    icon,
    kind = 'plain',
    isSmall = false,
    type = 'button',
    disabled,
    isBusy = false,
    why,
    onClick,
    label,
    opens,
    form,
    needs,
  } = props
  const id = useId()
  const look = buttonClass(kind, isSmall)
  const isOff = isBusy || Boolean(why)
  if (needs !== undefined && !mayUse(needs)) return null
  return (
    <>
      <button
        form={form}
        type={type}
        class={children ? look : `${look} button-icon`}
        title={children ? undefined : label}
        disabled={disabled}
        aria-disabled={isOff}
        aria-describedby={why ? id : undefined}
        aria-label={label}
        aria-haspopup={opens}
        onClick={event => {
          if (isOff) event.preventDefault()
          else onClick?.()
        }}
      >
        {icon && <Icon of={icon} />}
        {children}
      </button>
      {why && (
        <span class="field-hint" id={id}>
          {why}
        </span>
      )}
    </>
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
  /** Operation that the link leads to, as for buttons. */
  readonly needs?: OperationId
}

export function LinkButton({
  children,
  href,
  kind = 'plain',
  isSmall = false,
  isDownload = false,
  label,
  needs,
}: LinkButtonProps) {
  if (needs !== undefined && !mayUse(needs)) return null
  return (
    <a class={buttonClass(kind, isSmall)} href={href} aria-label={label} {...(isDownload ? { download: '' } : {})}>
      {children}
    </a>
  )
}
