/** The passkeys of the person who is signed in. */
import { addPasskey, loadPasskeys, type Passkey, removePasskey, whyNoPasskeys } from '../api/passkeys.ts'
import { useAction, useLoader } from '../api/use-call.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { PASSKEY_COLUMNS } from '../parts/list/passkey-columns.tsx'
import type { Change } from '../parts/list/row-actions.tsx'
import { ListTable } from '../parts/paged-table.tsx'
import { Empty, ProblemNote } from '../parts/states.tsx'

const REMOVE: Change<Passkey> = {
  title: 'Remove',
  done: 'removed',
  act: ({ passkey_id }) => removePasskey(passkey_id),
  confirm: 'You can no longer sign in with it. Remove it from your device or password manager, too.',
  isDanger: true,
}

export function Passkeys({ onClose }: { readonly onClose: () => void }) {
  const load = useLoader('passkeys', loadPasskeys)
  const add = useAction(async () => {
    await addPasskey()
    load.reload()
  })
  return (
    <Dialog
      title="Passkeys"
      isWide
      onClose={onClose}
      actions={
        <Button kind="primary" isBusy={add.isRunning} why={whyNoPasskeys()} onClick={add.run}>
          Add a passkey
        </Button>
      }
    >
      <p>With a passkey, you sign in with the screen lock of a device or with a security key.</p>
      <ProblemNote problem={add.problem} />
      <ListTable
        load={load}
        readRows={passkeys => passkeys}
        rowKey={({ passkey_id: id }) => id}
        label="Passkeys"
        empty={<Empty title="No passkeys">You sign in with one-time URLs only.</Empty>}
        noun="passkeys"
        nameOf={({ name }) => name}
        columns={PASSKEY_COLUMNS}
        rowActions={[REMOVE]}
      />
    </Dialog>
  )
}
