/** One user, with their facts, profile, connections, pulls and devices. */
import { useLocation, useRoute } from 'preact-iso/router'
import { readableName } from '../../../catalogue/wording.ts'
import { BASE } from '../../api/base.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { mayUse } from '../../api/session.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { useRowActions } from '../../parts/list/row-actions.tsx'
import { Card, Facts, Page } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Command, Copyable, Name } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { Connections } from './connections.tsx'
import { DELETE_USER } from './delete-user.ts'
import { Profile } from './profile.tsx'
import { Pulls } from './pulls.tsx'
import { UserDialog } from './user-form.tsx'

type User = ResponseOf<'user.get'>

export default function UserPage() {
  const userId = useRoute().params['userId'] ?? ''
  const load = useLoad('user.get', { params: { user_id: userId } })
  if (load.data) return <UserView user={load.data} onChanged={load.reload} />
  return (
    <Page title="User">
      {load.problem?.status === 404 ? (
        <Missing userId={userId} onRestored={load.reload} />
      ) : (
        <Loaded load={load} lines={12} named={{ noun: 'user', list: '/console/users' }}>
          {() => null}
        </Loaded>
      )}
    </Page>
  )
}

/** The page for a missing user. A deleted user looks like a user that never existed, but can be restored for a while. */
function Missing({ userId, onRestored }: { readonly userId: string; readonly onRestored: () => void }) {
  const undo = useAction(async () => {
    await call('user.undo_delete', { body: { user_id: userId } })
    onRestored()
  })
  return (
    <Card>
      <Empty
        title="There is no user at this URL"
        action={
          <span class="row">
            <LinkButton href="/console/users">Show all users</LinkButton>
            <Button needs="user.undo_delete" onClick={undo.run} isBusy={undo.isRunning}>
              Undo the deletion
            </Button>
          </span>
        }
      >
        If the user was deleted recently, you can still undo the deletion.
      </Empty>
      <ProblemNote problem={undo.problem} />
    </Card>
  )
}

function UserView({ user, onChanged }: { readonly user: User; readonly onChanged: () => void }) {
  const { route } = useLocation()
  const { query, change } = useUrlState()
  const { user_id: id } = user
  const { run, isRunning, problem } = useRowActions<User>({
    noun: 'users',
    nameOf: each => each.client_user_id,
    onChanged: ({ failed, isUndone }) => {
      if (failed.length === 0) route(isUndone ? `${BASE}/console/users/${id}` : `${BASE}/console/users`)
    },
  })
  return (
    <Page
      title={user.client_user_id}
      actions={
        <>
          <LinkButton needs="timeseries.grouped" href={`/console/data?user=${id}`}>
            Data
          </LinkButton>
          <LinkButton needs="aggregate.query" href={`/console/query?user=${id}`}>
            Query
          </LinkButton>
          <LinkButton needs="import.create" href={`/console/import?user=${id}`}>
            Import
          </LinkButton>
          <Button needs="user.patch" onClick={() => change({ open: 'edit' }, true)}>
            Edit
          </Button>
          <Button kind="danger" needs="user.delete" isBusy={isRunning} onClick={() => run(DELETE_USER, [user])}>
            Delete
          </Button>
        </>
      }
    >
      <ProblemNote problem={problem} />
      <div class="columns">
        <Card title="Details">
          <UserFacts user={user} />
        </Card>
        {mayUse('user.info') && <Profile userId={id} />}
      </div>
      <Connections user={user} onChanged={onChanged} />
      <Pulls userId={id} version={userVersion(user)} />
      <Devices userId={id} />
      <Card title="On a terminal">
        <Command words={['svc', 'user', 'get', id]} />
        <Command words={['svc', 'provider', 'list', '--user', id]} />
        <Command words={['svc', 'user', 'pulls', id]} />
        <Command words={['svc', 'user', 'devices', id]} />
      </Card>
      {query['open'] === 'edit' && (
        <UserDialog
          user={user}
          onClose={() => change({ open: null })}
          onSaved={() => {
            change({ open: null })
            onChanged()
          }}
        />
      )}
    </Page>
  )
}

function UserFacts({ user }: { readonly user: User }) {
  const { fallback_time_zone: zone, fallback_birth_date: birth } = user
  const none = <span class="soft">Not set</span>
  return (
    <Facts
      rows={[
        ['user_id', <Copyable key="id" text={user.user_id} label="Copy the user_id" />],
        ['Created', <Time key="created" at={user.created_on} />],
        ['Time zone', zone ? `${zone.id} (from ${zone.source_slug})` : none],
        ['Birth date', birth ? `${birth.value} (from ${birth.source_slug})` : none],
        ['First day of ingestion', user.ingestion_start ?? none],
        ['Last day of ingestion', user.ingestion_end ?? none],
      ]}
    />
  )
}

/** Changes when a provider is linked or disconnected. */
const userVersion = (user: User): string =>
  user.connected_sources.map(each => `${each.provider.slug} ${each.created_on}`).join()

type Device = ResponseOf<'user.devices'>[number]

const COLUMNS: readonly Column<Device>[] = [
  {
    title: 'Device',
    sort: device => device.device_model,
    cell: device => (
      <Name>{[device.device_manufacturer, device.device_model].filter(Boolean).join(' ') || 'Unnamed'}</Name>
    ),
  },
  { title: 'Provider', sort: device => device.provider, cell: device => <span class="nowrap">{device.provider}</span> },
  { title: 'Source type', cell: device => readableName(device.source_type) },
  { title: 'Version', cell: device => <Name>{device.device_version ?? '–'}</Name> },
  { title: 'App', cell: device => <Name>{device.app_id ?? '–'}</Name> },
  { title: 'ID', cell: device => <code class="nowrap">{device.id}</code> },
]

/** The devices that a user's data came from. */
function Devices({ userId }: { readonly userId: string }) {
  const load = useLoad('user.devices', { params: { user_id: userId } })
  return (
    <ListCard
      title="Devices"
      label="Devices of the user"
      noun="devices"
      load={load}
      lines={3}
      columns={COLUMNS}
      readRows={devices => devices}
      rowKey={device => device.id}
      empty={<Empty title="No devices">A device appears here when its data arrives.</Empty>}
    />
  )
}
