/** The team's events, newest first, and new ones as they happen. */
import { useEffect, useState } from 'preact/hooks'
import { type ListedEvent, useEventStream } from '../../api/event-stream.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { useCursorPages } from '../../shell/list-pages.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { EventFilters, readFilter } from './event-filters.tsx'
import { EventTabs } from './event-tabs.tsx'
import { ResendDialog } from './resend-dialog.tsx'
import { TriggerDialog } from './trigger-dialog.tsx'

const PAGE_SIZE = 50

export default function EventsPage() {
  const { query, change } = useUrlState()
  const filter = readFilter(query)
  const { cursor, readPages } = useCursorPages('events')
  const load = useLoad('event.list', { query: { ...filter, limit: PAGE_SIZE, next_cursor: cursor } })
  const [arrived, setArrived] = useState<readonly ListedEvent[]>([])
  const [dialog, setDialog] = useState<'trigger' | 'resend' | null>(null)
  // earlier pages and time ranges in the past do not change
  const isLive = cursor === undefined && filter.until === undefined && filter.state === undefined
  const stream = useEventStream(isLive ? filter : null, {
    onEvent: event =>
      setArrived(before => [event, ...before.filter(each => each.event_id !== event.event_id)].slice(0, PAGE_SIZE)),
    onGap: load.reload,
  })
  const key = JSON.stringify(filter)
  useEffect(() => setArrived([]), [key, cursor])
  return (
    <Page
      title="Events"
      about="What happened to the data of your users. Each event is sent to every endpoint that subscribes to its type."
      actions={
        <>
          <Button onClick={() => setDialog('resend')}>Resend a period</Button>
          <Button kind="primary" onClick={() => setDialog('trigger')}>
            Trigger an event
          </Button>
        </>
      }
    >
      <EventTabs current="/console/events" />
      <EventFilters query={query} onChange={parts => change({ ...parts, cursor: null })} />
      <ListCard
        title="Events"
        actions={isLive && <LiveBadge state={stream} />}
        load={load}
        lines={8}
        columns={COLUMNS}
        readRows={({ data }) => {
          const known = new Set(data.map(event => event.event_id))
          return cursor === undefined ? [...arrived.filter(event => !known.has(event.event_id)), ...data] : data
        }}
        rowKey={event => event.event_id}
        readPages={readPages}
        empty={<NoEvents isFiltered={key !== '{}'} onTrigger={() => setDialog('trigger')} />}
      />
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
      {dialog === 'trigger' && (
        <TriggerDialog userId={filter.user_id ?? null} onClose={() => setDialog(null)} onDone={load.reload} />
      )}
      {dialog === 'resend' && <ResendDialog onClose={() => setDialog(null)} onDone={load.reload} />}
    </Page>
  )
}

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
  { title: 'Samples', cell: event => (event.samples === null ? '' : count(event.samples)), isNumber: true },
  { title: 'Deliveries', cell: event => <Deliveries {...event.deliveries} /> },
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

function NoEvents({ isFiltered, onTrigger }: { readonly isFiltered: boolean; readonly onTrigger: () => void }) {
  if (isFiltered) return <Empty title="No events match">Change or clear the filters above.</Empty>
  return (
    <Empty
      title="No events yet"
      action={
        <Button kind="primary" onClick={onTrigger}>
          Trigger an event
        </Button>
      }
    >
      Events appear here as soon as a user connects a provider or data arrives. You can also trigger one now.
    </Empty>
  )
}
