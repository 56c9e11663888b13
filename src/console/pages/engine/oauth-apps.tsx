/** The team's live providers, with their OAuth apps and the state of their pulls. */
import { call, type ResponseOf } from '../../api/call.ts'
import { type Load, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { type DialogProps, FormDialog, useDialog, useForm } from '../../parts/form.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Copyable, type Tone } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'

type OAuthApp = ResponseOf<'provider.setups'>['setups'][number]
type ProviderStatus = ResponseOf<'provider.status'>['providers'][number]

export function OAuthApps() {
  const load = useLoad('provider.setups', {})
  const status = useLoad('provider.status', {})
  const { open, dialog } = useDialog(() => {
    load.reload()
    status.reload()
  })
  const add = (
    <Button isSmall kind="primary" needs="provider.setup" onClick={() => open(props => <OAuthAppDialog {...props} />)}>
      Set up a provider
    </Button>
  )
  return (
    <>
      <Loaded load={load}>
        {({ setups }) =>
          setups.length === 0 ? (
            <Card>
              <Empty title="All providers are simulated" action={add}>
                Set up a provider with your own OAuth app to make its connections live: users sign in at the provider,
                and their data comes from it.
              </Empty>
            </Card>
          ) : (
            <>
              <div class="row">{add}</div>
              {setups.map(app => (
                <OAuthAppCard
                  key={app.provider}
                  app={app}
                  status={status.data?.providers.find(each => each.provider === app.provider)}
                  onTeardown={() => open(props => <TeardownDialog {...props} provider={app.provider} />)}
                />
              ))}
              <LiveConnections load={status} />
            </>
          )
        }
      </Loaded>
      <Command words={['svc', 'provider', 'status']} />
      {dialog}
    </>
  )
}

interface OAuthAppCardProps {
  readonly app: OAuthApp
  readonly status: ProviderStatus | undefined
  readonly onTeardown: () => void
}

function OAuthAppCard({ app, status, onTeardown }: OAuthAppCardProps) {
  return (
    <Card
      title={app.provider}
      actions={
        <Button
          isSmall
          kind="danger"
          needs="provider.teardown"
          label={`Tear down ${app.provider}`}
          onClick={onTeardown}
        >
          Tear down
        </Button>
      }
    >
      {app.notes.map(note => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      <Facts
        rows={[
          ['Client ID', app.client_id],
          ['Redirect URL', app.redirect_url && <Copyable text={app.redirect_url} label="Copy the redirect URL" />],
          ['Notifications to', app.notification_url && <Copyable text={app.notification_url} label="Copy the URL" />],
          ['Scopes', app.scopes.join(', ')],
          [
            'Settings',
            Object.entries(app.settings)
              .map(([name, value]) => `${name} = ${value}`)
              .join(', '),
          ],
          ['Keeps raw responses', app.keep_raw ? 'for a limited time, encrypted' : 'no'],
          ['Changed', <Time key="changed" at={app.updated_at} />],
        ]}
      />
      {status && <StatusFacts status={status} />}
    </Card>
  )
}

function StatusFacts({ status }: { readonly status: ProviderStatus }) {
  return (
    <Facts
      rows={[
        [
          'Connections',
          <span class="row" key="connections">
            {count(status.connections)}
            {status.in_error > 0 && <Badge tone="bad">{count(status.in_error)} in error</Badge>}
            {status.in_history > 0 && <Badge tone="accent">{count(status.in_history)} pulling history</Badge>}
          </span>,
        ],
        ['New data', status.delivery === 'notifications' ? 'announced by the provider' : 'pulled at intervals'],
        ['Last pull', <Time key="last" at={status.last_pull_at} />],
        ['Next pull', status.next_pull_at && <Time at={status.next_pull_at} />],
        ['Waiting notifications', count(status.waiting_notifications)],
        [
          'Requests',
          status.limits
            .map(({ used, most, window_seconds }) => `${count(used)} of ${count(most)} in ${count(window_seconds)} s`)
            .join(', '),
        ],
        ['Paused by the provider until', status.blocked_until && <Time at={status.blocked_until} />],
        [
          'Subscriptions',
          status.subscriptions.map(({ name, last_error }) => (
            <div key={name}>
              {name} {last_error === null ? <Badge tone="good">active</Badge> : <Badge tone="bad">{last_error}</Badge>}
            </div>
          )),
        ],
      ]}
    />
  )
}

function TeardownDialog({ provider, onClose, onDone }: DialogProps & { readonly provider: string }) {
  const toast = useToast()
  const form = useForm({ disconnect: false }, async query => {
    const { disconnected, not_revoked } = await call('provider.teardown', { params: { provider }, query })
    const left = not_revoked === 0 ? '' : ` ${count(not_revoked)} could not be revoked at the provider.`
    toast({ text: `${provider} is simulated again. ${count(disconnected)} connections were disconnected.${left}` })
    onDone()
  })
  return (
    <FormDialog
      title={`Tear down ${provider}?`}
      submit="Tear down"
      kind="danger"
      onClose={onClose}
      form={form}
      fields={[
        {
          name: 'disconnect',
          type: 'check',
          label: 'Disconnect the live connections first',
          hint: 'Ends their access at the provider. Their data stays.',
        },
      ]}
    >
      <p>The client secret and the subscriptions are removed, and new connections of {provider} are simulated again.</p>
    </FormDialog>
  )
}

type Status = ResponseOf<'provider.status'>
type Connection = Status['connections'][number]

/** The team's live connections, and the data pulled for each of them. */
function LiveConnections({ load }: { readonly load: Load<Status> }) {
  return (
    <ListCard
      title="Live connections"
      noun="live connections"
      load={load}
      columns={COLUMNS}
      readRows={({ connections }) => connections}
      rowKey={connection => `${connection.user_id} ${connection.provider}`}
      empty={
        <Empty title="Nobody has connected yet">
          Open a user and choose Link a provider, or create a link token for them.
        </Empty>
      }
    />
  )
}

const TONES: Readonly<Record<string, Tone>> = { connected: 'good', error: 'bad', paused: 'warn' }

const COLUMNS: readonly Column<Connection>[] = [
  { title: 'User', cell: connection => <a href={`/console/users/${connection.user_id}`}>{connection.user_id}</a> },
  { title: 'Provider', sort: connection => connection.provider, cell: connection => connection.provider },
  {
    title: 'State',
    sort: ({ status }) => status,
    cell: ({ status, error_message }) => (
      <>
        <Badge tone={TONES[status] ?? 'neutral'}>{status}</Badge>
        {error_message !== null && <div class="soft">{error_message}</div>}
      </>
    ),
  },
  {
    title: 'Last pull',
    sort: connection => connection.last_pull_at,
    cell: connection => <Ago at={connection.last_pull_at} clock="real" />,
  },
  {
    title: 'Next pull',
    cell: connection => connection.next_pull_at && <Ago at={connection.next_pull_at} clock="real" />,
  },
  {
    title: 'Received',
    cell: ({ collections }) => count(collections.reduce((sum, each) => sum + each.received, 0)),
    isNumber: true,
  },
  {
    title: 'Not mapped',
    cell: ({ collections }) => {
      const kinds = collections.flatMap(({ unmapped }) => Object.entries(unmapped))
      return kinds.map(([kind, times]) => (
        <div key={kind}>
          {kind}: {count(times)}
        </div>
      ))
    },
  },
]

const NEW = { provider: '', client_id: '', client_secret: '', redirect_url: '', scopes: '', keep_raw: false }

/** Sets up a live provider with the team's OAuth app. */
function OAuthAppDialog({ onClose, onDone }: DialogProps) {
  const toast = useToast()
  const providers = useLoad('provider.list', {})
  const form = useForm(NEW, async ({ provider, redirect_url, scopes, ...rest }) => {
    const names = scopes.split(/[\s,]+/).filter(Boolean)
    await call('provider.setup', {
      params: { provider },
      body: { ...rest, redirect_url: redirect_url || null, scopes: names.length === 0 ? null : names },
    })
    toast({ text: `${provider} is live now.` })
    onDone()
  })
  const { provider, client_id, client_secret } = form.values
  return (
    <FormDialog
      title="Set up a provider"
      submit="Set up"
      isReady={provider !== '' && client_id !== '' && client_secret !== ''}
      onClose={onClose}
      form={form}
      fields={[
        {
          name: 'provider',
          label: 'Provider',
          isRequired: true,
          suggestions: providers.data
            ?.filter(each => each.auth_type === 'oauth')
            .map(({ slug, name }) => ({ value: slug, label: name })),
        },
        { name: 'client_id', label: 'Client ID', isRequired: true },
        {
          name: 'client_secret',
          label: 'Client secret',
          type: 'password',
          isRequired: true,
          hint: 'Stored encrypted, and never shown again',
        },
        {
          name: 'redirect_url',
          label: 'Redirect URL',
          type: 'url',
          hint: 'As registered at the provider. Leave it empty for the callback of this server.',
        },
        { name: 'scopes', label: 'Scopes', hint: 'Separated by spaces. Leave it empty for all known scopes.' },
        {
          name: 'keep_raw',
          type: 'check',
          label: "Keep the provider's raw responses",
          hint: 'For debugging. They are stored encrypted for a limited time, and purged with the user.',
        },
      ]}
      foot={
        <Command
          words={['svc', 'provider', 'setup', provider || 'PROVIDER']}
          flags={{ '--client-id': client_id || 'ID', '--client-secret-stdin': true }}
        />
      }
    />
  )
}
