/** Undoes an import after a confirmation, because only importing the file again restores its data. */
import { useState } from 'preact/hooks'
import { call, type ResponseOf } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/form.tsx'
import { Command } from '../../parts/small.tsx'
import { count } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'

interface UndoButtonProps {
  readonly importId: string
  readonly onUndone: () => void
}

export function UndoButton({ importId, onUndone }: UndoButtonProps) {
  const toast = useToast()
  const [asks, setAsks] = useState(false)
  const undo = async (): Promise<void> => {
    const response = await call('import.undo', { params: { import_id: importId } })
    setAsks(false)
    toast({ text: describeUndo(response) })
    onUndone()
  }
  return (
    <>
      <Button kind="quiet" isSmall label={`Undo the import ${importId}`} onClick={() => setAsks(true)}>
        Undo
      </Button>
      {asks && (
        <ConfirmDialog
          title="Undo this import"
          submit="Undo the import"
          onClose={() => setAsks(false)}
          act={undo}
          foot={<Command words={['svc', 'import', 'undo', importId]} />}
        >
          <p>
            What the import added is removed, and what it replaced is restored. Data that has changed since stays. To
            get the data back, import the file again.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function describeUndo({ removed, restored, kept }: ResponseOf<'import.undo'>): string {
  const sum = (counts: Readonly<Record<string, number>>): string =>
    count(Object.values(counts).reduce((total, each) => total + each, 0))
  return `Import undone: ${sum(removed)} removed, ${sum(restored)} restored, ${sum(kept)} kept`
}
