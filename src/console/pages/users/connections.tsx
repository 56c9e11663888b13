/** A user's connections, with their actions. */

import { useCallback } from 'preact/hooks'
import { readableName } from '../../../catalogue/wording.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/form.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Time, type Tone } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { FailConnection } from './fail-connection.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { useRefresh } from './refresh.tsx'

type User = ResponseOf<'user.get'>
type Connection = ResponseOf<'user.providers'>['providers'][number]

const TONES: Readonly<Record<string, Tone>> = { connected: 'good', error: 'bad', paused: 'warn' }

interface ConnectionsProps {
  readonly user: User
  readonly onChanged: () => void
}

export function Connections({ user, onChanged }: ConnectionsProps) {
  const { query, change } = useUrlState()
  const params = { user_id: user.user_id }
  const load = useLoad('user.providers', { params })
  const update = useCallback(() => {
    load.reload()
    onChanged()
  }, [load.reload, onChanged])
  const refresh = useRefresh(user.user_id, update)
  const close = (): void => change({ open: null, provider: null })
  const done = (): void => {
    close()
    update()
  }
  const open = (dialog: string, provider?: string): void => change({ open: dialog, provider }, true)
  const chosen = load.data?.providers.find(each => each.slug === query['provider'])
  const link = (
    <Button kind="primary" isSmall onClick={() => open('link')}>
      Link a provider
    </Button>
  )
  const hasConnections = load.data !== undefined && load.data.providers.length > 0
  return (
    <>
      <ListCard
        title="Connections"
        actions={
          <>
            {hasConnections && (
              <Button isSmall isBusy={refresh.isRunning} onClick={refresh.run}>
                {refresh.isRunning ? 'Refreshing' : 'Refresh'}
              </Button>
            )}
            {link}
          </>
        }
        label="Connections of the user"
        load={load}
        columns={columnsWith(open)}
        readRows={({ providers }) => providers}
        rowKey={connection => connection.slug}
        empty={
          <Empty title="No connections" action={link}>
            Link a provider, or give the user a demo connection with synthetic data.
          </Empty>
        }
      >
        {refresh.result}
      </ListCard>
      {query['open'] === 'link' && <LinkDialog userId={user.user_id} onClose={close} onLinked={update} onDone={done} />}
      {query['open'] === 'fail' && chosen && (
        <FailConnection userId={user.user_id} connection={chosen} onClose={close} onDone={done} />
      )}
      {query['open'] === 'disconnect' && chosen && (
        <ConfirmDialog
          title={`Disconnect ${chosen.name}`}
          submit="Disconnect"
          onClose={close}
          act={() => call('user.disconnect', { params: { ...params, provider: chosen.slug } }).then(done)}
          foot={<Command words={['svc', 'provider', 'disconnect', user.user_id, chosen.slug]} />}
        >
          <p>
            The data stays, but no new data arrives. This cannot be undone: to connect the provider again, the user has
            to link it again.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function columnsWith(open: (dialog: string, provider: string) => void): readonly Column<Connection>[] {
  return [
    {
      title: 'Provider',
      cell: ({ name, slug }) => (
        <div class="users-provider">
          <strong>{name}</strong>
          <br />
          <code class="soft">{slug}</code>
        </div>
      ),
    },
    {
      title: 'State',
      cell: ({ status, error_details: error }) => (
        <div>
          <Badge tone={TONES[status] ?? 'neutral'}>{status}</Badge>
          {error && (
            <p class="users-error soft">
              <strong>{readableName(error.error_type)}</strong>, since <Time at={error.errored_at} />.{' '}
              {error.error_message}
            </p>
          )}
        </div>
      ),
    },
    { title: 'Mode', cell: ({ mode }) => <Badge tone={mode === 'live' ? 'accent' : 'neutral'}>{mode}</Badge> },
    { title: 'Connected', cell: ({ created_on: at }) => <Time at={at} /> },
    { title: 'Resources', cell: connection => <Resources connection={connection} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: ({ name, slug, status }) => (
        <div class="users-actions">
          {status !== 'error' && (
            <Button kind="quiet" isSmall label={`Fail ${name}`} onClick={() => open('fail', slug)}>
              Fail
            </Button>
          )}
          <Button kind="quiet" isSmall label={`Disconnect ${name}`} onClick={() => open('disconnect', slug)}>
            Disconnect
          </Button>
        </div>
      ),
    },
  ]
}

function Resources({ connection }: { readonly connection: Connection }) {
  const all = Object.entries(connection.resource_availability)
  const available = all.filter(([, { status }]) => status === 'available').map(([name]) => name)
  const missing = all.filter(([, { status }]) => status !== 'available').map(([name]) => name)
  return (
    <details class="users-lists">
      <summary>{missing.length === 0 ? count(all.length) : `${available.length} of ${all.length}`}</summary>
      <p class="soft">{available.map(readableName).join(', ')}</p>
      {missing.length > 0 && <p class="soft">Not available: {missing.map(readableName).join(', ')}</p>}
    </details>
  )
}
