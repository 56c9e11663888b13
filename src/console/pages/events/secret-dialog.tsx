/** The dialog that shows a new secret, which cannot be shown again. */
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { CopyButton } from '../../parts/small.tsx'

export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog
      title="Signing secret"
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p>
        Copy the secret now. It is stored encrypted and cannot be shown again. Your application needs it to check the
        signature of each webhook.
      </p>
      <div class="command">
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy the secret" />
      </div>
    </Dialog>
  )
}
