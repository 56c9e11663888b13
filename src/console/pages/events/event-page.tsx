/** One event, with its body and every delivery attempt. */
import { useRoute } from 'preact-iso/router'
import { call, type ResponseOf } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Facts, Page } from '../../parts/page.tsx'
import { Badge, Command, CopyButton, Json, type Tone } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { TopicTabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { type Attempt, AttemptView } from './attempt-view.tsx'

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
    const { queued } = await call('event.resend', {
      params: { event_id: event.event_id },
      body: endpointId === null ? {} : { endpoint_id: endpointId },
    })
    toast({ text: queued === 1 ? 'One delivery was queued.' : `${count(queued)} deliveries were queued.` })
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
