/** One event, with its body and every delivery attempt. */
import { useRoute } from 'preact-iso/router'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Facts, Page, TopicTabs } from '../../parts/page.tsx'
import { Badge, Command, CopyButton, Json, type Tone } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { queuedText } from './event-dialogs.tsx'

type Event = ResponseOf<'event.get'>
type Delivery = Event['deliveries'][number]

export default function EventPage() {
  const { eventId = '' } = useRoute().params
  const load = useLoad('event.get', { params: { event_id: eventId } })
  return (
    <Page title={load.data?.event_type ?? 'Event'}>
      <TopicTabs topic="/console/events" current="/console/events" />
      <Loaded load={load} lines={10} named={{ noun: 'event', list: '/console/events' }}>
        {event => <EventView event={event} onResent={load.reload} />}
      </Loaded>
    </Page>
  )
}

function EventView({ event, onResent }: { readonly event: Event; readonly onResent: () => void }) {
  const toast = useToast()
  const attempts = useLoad('event.attempts', { params: { event_id: event.event_id } })
  const resend = useAction(async (endpointId: string | null) => {
    const body = endpointId === null ? {} : { endpoint_id: endpointId }
    toast({ text: queuedText(await call('event.resend', { params: { event_id: event.event_id }, body })) })
    onResent()
    attempts.reload()
  })
  return (
    <>
      <Card
        title="Event"
        actions={
          <Button isSmall isBusy={resend.isRunning} needs="event.resend" onClick={() => resend.run(null)}>
            Resend to all that subscribe
          </Button>
        }
      >
        <ProblemNote problem={resend.problem} />
        <Facts
          rows={[
            ['Time', <Time key="at" at={event.at} withSeconds />],
            [
              'User',
              <a key="user" href={`/console/users/${event.user_id}`}>
                {event.client_user_id}
              </a>,
            ],
            ['Sequence number for this user', count(event.sequence)],
            ['Samples', event.samples === null ? null : count(event.samples)],
            ['Event ID', <code key="id">{event.event_id}</code>],
          ]}
        />
      </Card>
      <Card title="Deliveries">
        <ProblemNote problem={attempts.problem} onRetry={attempts.reload} />
        {event.deliveries.length === 0 && (
          <Empty title="No deliveries">
            No endpoint subscribed to this type when the event happened. Add an endpoint, then resend the event to it.
          </Empty>
        )}
        {event.deliveries.map(delivery => (
          <DeliveryView
            key={delivery.endpoint_id}
            delivery={delivery}
            attempts={attempts.data?.attempts.filter(each => each.endpoint_id === delivery.endpoint_id) ?? []}
            onResend={() => resend.run(delivery.endpoint_id)}
            isBusy={resend.isRunning}
          />
        ))}
      </Card>
      <Card title="Body" actions={<CopyButton text={JSON.stringify(event.payload, null, 2)} label="Copy the body" />}>
        <Json value={event.payload} label="Body of the event" />
      </Card>
      <Command words={['svc', 'event', 'get', event.event_id]} />
    </>
  )
}

const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  waiting: 'accent',
  delivered: 'good',
  dead: 'bad',
  cancelled: 'neutral',
}

interface DeliveryViewProps {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
  readonly onResend: () => void
  readonly isBusy: boolean
}

function DeliveryView({ delivery, attempts, onResend, isBusy }: DeliveryViewProps) {
  return (
    <div class="stack delivery">
      <div class="row">
        <Badge tone={TONES[delivery.state]}>{delivery.state}</Badge>
        <a href={`/console/events/endpoints/${delivery.endpoint_id}`}>{delivery.url}</a>
        <Button isSmall isBusy={isBusy} needs="event.resend" onClick={onResend} label={`Resend to ${delivery.url}`}>
          Resend
        </Button>
      </div>
      {delivery.next_attempt_at !== null && (
        <p class="soft">
          Next attempt: <Time at={delivery.next_attempt_at} withSeconds />
        </p>
      )}
      {attempts.map(attempt => (
        <AttemptView key={attempt.number} attempt={attempt} />
      ))}
    </div>
  )
}

type Attempt = ResponseOf<'event.attempts'>['attempts'][number]

/** A delivery attempt with its outcome and, when opened, the request and the response. */
function AttemptView({ attempt }: { readonly attempt: Attempt }) {
  const { number, attempted_at, duration_ms, status, error, request_headers } = attempt
  return (
    <details class="attempt">
      <summary>
        <span class="row attempt-line">
          <strong>Attempt {number}</strong>
          <Outcome status={status} error={error} />
          <Time at={attempted_at} withSeconds />
          <span class="soft">{count(duration_ms)} ms</span>
        </span>
      </summary>
      {error !== null && status !== null && <p class="soft">{error}</p>}
      {request_headers === null ? (
        <p class="soft">Nothing was sent, or the request and the response are no longer stored.</p>
      ) : (
        <Exchange attempt={attempt} headers={request_headers} />
      )}
    </details>
  )
}

interface ExchangeProps {
  readonly attempt: Attempt
  readonly headers: Readonly<Record<string, string>>
}

function Exchange({ attempt, headers }: ExchangeProps) {
  const { number, response_headers, response_body, response_truncated } = attempt
  return (
    <div class="columns">
      <div class="stack">
        <h3>Request</h3>
        <Json value={headerLines(headers)} label={`Request headers of attempt ${number}`} />
      </div>
      <div class="stack">
        <h3>Response</h3>
        {response_headers === null ? (
          <p class="soft">There was none.</p>
        ) : (
          <Json value={headerLines(response_headers)} label={`Response headers of attempt ${number}`} />
        )}
        {response_body !== null && response_body !== '' && (
          <Json value={response_body} label={`Response body of attempt ${number}`} />
        )}
        {response_truncated && <p class="soft">Only the beginning of the body is stored.</p>}
      </div>
    </div>
  )
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function Outcome({ status, error }: Pick<Attempt, 'status' | 'error'>) {
  if (status !== null) return <Badge tone={status < 300 ? 'good' : 'bad'}>{status}</Badge>
  return <Badge tone="bad">{error ?? 'no response'}</Badge>
}
