/** Copies of the whole store, which can be restored. */
import { useState } from 'preact/hooks'
import { type Answer, addressOf, call } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { CheckField, problemWith, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Card } from '../../parts/page.tsx'
import { sizeText } from '../../parts/size-text.ts'
import { Command, Time } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'

type Snapshot = Answer<'snapshot.list'>['snapshots'][number]

type Shown = { readonly kind: 'save' } | { readonly kind: 'restore' | 'delete'; readonly snapshot: Snapshot }

export function Snapshots() {
  const load = useLoad('snapshot.list', {})
  const [dialog, setDialog] = useState<Shown | null>(null)
  const close = (): void => setDialog(null)
  const done = (): void => {
    close()
    load.reload()
  }
  const save = (
    <Button isSmall kind="primary" onClick={() => setDialog({ kind: 'save' })}>
      Save a snapshot
    </Button>
  )
  return (
    <>
      <Card
        isFlush
        title="Snapshots"
        actions={
          <>
            <LinkButton isSmall isDownload href={addressOf('engine.snapshot', {})}>
              Download the store
            </LinkButton>
            {save}
          </>
        }
      >
        <Loaded load={load}>
          {({ snapshots }) =>
            snapshots.length === 0 ? (
              <Empty title="No snapshots" action={save}>
                Save one before a test, and restore it afterwards: the store is then exactly as it was.
              </Empty>
            ) : (
              <Table
                label="Snapshots"
                rows={snapshots}
                keyOf={snapshot => snapshot.name}
                columns={[
                  ...COLUMNS,
                  {
                    title: 'Actions',
                    isTitleHidden: true,
                    cell: snapshot => (
                      <span class="row">
                        <Button
                          isSmall
                          label={`Restore ${snapshot.name}`}
                          onClick={() => setDialog({ kind: 'restore', snapshot })}
                        >
                          Restore
                        </Button>
                        <Button
                          isSmall
                          kind="danger"
                          label={`Delete ${snapshot.name}`}
                          onClick={() => setDialog({ kind: 'delete', snapshot })}
                        >
                          Delete
                        </Button>
                      </span>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      <Command words={['svc', 'engine', 'snapshot', 'list']} />
      {dialog?.kind === 'save' && <SaveDialog onClose={close} onDone={done} />}
      {dialog?.kind === 'restore' && <RestoreDialog snapshot={dialog.snapshot} onClose={close} onDone={done} />}
      {dialog?.kind === 'delete' && <DeleteDialog snapshot={dialog.snapshot} onClose={close} onDone={done} />}
    </>
  )
}

const COLUMNS: readonly Column<Snapshot>[] = [
  { title: 'Name', cell: snapshot => snapshot.name },
  { title: 'Saved', cell: snapshot => <Time at={snapshot.saved_at} /> },
  { title: "Engine's clock", cell: snapshot => <Time at={snapshot.clock} /> },
  { title: 'Users', cell: snapshot => count(snapshot.users), isNumber: true },
  { title: 'Size', cell: snapshot => sizeText(snapshot.size_bytes), isNumber: true },
]

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

function SaveDialog({ onClose, onDone }: DialogProps) {
  const [name, setName] = useState('')
  const [replace, setReplace] = useState(false)
  const save = useAction(async () => {
    await call('snapshot.save', { body: { name, replace } })
    onDone()
  })
  return (
    <FormDialog title="Save a snapshot" onClose={onClose} action={save} submit="Save" isReady={name !== ''}>
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        autoFocus
        isRequired
        problem={problemWith(save.problem, 'name')}
      />
      <CheckField label="Replace a snapshot of this name" isChecked={replace} onChange={setReplace} />
      <ProblemNote problem={save.problem} />
      <Command words={['svc', 'engine', 'snapshot', 'save', name || 'NAME', ...(replace ? ['--force'] : [])]} />
    </FormDialog>
  )
}

interface SnapshotDialogProps extends DialogProps {
  readonly snapshot: Snapshot
}

function RestoreDialog({ snapshot, onClose, onDone }: SnapshotDialogProps) {
  const toast = useToast()
  const restore = useAction(async () => {
    const { users_after } = await call('snapshot.restore', { params: { name: snapshot.name } })
    toast({ text: `${snapshot.name} was restored: ${count(users_after)} users.` })
    onDone()
  })
  return (
    <FormDialog title={`Restore ${snapshot.name}?`} onClose={onClose} action={restore} submit="Restore" kind="danger">
      <p>
        Restoring replaces the users and data of all teams with those of the snapshot. What was written since then is
        lost, unless you save a snapshot of it first. Teams, keys and the audit trail stay.
      </p>
      <ProblemNote problem={restore.problem} />
    </FormDialog>
  )
}

function DeleteDialog({ snapshot, onClose, onDone }: SnapshotDialogProps) {
  const remove = useAction(async () => {
    await call('snapshot.delete', { params: { name: snapshot.name } })
    onDone()
  })
  return (
    <FormDialog title={`Delete ${snapshot.name}?`} onClose={onClose} action={remove} submit="Delete" kind="danger">
      <p>The snapshot can no longer be restored. The store itself does not change.</p>
      <ProblemNote problem={remove.problem} />
    </FormDialog>
  )
}
