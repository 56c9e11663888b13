/** One endpoint, with its state, settings, secret, a test, and the events sent to it. */
import { useLocation, useRoute } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Figure } from '../../parts/chart/figure.tsx'
import { FormDialog, useDialog, useForm } from '../../parts/form.tsx'
import { useRowActions } from '../../parts/list/row-actions.tsx'
import { Card, Facts, Page, TopicTabs } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { DELETE, EndpointDialog, EndpointState, FLIPS } from './endpoint.tsx'
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
  const { open, dialog } = useDialog()
  const edit = (): void =>
    open(({ onClose }) => {
      const onSaved = (changed: Endpoint): void => {
        onChanged(changed)
        onClose()
      }
      return <EndpointDialog {...{ endpoint, onClose, onSaved }} />
    })
  const onRotated = ({ secret, ...rotated }: ResponseOf<'webhook.rotate_secret'>): void => {
    open(({ onClose }) => <SecretDialog {...{ secret, onClose }} />)
    onChanged(rotated)
  }
  const rotate = (): void => open(({ onClose }) => <RotateDialog {...{ params, onClose, onRotated }} />)
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
            <Button isSmall needs="webhook.update" onClick={edit}>
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
            <Button isSmall needs="webhook.rotate_secret" onClick={rotate}>
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
      {dialog}
      {actions.dialog}
    </>
  )
}

interface RotateDialogProps {
  readonly params: { readonly endpoint_id: string }
  readonly onClose: () => void
  readonly onRotated: (endpoint: ResponseOf<'webhook.rotate_secret'>) => void
}

function RotateDialog({ params, onClose, onRotated }: RotateDialogProps) {
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

/** The success rate and the mean latency of an endpoint's deliveries, by day. */
function EndpointDays({ endpointId }: { readonly endpointId: string }) {
  const load = useLoad('webhook.days', { params: { endpoint_id: endpointId } })
  return (
    <Card title="Last 14 days">
      <Loaded load={load} lines={4}>
        {({ days }) => {
          const sum = (of: (day: (typeof days)[number]) => number): number =>
            days.reduce((total, day) => total + of(day), 0)
          const [delivered, failed] = [sum(day => day.delivered), sum(day => day.failed)]
          const attempts = delivered + failed
          const ms = sum(day => (day.mean_ms ?? 0) * (day.delivered + day.failed))
          return (
            <div class="figures">
              <Figure
                title="Success rate"
                n={attempts === 0 ? '–' : `${((100 * delivered) / attempts).toFixed(1)} %`}
                label="Delivery attempts"
                days={days.map(({ date, delivered, failed }) => ({ date, value: delivered, bad: failed }))}
              >
                {count(delivered)} delivered, {count(failed)} failed attempts
              </Figure>
              <Figure
                title="Mean latency"
                n={attempts === 0 ? '–' : `${count(Math.round(ms / attempts))} ms`}
                label="Mean latency in ms"
                days={days.map(({ date, mean_ms }) => ({ date, value: mean_ms ?? 0 }))}
              />
              <p class="soft">Counted once a minute; a crash may lose a minute. Days are in UTC.</p>
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}
