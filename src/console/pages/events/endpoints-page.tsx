/** The endpoints that events are sent to. */
import { useState } from 'preact/hooks'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { NewEndpointDialog } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { EventTabs } from './event-tabs.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Endpoint = ResponseOf<'webhook.list'>['endpoints'][number]

export default function EndpointsPage() {
  const load = useLoad('webhook.list', {})
  const [isAdding, setIsAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const add = (
    <Button kind="primary" onClick={() => setIsAdding(true)}>
      Add an endpoint
    </Button>
  )
  return (
    <Page title="Endpoints" about="URLs of your applications that receive events as signed webhooks." actions={add}>
      <EventTabs current="/console/events/endpoints" />
      <ListCard
        title="Endpoints"
        load={load}
        columns={COLUMNS}
        readRows={({ endpoints }) => endpoints}
        rowKey={endpoint => endpoint.endpoint_id}
        empty={
          <Empty title="No endpoints yet" action={add}>
            Add the URL of your application. From then on, every event is sent to it, signed with a secret that only you
            and the service know.
          </Empty>
        }
      />
      <Command words={['svc', 'webhook', 'list']} />
      {isAdding && (
        <NewEndpointDialog
          onClose={() => setIsAdding(false)}
          onAdded={added => {
            setIsAdding(false)
            setSecret(added)
            load.reload()
          }}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  )
}

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    title: 'URL',
    cell: endpoint => (
      <>
        <a href={`/console/events/endpoints/${endpoint.endpoint_id}`}>{endpoint.url}</a>
        {endpoint.description !== '' && <div class="soft">{endpoint.description}</div>}
      </>
    ),
  },
  { title: 'State', cell: endpoint => <EndpointState endpoint={endpoint} /> },
  { title: 'Event types', cell: endpoint => endpoint.event_types.join(', ') },
  { title: 'Waiting', cell: endpoint => count(endpoint.waiting), isNumber: true },
  {
    title: 'Dead',
    cell: endpoint => (endpoint.dead === 0 ? '0' : <Badge tone="bad">{count(endpoint.dead)}</Badge>),
    isNumber: true,
  },
  { title: 'Created', cell: endpoint => <Time at={endpoint.created_at} /> },
]
