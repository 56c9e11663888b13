/** One endpoint, with its state, settings, secret, a test, and the events sent to it. */
import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { FormDialog, useForm } from '../../parts/form.tsx'
import { useRowActions } from '../../parts/list/row-actions.tsx'
import { Card, Facts, Page } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { TopicTabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { DELETE, FLIPS } from './endpoint-actions.ts'
import { EndpointDays } from './endpoint-days.tsx'
import { EditEndpointDialog } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { EVENT_COLUMNS } from './events-page.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Endpoint = ResponseOf<'webhook.get'>
const RECENT = 20

export default function EndpointPage() {
  const { endpointId = '' } = useRoute().params
  const load = useLoad('webhook.get', { params: { endpoint_id: endpointId } })
  return (
    <Page title="Endpoint" about={load.data?.url}>
      <TopicTabs topic="/console/events" current="/console/events/endpoints" />
      <Loaded load={load} lines={8} named={{ noun: 'endpoint', list: '/console/events/endpoints' }}>
        {endpoint => <EndpointView endpoint={endpoint} onChanged={load.replace} onReload={load.reload} />}
      </Loaded>
    </Page>
  )
}

interface EndpointViewProps {
  readonly endpoint: Endpoint
  readonly onChanged: (endpoint: Endpoint) => void
  readonly onReload: () => void
}

function EndpointView({ endpoint, onChanged, onReload }: EndpointViewProps) {
  const toast = useToast()
  const { route } = useLocation()
  const params = { endpoint_id: endpoint.endpoint_id }
  const [dialog, setDialog] = useState<'edit' | 'rotate' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const sent = useLoad('event.list', { query: { endpoint_id: endpoint.endpoint_id, limit: RECENT } })
  const test = useAction(async () => {
    const { event_type } = await call('webhook.test', { params })
    toast({ text: `An example of ${event_type} is on its way.` })
    sent.reload()
  })
  const actions = useRowActions<Endpoint>({
    noun: 'endpoints',
    nameOf: ({ url }) => url,
    onChanged: ({ action, failed }) => {
      if (action === DELETE && failed.length === 0) route(`${BASE}/console/events/endpoints`)
      else onReload()
    },
  })
  return (
    <>
      <Card
        title="Settings"
        actions={
          <>
            <Button isSmall needs="webhook.update" onClick={() => setDialog('edit')}>
              Change
            </Button>
            <Button
              isSmall
              needs="webhook.test"
              isBusy={test.isRunning}
              disabled={endpoint.state === 'disabled'}
              onClick={test.run}
            >
              Send a test
            </Button>
            <Button isSmall needs="webhook.rotate_secret" onClick={() => setDialog('rotate')}>
              Rotate the secret
            </Button>
            {[...FLIPS, DELETE]
              .filter(({ fits }) => fits?.(endpoint) ?? true)
              .map(action => (
                <Button
                  key={action.title}
                  needs={action.needs}
                  isSmall
                  kind={action.isDanger ? 'danger' : 'plain'}
                  isBusy={actions.isRunning}
                  onClick={() => actions.run(action, [endpoint])}
                >
                  {action.title}
                </Button>
              ))}
          </>
        }
      >
        <ProblemNote problem={test.problem ?? actions.problem} />
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
      <EndpointDays endpointId={endpoint.endpoint_id} />
      <ListCard
        title="Latest events"
        actions={
          <LinkButton isSmall href="/console/events">
            All events
          </LinkButton>
        }
        noun="events of the endpoint"
        load={sent}
        columns={EVENT_COLUMNS}
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
      {actions.dialog}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

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
