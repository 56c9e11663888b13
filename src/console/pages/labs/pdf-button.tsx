/** A button that saves a document of an order. Unlike a plain link, it can explain why the document cannot be loaded. */
import { callRaw } from '../../api/call.ts'
import { useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useToast } from '../../parts/toasts.tsx'

interface PdfButtonProps {
  readonly id: 'order.result_pdf' | 'order.requisition_pdf'
  readonly orderId: string
  /** Why the order does not have this document; null if it does. */
  readonly missing?: string | null
  /** Document name, such as "Result". */
  readonly children: string
}

export function PdfButton({ id, orderId, missing = null, children }: PdfButtonProps) {
  const toast = useToast()
  const load = useAction(async () => {
    const file = await callRaw(id, { params: { order_id: orderId } }, { accept: 'application/pdf' }).then(
      response => response.blob(),
      (error: unknown) => toast({ text: error instanceof Error ? error.message : String(error) }),
    )
    if (file) saveFile(`${children.toLowerCase()}-${orderId}.pdf`, file)
  })
  return (
    <Button needs={id} isBusy={load.isRunning} why={missing} onClick={load.run}>
      {children} PDF
    </Button>
  )
}
