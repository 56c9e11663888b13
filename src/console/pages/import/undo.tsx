/** Undoes an import after a confirmation, because only importing the file again restores its data. */
import { call, type ResponseOf } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { type Change, useRowActions } from '../../parts/list/row-actions.tsx'
import { Command } from '../../parts/small.tsx'
import { count } from '../../parts/table.tsx'

export const UNDO: Change<{ readonly import_id: string; readonly undone_at?: string | null }> = {
  title: 'Undo',
  needs: 'import.undo',
  done: 'undone',
  fits: ({ undone_at }) => !undone_at,
  act: async ({ import_id }) => describeUndo(await call('import.undo', { params: { import_id } })),
  confirm:
    'What the import added is removed, and what it replaced is restored. Data that has changed since stays. To get the data back, import the file again.',
  foot: ({ import_id }) => <Command words={['svc', 'import', 'undo', import_id]} />,
  isDanger: true,
}

interface UndoButtonProps {
  readonly importId: string
  /** Name of the import, such as "the import of steps.csv". */
  readonly name: string
  readonly onUndone: () => void
}

export function UndoButton({ importId, name, onUndone }: UndoButtonProps) {
  const { run, dialog } = useRowActions<{ readonly import_id: string }>({
    noun: 'imports',
    nameOf: () => name,
    onChanged: ({ failed }) => failed.length === 0 && onUndone(),
  })
  return (
    <>
      <Button
        kind="quiet"
        isSmall
        needs="import.undo"
        label={`Undo ${name}`}
        onClick={() => run(UNDO, [{ import_id: importId }])}
      >
        Undo
      </Button>
      {dialog}
    </>
  )
}

function describeUndo({ removed, restored, kept }: ResponseOf<'import.undo'>): string {
  const sum = (counts: Readonly<Record<string, number>>): string =>
    count(Object.values(counts).reduce((total, each) => total + each, 0))
  return `Import undone: ${sum(removed)} removed, ${sum(restored)} restored, ${sum(kept)} kept`
}
