/** Cancels an order, after a question: nothing brings it back. */
import { call } from '../../api/call.ts'
import { useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
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
    <Dialog
      title="Cancel this order"
      onClose={onClose}
      onSubmit={cancel.run}
      actions={
        <>
          <Button onClick={onClose}>Keep the order</Button>
          <Button kind="danger" type="submit" isBusy={cancel.isRunning}>
            Cancel the order
          </Button>
        </>
      }
    >
      <p>The laboratory stops working on it. This cannot be undone: you have to place another order.</p>
      <ProblemNote problem={cancel.problem} />
      <Command words={['svc', 'order', 'cancel', orderId]} />
    </Dialog>
  )
}
