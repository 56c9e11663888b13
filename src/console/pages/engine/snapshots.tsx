/** Copies of the whole store, which can be restored. */
import { call, callUrl, type ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { sizeText } from '../../parts/files.ts'
import { type DialogProps, FormDialog, useDialog, useForm } from '../../parts/form.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago, Time } from '../../parts/time.tsx'

type Snapshot = ResponseOf<'snapshot.list'>['snapshots'][number]

export function Snapshots() {
  const load = useLoad('snapshot.list', {})
  const { open, dialog } = useDialog(load.reload)
  const save = (
    <Button isSmall kind="primary" needs="snapshot.save" onClick={() => open(props => <SaveDialog {...props} />)}>
      Save a snapshot
    </Button>
  )
  return (
    <>
      <ListCard
        title="Snapshots"
        actions={
          <>
            <LinkButton isSmall isDownload needs="engine.snapshot" href={callUrl('engine.snapshot', {})}>
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
        columns={COLUMNS}
        noun="snapshots"
        nameOf={({ name }) => name}
        rowActions={ACTIONS}
      />
      <Command words={['svc', 'engine', 'snapshot', 'list']} />
      {dialog}
    </>
  )
}

const ACTIONS: readonly Change<Snapshot>[] = [
  {
    title: 'Restore',
    needs: 'snapshot.restore',
    done: 'restored',
    act: async ({ name }) => {
      const { users_after } = await call('snapshot.restore', { params: { name } })
      return `${name} was restored: ${count(users_after)} users.`
    },
    confirm:
      'Restoring replaces the users and data of all teams with those of the snapshot. What was written since then is lost, unless you save a snapshot of it first. Teams, keys and the audit trail stay.',
    isDanger: true,
  },
  {
    title: 'Delete',
    needs: 'snapshot.delete',
    done: 'deleted',
    act: ({ name }) => call('snapshot.delete', { params: { name } }),
    confirm: 'The snapshot can no longer be restored. The store itself does not change.',
    isDanger: true,
    isForMany: true,
  },
]

const COLUMNS: readonly Column<Snapshot>[] = [
  { title: 'Name', sort: snapshot => snapshot.name, cell: snapshot => snapshot.name },
  {
    title: 'Saved',
    sort: snapshot => snapshot.saved_at,
    cell: snapshot => <Ago at={snapshot.saved_at} clock="real" />,
  },
  { title: "Engine's clock", cell: snapshot => <Time at={snapshot.clock} /> },
  { title: 'Users', sort: snapshot => snapshot.users, cell: snapshot => count(snapshot.users), isNumber: true },
  {
    title: 'Size',
    sort: snapshot => snapshot.size_bytes,
    cell: snapshot => sizeText(snapshot.size_bytes),
    isNumber: true,
  },
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
