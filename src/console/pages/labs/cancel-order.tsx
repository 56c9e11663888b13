/** Cancels an order after a confirmation, because this cannot be undone. */
import { call } from '../../api/call.ts'
import { useAction } from '../../api/use-call.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Command } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'

interface CancelOrderProps {
  readonly orderId: string
  readonly onClose: () => void
  readonly onDone: () => void
}

export function CancelOrder({ orderId, onClose, onDone }: CancelOrderProps) {
  const cancel = useAction(async () => {
    await call('order.cancel', { params: { order_id: orderId } })
    onDone()
  })
  return (
    <FormDialog
      title="Cancel this order"
      onClose={onClose}
      action={cancel}
      submit="Cancel the order"
      kind="danger"
      cancel="Keep the order"
    >
      <p>The laboratory stops working on it. This cannot be undone: you would have to place another order.</p>
      <ProblemNote problem={cancel.problem} />
      <Command words={['svc', 'order', 'cancel', orderId]} />
    </FormDialog>
  )
}
