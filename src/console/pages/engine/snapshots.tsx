/** Copies of the whole store, which can be restored. */
import { useState } from 'preact/hooks'
import { call, callUrl, type ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { ConfirmDialog, type DialogProps, FormDialog, useForm } from '../../parts/form.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { sizeText } from '../../parts/size-text.ts'
import { Command, Time } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'

type Snapshot = ResponseOf<'snapshot.list'>['snapshots'][number]

type OpenDialog = { readonly kind: 'save' } | { readonly kind: 'restore' | 'delete'; readonly snapshot: Snapshot }

export function Snapshots() {
  const load = useLoad('snapshot.list', {})
  const toast = useToast()
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const close = (): void => setDialog(null)
  const done = (): void => {
    close()
    load.reload()
  }
  const restore = async ({ name }: Snapshot): Promise<void> => {
    const { users_after } = await call('snapshot.restore', { params: { name } })
    toast({ text: `${name} was restored: ${count(users_after)} users.` })
    done()
  }
  const save = (
    <Button isSmall kind="primary" onClick={() => setDialog({ kind: 'save' })}>
      Save a snapshot
    </Button>
  )
  return (
    <>
      <ListCard
        title="Snapshots"
        actions={
          <>
            <LinkButton isSmall isDownload href={callUrl('engine.snapshot', {})}>
              Download the store
            </LinkButton>
            {save}
          </>
        }
        load={load}
        readRows={({ snapshots }) => snapshots}
        rowKey={snapshot => snapshot.name}
        empty={
          <Empty title="No snapshots" action={save}>
            Save one before a test and restore it afterwards to return the store to exactly that state.
          </Empty>
        }
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
      <Command words={['svc', 'engine', 'snapshot', 'list']} />
      {dialog?.kind === 'save' && <SaveDialog onClose={close} onDone={done} />}
      {dialog?.kind === 'restore' && (
        <ConfirmDialog
          title={`Restore ${dialog.snapshot.name}?`}
          submit="Restore"
          onClose={close}
          act={() => restore(dialog.snapshot)}
        >
          <p>
            Restoring replaces the users and data of all teams with those of the snapshot. What was written since then
            is lost, unless you save a snapshot of it first. Teams, keys and the audit trail stay.
          </p>
        </ConfirmDialog>
      )}
      {dialog?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete ${dialog.snapshot.name}?`}
          submit="Delete"
          onClose={close}
          act={() => call('snapshot.delete', { params: { name: dialog.snapshot.name } }).then(done)}
        >
          <p>The snapshot can no longer be restored. The store itself does not change.</p>
        </ConfirmDialog>
      )}
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

function SaveDialog({ onClose, onDone }: DialogProps) {
  const form = useForm({ name: '', replace: false }, async body => {
    await call('snapshot.save', { body })
    onDone()
  })
  const { name, replace } = form.values
  return (
    <FormDialog
      title="Save a snapshot"
      submit="Save"
      isReady={name !== ''}
      onClose={onClose}
      form={form}
      fields={[
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'replace', label: 'Replace a snapshot of this name', type: 'check' },
      ]}
      foot={<Command words={['svc', 'engine', 'snapshot', 'save', name || 'NAME']} flags={{ '--force': replace }} />}
    />
  )
}
