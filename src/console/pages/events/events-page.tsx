/** The team's events, newest first, and new ones as they happen. */
import { useEffect, useState } from 'preact/hooks'
import { call, type Input } from '../../api/call.ts'
import { toOptions } from '../../api/choices.ts'
import { useChosenUser } from '../../api/chosen-user.ts'
import { type ListedEvent, useEventStream } from '../../api/event-stream.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { type Filter, Filters } from '../../parts/list/filters.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { Page, TopicTabs } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useCursorPages } from '../../shell/list-pages.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { queuedText, ResendDialog, TriggerDialog, useEventTypes } from './event-dialogs.tsx'

const PAGE_SIZE = 50

type EventFilter = Pick<NonNullable<Input<'event.list'>['query']>, 'type' | 'user_id' | 'state' | 'since' | 'until'>

/** Reads the filters from the query string. The server refuses unknown values, and the page shows its message. */
function readFilter(query: Readonly<Record<string, string>>, user: string | null): EventFilter {
  const at = (name: string) => query[name] || undefined
  const state = at('state') as EventFilter['state'] // the server checks it
  return { type: at('type'), user_id: user ?? undefined, state, since: at('since'), until: at('until') }
}

const FILTERS: readonly Filter[] = [
  { name: 'user', label: 'User', type: 'user' },
  { name: 'state', label: 'Delivery', options: toOptions(['pending', 'failing', 'delivered', 'dead'], 'Any') },
  { name: 'since', label: 'Since', type: 'date' },
  { name: 'until', label: 'Until', type: 'date' },
]

export default function EventsPage() {
  const { query, change } = useUrlState()
  const filter = readFilter(query, useChosenUser())
  const { cursor, readPages } = useCursorPages('events')
  const load = useLoad('event.list', { query: { ...filter, limit: PAGE_SIZE, next_cursor: cursor } })
  const [arrived, setArrived] = useState<readonly ListedEvent[]>([])
  const suggestions = useEventTypes()
  const openDialog = (open: 'trigger' | 'resend') => change({ open }, true)
  const close = () => change({ open: null })
  // earlier pages and time ranges in the past do not change
  const isLive = cursor === undefined && filter.until === undefined && filter.state === undefined
  const stream = useEventStream(isLive ? filter : null, {
    onEvent: event =>
      setArrived(before => [event, ...before.filter(each => each.event_id !== event.event_id)].slice(0, PAGE_SIZE)),
    onGap: load.reload,
  })
  const trigger = (
    <Button kind="primary" needs="event.trigger" onClick={() => openDialog('trigger')}>
      Trigger an event
    </Button>
  )
  const key = JSON.stringify(filter)
  useEffect(() => setArrived([]), [key, cursor])
  return (
    <Page
      title="Events"
      about="What happened to the data of your users. Each event is sent to every endpoint that subscribes to its type."
      actions={
        <>
          <Button needs="events.resend" onClick={() => openDialog('resend')}>
            Resend events…
          </Button>
          {trigger}
        </>
      }
    >
      <TopicTabs topic="/console/events" current="/console/events" />
      <ListCard
        title="Events"
        actions={isLive && <LiveBadge state={stream} />}
        load={load}
        noun="events"
        nameOf={event => `${event.event_type} of ${event.client_user_id}`}
        rowActions={[RESEND]}
        lines={8}
        columns={EVENT_COLUMNS}
        readRows={({ data }) => {
          const known = new Set(data.map(event => event.event_id))
          return cursor === undefined ? [...arrived.filter(event => !known.has(event.event_id)), ...data] : data
        }}
        rowKey={event => event.event_id}
        readPages={readPages}
        empty={
          key === '{}' ? (
            <Empty title="No events yet" action={trigger}>
              Events appear here as soon as a user connects a provider or data arrives. You can also trigger one now.
            </Empty>
          ) : (
            <Empty title="No events match">Change or clear the filters above.</Empty>
          )
        }
      >
        <Filters filters={[{ name: 'type', label: 'Type', suggestions, placeholder: 'daily.data.*' }, ...FILTERS]} />
      </ListCard>
      <Command
        words={['svc', 'event', 'list']}
        flags={{
          '--type': filter.type,
          '--user': filter.user_id,
          '--state': filter.state,
          '--since': filter.since,
          '--until': filter.until,
        }}
      />
      {query['open'] === 'trigger' && (
        <TriggerDialog userId={filter.user_id ?? null} onClose={close} onDone={load.reload} />
      )}
      {query['open'] === 'resend' && <ResendDialog onClose={close} onDone={load.reload} />}
    </Page>
  )
}

const RESEND: Change<ListedEvent> = {
  title: 'Resend',
  needs: 'event.resend',
  done: 'resent',
  act: async ({ event_id }) => queuedText(await call('event.resend', { params: { event_id }, body: {} })),
  confirm: 'Every endpoint that subscribes to the type receives it, also those that have accepted it before.',
  isForMany: true,
}

export const EVENT_COLUMNS: readonly Column<ListedEvent>[] = [
  { title: 'Delivery', cell: event => <Deliveries {...event.deliveries} /> },
  { title: 'Time', cell: event => <Ago at={event.at} /> },
  {
    title: 'Type',
    cell: event => (
      <a class="nowrap" href={`/console/events/${event.event_id}`}>
        {event.event_type}
      </a>
    ),
  },
  { title: 'User', cell: event => <a href={`/console/users/${event.user_id}`}>{event.client_user_id}</a> },
  { title: 'Samples', cell: event => (event.samples === null ? '' : count(event.samples)), isNumber: true },
]

function Deliveries({ pending, delivered, dead }: ListedEvent['deliveries']) {
  if (pending + delivered + dead === 0) return <span class="soft">none</span>
  return (
    <span class="row">
      {delivered > 0 && <Badge tone="good">{delivered} delivered</Badge>}
      {pending > 0 && <Badge tone="accent">{pending} pending</Badge>}
      {dead > 0 && <Badge tone="bad">{dead} dead</Badge>}
    </span>
  )
}

function LiveBadge({ state }: { readonly state: 'connecting' | 'open' | 'lost' }) {
  if (state === 'open') return <Badge tone="good">Live</Badge>
  return <Badge tone="warn">{state === 'connecting' ? 'Connecting' : 'Not live: reload the page'}</Badge>
}
