/** One endpoint, with its state, settings, secret, a test, and the events sent to it. */
import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { ConfirmDialog, FormDialog, useForm } from '../../parts/form.tsx'
import { Card, Facts, Page } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { EditEndpointDialog } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { EventTabs } from './event-tabs.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Endpoint = ResponseOf<'webhook.get'>
const RECENT = 20

export default function EndpointPage() {
  const { endpointId = '' } = useRoute().params
  const load = useLoad('webhook.get', { params: { endpoint_id: endpointId } })
  return (
    <Page title="Endpoint" about={load.data?.url}>
      <EventTabs current="/console/events/endpoints" />
      <Loaded load={load} lines={8} named={{ noun: 'endpoint', list: '/console/events/endpoints' }}>
        {endpoint => <EndpointView endpoint={endpoint} onChanged={load.replace} />}
      </Loaded>
    </Page>
  )
}

interface EndpointViewProps {
  readonly endpoint: Endpoint
  readonly onChanged: (endpoint: Endpoint) => void
}

function EndpointView({ endpoint, onChanged }: EndpointViewProps) {
  const toast = useToast()
  const { route } = useLocation()
  const params = { endpoint_id: endpoint.endpoint_id }
  const [dialog, setDialog] = useState<'edit' | 'rotate' | 'delete' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const sent = useLoad('event.list', { query: { endpoint_id: endpoint.endpoint_id, limit: RECENT } })
  const test = useAction(async () => {
    const { event_type } = await call('webhook.test', { params })
    toast({ text: `An example of ${event_type} is on its way.` })
    sent.reload()
  })
  const remove = async (): Promise<void> => {
    await call('webhook.delete', { params })
    toast({ text: 'The endpoint was deleted.' })
    route(`${BASE}/console/events/endpoints`)
  }
  const setState = async (state: 'enable' | 'disable'): Promise<void> => {
    onChanged(await call(state === 'enable' ? 'webhook.enable' : 'webhook.disable', { params }))
  }
  const flip = useAction(async () => {
    const next = endpoint.state === 'enabled' ? 'disable' : 'enable'
    await setState(next)
    toast({
      text:
        next === 'enable'
          ? 'The endpoint is enabled.'
          : 'The endpoint is disabled. Its waiting deliveries are dead; you can resend them.',
      undo: () => setState(next === 'enable' ? 'disable' : 'enable').catch(() => {}),
    })
  })
  return (
    <>
      <Card
        title="Settings"
        actions={
          <>
            <Button isSmall onClick={() => setDialog('edit')}>
              Change
            </Button>
            <Button isSmall isBusy={test.isRunning} disabled={endpoint.state === 'disabled'} onClick={test.run}>
              Send a test
            </Button>
            <Button isSmall onClick={() => setDialog('rotate')}>
              Rotate the secret
            </Button>
            <Button isSmall isBusy={flip.isRunning} onClick={flip.run}>
              {endpoint.state === 'enabled' ? 'Disable' : 'Enable'}
            </Button>
            <Button isSmall kind="danger" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          </>
        }
      >
        <ProblemNote problem={test.problem ?? flip.problem} />
        {endpoint.target_problem !== null && <div class="note note-warn">{endpoint.target_problem}</div>}
        <Facts
          rows={[
            ['State', <EndpointState key="state" endpoint={endpoint} />],
            ['URL', endpoint.url],
            ['Description', endpoint.description],
            ['Event types', endpoint.event_types.join(', ')],
            ['Failing since', endpoint.failing_since && <Time at={endpoint.failing_since} />],
            ['Disabled at', endpoint.disabled_at && <Time at={endpoint.disabled_at} />],
            ['Waiting deliveries', count(endpoint.waiting)],
            ['Dead deliveries', count(endpoint.dead)],
            ['Concurrency', `up to ${endpoint.concurrency} deliveries at the same time`],
            [
              'Rate limit',
              endpoint.rate_limit === null ? 'none' : `${count(endpoint.rate_limit)} deliveries per second`,
            ],
            ['Header prefix', endpoint.header_prefix],
            [
              'Previous secret',
              endpoint.former_secret_until && (
                <>
                  also signs until <Time at={endpoint.former_secret_until} />
                </>
              ),
            ],
            ['Created', <Time key="created" at={endpoint.created_at} />],
            ['Endpoint ID', <code key="id">{endpoint.endpoint_id}</code>],
          ]}
        />
      </Card>
      <ListCard
        title="Latest events"
        actions={
          <LinkButton isSmall href="/console/events">
            All events
          </LinkButton>
        }
        load={sent}
        columns={COLUMNS}
        readRows={page => page.data}
        rowKey={event => event.event_id}
        empty={
          <Empty title="Nothing has been sent yet">
            Send a test, or trigger an event of a type that the endpoint subscribes to.
          </Empty>
        }
      />
      <Command words={['svc', 'event', 'list', '--endpoint', endpoint.endpoint_id]} />
      {dialog === 'edit' && (
        <EditEndpointDialog
          endpoint={endpoint}
          onClose={() => setDialog(null)}
          onChanged={changed => {
            onChanged(changed)
            setDialog(null)
          }}
        />
      )}
      {dialog === 'rotate' && (
        <RotateDialog
          endpointId={endpoint.endpoint_id}
          onClose={() => setDialog(null)}
          onRotated={({ secret, ...rotated }) => {
            setDialog(null)
            setSecret(secret)
            onChanged(rotated)
          }}
        />
      )}
      {dialog === 'delete' && (
        <ConfirmDialog title="Delete the endpoint?" submit="Delete" onClose={() => setDialog(null)} act={remove}>
          <p>
            The record of its deliveries is also deleted. This cannot be undone. To stop deliveries for a while, disable
            it instead.
          </p>
        </ConfirmDialog>
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

type ListedEvent = ResponseOf<'event.list'>['data'][number]

const COLUMNS: readonly Column<ListedEvent>[] = [
  { title: 'Time', cell: event => <Time at={event.at} withSeconds /> },
  {
    title: 'Type',
    cell: event => (
      <a class="nowrap" href={`/console/events/${event.event_id}`}>
        {event.event_type}
      </a>
    ),
  },
  { title: 'User', cell: event => <a href={`/console/users/${event.user_id}`}>{event.client_user_id}</a> },
  {
    title: 'Dead',
    cell: event => (event.deliveries.dead === 0 ? '' : <Badge tone="bad">{event.deliveries.dead} dead</Badge>),
  },
]

interface RotateDialogProps {
  readonly endpointId: string
  readonly onClose: () => void
  readonly onRotated: (endpoint: ResponseOf<'webhook.rotate_secret'>) => void
}

function RotateDialog({ endpointId, onClose, onRotated }: RotateDialogProps) {
  const params = { endpoint_id: endpointId }
  const form = useForm({ overlap_hours: '24' }, async ({ overlap_hours }) =>
    onRotated(await call('webhook.rotate_secret', { params, body: { overlap_hours: Number(overlap_hours) } })),
  )
  return (
    <FormDialog
      title="Rotate the secret"
      submit="Rotate"
      onClose={onClose}
      form={form}
      fields={[
        {
          name: 'overlap_hours',
          label: 'Hours during which the previous secret also signs',
          type: 'number',
          min: 0,
          hint: '0 ends it at once, for example after a leak',
        },
      ]}
    />
  )
}
