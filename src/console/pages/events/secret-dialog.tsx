/** The dialog that shows a new secret, which cannot be shown again. */
import type { ComponentChildren } from 'preact'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { CopyButton } from '../../parts/small.tsx'

interface SecretDialogProps {
  readonly title?: string
  readonly secret: string
  readonly onClose: () => void
  /** What the secret is for. */
  readonly children?: ComponentChildren
}

export function SecretDialog({ title = 'Signing secret', secret, onClose, children = OF_ENDPOINT }: SecretDialogProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p>{children}</p>
      <div class="command">
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy the secret" />
      </div>
    </Dialog>
  )
}

const OF_ENDPOINT =
  'Copy the secret now. It is stored encrypted and cannot be shown again. Your application needs it to check the signature of each webhook.'
