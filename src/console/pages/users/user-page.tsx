/** One user, with their facts, profile, connections, pulls and devices. */
import { useLocation, useRoute } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import { call, type Problem, type ResponseOf } from '../../api/call.ts'
import { mayUse } from '../../api/session.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { useRowActions } from '../../parts/list/row-actions.tsx'
import { Card, Facts, Page } from '../../parts/page.tsx'
import { Command, Copyable } from '../../parts/small.tsx'
import { Empty, NoSuch, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { Connections } from './connections.tsx'
import { DELETE_USER } from './delete-user.ts'
import { Devices } from './devices.tsx'
import { Profile } from './profile.tsx'
import { Pulls } from './pulls.tsx'
import { EditUser } from './user-form.tsx'

type User = ResponseOf<'user.get'>

export default function UserPage() {
  const userId = useRoute().params['userId'] ?? ''
  const load = useLoad('user.get', { params: { user_id: userId } })
  if (load.data) return <UserView user={load.data} onChanged={load.reload} />
  return (
    <Page title="User">
      {load.problem && <Failed problem={load.problem} userId={userId} onRetry={load.reload} />}
      {load.isLoading && (
        <Card isFlush>
          <Skeleton lines={12} />
        </Card>
      )}
    </Page>
  )
}

interface FailedProps {
  readonly problem: Problem
  readonly userId: string
  readonly onRetry: () => void
}

function Failed({ problem, userId, onRetry }: FailedProps) {
  if (problem.status === 404) return <Missing userId={userId} onRestored={onRetry} />
  if (problem.isMissing) return <NoSuch noun="user" list="/console/users" problem={problem} />
  return <ProblemNote problem={problem} onRetry={onRetry} />
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
        <EditUser
          user={user}
          onClose={() => change({ open: null })}
          onChanged={() => {
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
