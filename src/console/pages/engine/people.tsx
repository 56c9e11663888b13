/** The people who sign in to the console, their passkeys, and the sessions that are open. */
import { useState } from 'preact/hooks'
import { ROLES, type Role } from '../../../catalogue/roles.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog, useForm } from '../../parts/form.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { Name } from '../../parts/name.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { SecretDialog } from '../events/secret-dialog.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'

type Person = ResponseOf<'person.list'>['people'][number]

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  'reader-without-health-data': 'Reader without health data',
  reader: 'Reader',
  operator: 'Operator',
  owner: 'Owner',
}
const ROLE_OPTIONS = ROLES.map(value => ({ value, label: ROLE_NAMES[value] }))

type Shown = { readonly kind: 'edit'; readonly person: Person | null } | { readonly kind: 'url'; readonly url: string }

const COLUMNS: readonly Column<Person>[] = [
  { title: 'Name', sort: ({ name }) => name, cell: ({ name }) => <Name>{name}</Name> },
  { title: 'Role', sort: ({ role }) => ROLES.indexOf(role), cell: ({ role }) => ROLE_NAMES[role] },
  { title: 'Added', sort: ({ created_on: at }) => at, cell: ({ created_on: at }) => <Ago at={at} /> },
]

const REMOVE: Change<Person> = {
  title: 'Remove',
  needs: 'person.remove',
  done: 'removed',
  act: ({ person_id }) => call('person.remove', { params: { person_id } }),
  confirm: 'The passkeys and sessions of a removed person end immediately. The audit trail keeps the name.',
  isDanger: true,
  isForMany: true,
}

export function People() {
  const load = useLoad('person.list', {})
  const [shown, setShown] = useState<Shown | null>(null)
  const [version, setVersion] = useState(0)
  const close = (): void => setShown(null)
  const signIn = useAction(async ({ person_id }: Person) => {
    const { url } = await call('person.sign_in_token', { params: { person_id } })
    setShown({ kind: 'url', url })
  })
  const add = (
    <Button isSmall kind="primary" needs="person.create" onClick={() => setShown({ kind: 'edit', person: null })}>
      Add a person
    </Button>
  )
  return (
    <>
      <ListCard
        title="People"
        actions={add}
        load={load}
        readRows={({ people }) => people}
        rowKey={person => person.person_id}
        problem={signIn.problem}
        empty={
          <Empty title="No people" action={add}>
            A person signs in without an API key, with a role of their own, and the audit trail shows the name.
          </Empty>
        }
        noun="people"
        nameOf={({ name }) => name}
        columns={COLUMNS}
        rowActions={[
          { title: 'Change', needs: 'person.update', open: person => setShown({ kind: 'edit', person }) },
          { title: 'Create a sign-in URL', needs: 'person.sign_in_token', open: signIn.run },
          REMOVE,
        ]}
        onChanged={() => {
          load.reload()
          setVersion(version + 1)
        }}
      />
      <Command words={['svc', 'engine', 'person', 'list']} />
      <Passkeys version={version} />
      <Sessions version={version} />
      {shown?.kind === 'edit' && (
        <PersonDialog
          person={shown.person}
          onClose={close}
          onDone={url => {
            load.reload()
            setShown(url === null ? null : { kind: 'url', url })
          }}
        />
      )}
      {shown?.kind === 'url' && (
        <SecretDialog title="Sign-in URL" secret={shown.url} onClose={close}>
          Send this URL to the person. It works once, within 10 minutes, and cannot be shown again.
        </SecretDialog>
      )}
    </>
  )
}

interface PersonDialogProps {
  /** The person to change; null for a new one. */
  readonly person: Person | null
  readonly onClose: () => void
  /** Receives a new person's sign-in URL, or null. */
  readonly onDone: (url: string | null) => void
}

function PersonDialog({ person, onClose, onDone }: PersonDialogProps) {
  const initial: { name: string; role: Role } = { name: person?.name ?? '', role: person?.role ?? 'reader' }
  const form = useForm(initial, async body => {
    if (person === null) return onDone((await call('person.create', { body })).url)
    await call('person.update', { params: { person_id: person.person_id }, body })
    onDone(null)
  })
  const { name, role } = form.values
  const words = person === null ? ['add', name || 'NAME'] : ['set', person.name]
  return (
    <FormDialog
      title={person === null ? 'Add a person' : `Change ${person.name}`}
      submit={person === null ? 'Add' : 'Save'}
      isReady={name.trim() !== ''}
      onClose={onClose}
      form={form}
      fields={[
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'role', label: 'Role', options: ROLE_OPTIONS, hint: ROLE_HINTS[role] },
      ]}
      foot={<Command words={['svc', 'engine', 'person', ...words]} flags={{ '--role': role }} />}
    />
  )
}

const ROLE_HINTS: Readonly<Record<Role, string>> = {
  'reader-without-health-data': 'Sees users, imports and deliveries, but no measurements, orders or payloads',
  reader: 'Sees everything of the team, and changes nothing',
  operator: 'Also makes changes, but manages no keys, people, teams or secrets',
  owner: 'May do everything',
}
