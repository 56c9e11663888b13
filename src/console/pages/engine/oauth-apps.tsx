/** The team's live providers, with their OAuth apps and the state of their pulls. */
import { useState } from 'preact/hooks'
import { call, type ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { type DialogProps, FormDialog, useForm } from '../../parts/form.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Badge, Command, Copyable } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { LiveConnections } from './live-connections.tsx'
import { OAuthAppDialog } from './oauth-app-dialog.tsx'

type OAuthApp = ResponseOf<'provider.setups'>['setups'][number]
type ProviderStatus = ResponseOf<'provider.status'>['providers'][number]

type OpenDialog = { readonly kind: 'setup' } | { readonly kind: 'teardown'; readonly provider: string }

export function OAuthApps() {
  const load = useLoad('provider.setups', {})
  const status = useLoad('provider.status', {})
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const done = (): void => {
    setDialog(null)
    load.reload()
    status.reload()
  }
  const add = (
    <Button isSmall kind="primary" needs="provider.setup" onClick={() => setDialog({ kind: 'setup' })}>
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
                  onTeardown={() => setDialog({ kind: 'teardown', provider: app.provider })}
                />
              ))}
              <LiveConnections load={status} />
            </>
          )
        }
      </Loaded>
      <Command words={['svc', 'provider', 'status']} />
      {dialog?.kind === 'setup' && <OAuthAppDialog onClose={() => setDialog(null)} onDone={done} />}
      {dialog?.kind === 'teardown' && (
        <TeardownDialog provider={dialog.provider} onClose={() => setDialog(null)} onDone={done} />
      )}
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
