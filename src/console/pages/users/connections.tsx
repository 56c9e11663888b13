/** A user's connections, with their actions. */

import { Plus, RefreshCw } from 'lucide'
import { useCallback } from 'preact/hooks'
import { readableName } from '../../../catalogue/wording.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, type Tone } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago, Time } from '../../parts/time.tsx'
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
    <Button kind="primary" isSmall icon={Plus} needs="link.token" onClick={() => open('link')}>
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
              <Button isSmall icon={RefreshCw} needs="user.refresh" isBusy={refresh.isRunning} onClick={refresh.run}>
                {refresh.isRunning ? 'Refreshing' : 'Refresh'}
              </Button>
            )}
            {link}
          </>
        }
        label="Connections of the user"
        load={load}
        noun="connections"
        nameOf={({ name }) => name}
        columns={COLUMNS}
        rowActions={[
          {
            title: 'Fail',
            needs: 'provider.fail',
            fits: ({ status }) => status !== 'error',
            open: ({ slug }) => open('fail', slug),
          },
          {
            title: 'Disconnect',
            needs: 'user.disconnect',
            done: 'disconnected',
            act: ({ slug }) => call('user.disconnect', { params: { ...params, provider: slug } }),
            confirm:
              'The data stays, but no new data arrives. This cannot be undone: to connect the provider again, the user has to link it again.',
            foot: ({ slug }) => <Command words={['svc', 'provider', 'disconnect', user.user_id, slug]} />,
            isDanger: true,
          },
        ]}
        onChanged={update}
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
    </>
  )
}

const COLUMNS: readonly Column<Connection>[] = [
  {
    title: 'Provider',
    sort: ({ name }) => name,
    cell: ({ name, slug }) => (
      <div>
        {name}
        <br />
        <code class="soft">{slug}</code>
      </div>
    ),
  },
  {
    title: 'State',
    sort: ({ status }) => status,
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
  { title: 'Connected', sort: ({ created_on: at }) => at, cell: ({ created_on: at }) => <Ago at={at} /> },
  { title: 'Resources', cell: connection => <Resources connection={connection} /> },
]

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
