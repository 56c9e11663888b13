/** A user's connections, with their actions. */
import { Plus, RefreshCw } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useCallback, useState } from 'preact/hooks'
import { readableName } from '../../../catalogue/wording.ts'
import { withoutEmpty } from '../../api/body.ts'
import { call, type Input, type ResponseOf } from '../../api/call.ts'
import { toOptions, useChoices } from '../../api/choices.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { type DialogProps, FormDialog, useForm } from '../../parts/form.tsx'
import { Facts } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, type Tone } from '../../parts/small.tsx'
import { Empty, ProblemNote } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { LinkDialog } from './link-dialog.tsx'

type User = ResponseOf<'user.get'>
type Connection = ResponseOf<'user.providers'>['providers'][number]

const TONES: Readonly<Record<string, Tone>> = { connected: 'good', error: 'bad', paused: 'warn' }

export function Connections({ user, onChanged }: { readonly user: User; readonly onChanged: () => void }) {
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

type Refreshed = ResponseOf<'user.refresh'>

/** Pulls a user's new data, and shows which resources were pulled and which were not. */
function useRefresh(userId: string, onRefreshed: () => void) {
  const [refreshed, setRefreshed] = useState<Refreshed | null>(null)
  const { run, isRunning, problem } = useAction(async () => {
    setRefreshed(null)
    setRefreshed(await call('user.refresh', { params: { user_id: userId }, query: {} }))
    onRefreshed()
  })
  const result = (problem || refreshed) && (
    <div class="above-list">
      <ProblemNote problem={problem} />
      {refreshed && (
        <div class="note" role="status">
          <Facts
            rows={[
              ['Refreshed', byProvider(refreshed.refreshed_sources)],
              ['In progress', byProvider(refreshed.in_progress_sources)],
              ['Failed', byProvider(refreshed.failed_sources)],
            ]}
          />
        </div>
      )}
    </div>
  )
  return { run, isRunning, result }
}

/** `oura/sleep`, `oura/steps` and `omron/weight` become "oura: sleep, steps" and "omron: weight". */
function byProvider(sources: readonly string[]): ComponentChildren {
  const groups = Map.groupBy(sources, source => source.slice(0, source.indexOf('/')))
  if (groups.size === 0) return null
  return [...groups].map(([provider, members]) => (
    <p key={provider}>
      <strong>{provider}</strong>: {members.map(each => readableName(each.slice(provider.length + 1))).join(', ')}
    </p>
  ))
}

type ErrorType = NonNullable<Input<'provider.fail'>['body']>['error_type']

interface FailConnectionProps extends DialogProps {
  readonly userId: string
  readonly connection: Connection
}

/** Makes a connection fail, for testing an application. */
function FailConnection({ userId, connection: { name, slug }, onClose, onDone }: FailConnectionProps) {
  const types = useChoices('provider.fail')('error_type')
  const form = useForm({ error_type: '', error_message: '' }, async ({ error_message }) => {
    const body = { error_type: type as ErrorType, ...withoutEmpty({ error_message }) } // the options are values from the server
    await call('provider.fail', { params: { user_id: userId, provider: slug }, body })
    onDone()
  })
  const type = form.values.error_type || types[0] || ''
  return (
    <FormDialog
      title={`Fail ${name}`}
      submit="Fail the connection"
      isReady={type !== ''}
      onClose={onClose}
      form={{ ...form, values: { ...form.values, error_type: type } }}
      fields={[
        { name: 'error_type', label: 'Error type', options: toOptions(types) },
        {
          name: 'error_message',
          label: 'Message',
          hint: 'Optional. By default, a message that fits the error type.',
        },
      ]}
      foot={<Command words={['svc', 'provider', 'fail', userId, slug]} flags={{ '--error-type': type }} />}
    >
      <p>
        The connection changes to the error state, as if the provider had refused it, and your endpoints receive the
        event. To repair it, link the provider again.
      </p>
    </FormDialog>
  )
}
