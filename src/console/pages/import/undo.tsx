/** Undoes an import after a confirmation, because only the file itself can bring its data back. */
import { useState } from 'preact/hooks'
import { type Answer, call } from '../../api/call.ts'
import { useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Command } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'

interface UndoButtonProps {
  readonly importId: string
  readonly onUndone: () => void
}

export function UndoButton({ importId, onUndone }: UndoButtonProps) {
  const say = useToast()
  const [asks, setAsks] = useState(false)
  const undo = useAction(async () => {
    const answer = await call('import.undo', { params: { import_id: importId } })
    setAsks(false)
    say({ text: textOf(answer) })
    onUndone()
  })
  return (
    <>
      <Button kind="quiet" isSmall label={`Undo the import ${importId}`} onClick={() => setAsks(true)}>
        Undo
      </Button>
      {asks && (
        <FormDialog
          title="Undo this import"
          onClose={() => setAsks(false)}
          action={undo}
          submit="Undo the import"
          kind="danger"
        >
          <p>
            What the import added is removed, and what it replaced is restored. Data that has changed since stays. To
            get the data back, import the file again.
          </p>
          <ProblemNote problem={undo.problem} />
          <Command words={['svc', 'import', 'undo', importId]} />
        </FormDialog>
      )}
    </>
  )
}

function textOf({ removed, restored, kept }: Answer<'import.undo'>): string {
  const sum = (counts: Readonly<Record<string, number>>): string =>
    count(Object.values(counts).reduce((total, each) => total + each, 0))
  return `Import undone: ${sum(removed)} removed, ${sum(restored)} restored, ${sum(kept)} kept`
}
