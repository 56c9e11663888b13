/** The people who sign in to the console, their passkeys, and the sessions that are open. */
import { useState } from 'preact/hooks'
import { ROLES, type Role } from '../../../catalogue/roles.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import type { Passkey } from '../../api/passkeys.ts'
import { useAction, useLoad, useLoader } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog, useDialog, useForm } from '../../parts/form.tsx'
import { PASSKEY_COLUMNS } from '../../parts/list/passkey-columns.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Name } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { SecretDialog } from '../events/secret-dialog.tsx'

type Person = ResponseOf<'person.list'>['people'][number]

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  'reader-without-health-data': 'Reader without health data',
  reader: 'Reader',
  operator: 'Operator',
  owner: 'Owner',
}
const ROLE_OPTIONS = ROLES.map(value => ({ value, label: ROLE_NAMES[value] }))

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
  const { open, dialog } = useDialog()
  const [version, setVersion] = useState(0)
  const signIn = useAction(async ({ person_id }: Person) => {
    const { url } = await call('person.sign_in_token', { params: { person_id } })
    showUrl(url)
  })
  const showUrl = (url: string): void =>
    open(({ onClose }) => (
      <SecretDialog title="Sign-in URL" secret={url} onClose={onClose}>
        Send this URL to the person. It works once, within 10 minutes, and cannot be shown again.
      </SecretDialog>
    ))
  const edit = (person: Person | null): void =>
    open(({ onClose }) => {
      const onDone = (url: string | null): void => {
        load.reload()
        if (url === null) onClose()
        else showUrl(url)
      }
      return <PersonDialog {...{ person, onClose, onDone }} />
    })
  const add = (
    <Button isSmall kind="primary" needs="person.create" onClick={() => edit(null)}>
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
          { title: 'Change', needs: 'person.update', open: edit },
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
      {dialog}
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

const REMOVE_PASSKEY: Change<Passkey> = {
  title: 'Remove',
  needs: 'passkey.remove',
  done: 'removed',
  act: ({ passkey_id }) => call('passkey.remove', { params: { passkey_id } }),
  confirm: 'It no longer signs in. Sessions that are open continue.',
  isDanger: true,
  isForMany: true,
}

/** `version` changes when passkeys were removed elsewhere on the page. */
function Passkeys({ version }: { readonly version: number }) {
  const load = useLoader(`passkeys ${version}`, signal => call('passkey.list', {}, { signal }))
  return (
    <>
      <ListCard
        title="Passkeys"
        load={load}
        readRows={({ passkeys }) => passkeys}
        rowKey={({ passkey_id: id }) => id}
        empty={<Empty title="No passkeys">People add their own passkeys, with the button below their name.</Empty>}
        noun="passkeys"
        nameOf={({ person, name }) => `the passkey ${name} of ${person}`}
        columns={[
          { title: 'Who', sort: ({ person }) => person, cell: ({ person }) => <Name>{person}</Name> },
          ...PASSKEY_COLUMNS,
        ]}
        rowActions={[REMOVE_PASSKEY]}
      />
      <Command words={['svc', 'engine', 'passkey', 'list']} />
    </>
  )
}

type Session = ResponseOf<'session.list'>['sessions'][number]

const sessionName = ({ name }: Session): string => name ?? 'the owner of the data folder'

const SESSION_COLUMNS: readonly Column<Session>[] = [
  {
    title: 'Who',
    sort: sessionName,
    cell: session => (
      <>
        <Name>{sessionName(session)}</Name> {session.is_current && <Badge>This session</Badge>}
      </>
    ),
  },
  {
    title: 'Signed in',
    sort: ({ created_at: at }) => at,
    cell: ({ created_at: at }) => <Ago at={at} clock="real" />,
  },
  {
    title: 'Last used',
    sort: ({ last_seen_at: at }) => at,
    cell: ({ last_seen_at: at }) => <Ago at={at} clock="real" />,
  },
  { title: 'Browser', cell: ({ browser }) => browser || 'Unknown' },
]

const END: Change<Session> = {
  title: 'End',
  needs: 'session.end',
  done: 'ended',
  fits: ({ is_current: isCurrent }) => !isCurrent,
  act: ({ session_id }) => call('session.end', { params: { session_id } }),
  isForMany: true,
}

/** `version` changes when sessions have ended elsewhere on the page. */
function Sessions({ version }: { readonly version: number }) {
  const load = useLoader(`sessions ${version}`, signal => call('session.list', {}, { signal }))
  return (
    <>
      <ListCard
        title="Sessions"
        load={load}
        readRows={({ sessions }) => sessions}
        rowKey={session => session.session_id}
        empty={<Empty title="No sessions">Nobody is signed in.</Empty>}
        noun="sessions"
        nameOf={session => `the session of ${sessionName(session)}`}
        columns={SESSION_COLUMNS}
        rowActions={[END]}
      />
      <Command words={['svc', 'engine', 'session', 'list']} />
    </>
  )
}
