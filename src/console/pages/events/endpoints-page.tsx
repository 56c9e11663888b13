/** The endpoints that events are sent to. */
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { useDialog } from '../../parts/form.tsx'
import { Page, TopicTabs } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { DELETE, EndpointDialog, EndpointState, FLIPS } from './endpoint.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Endpoint = ResponseOf<'webhook.list'>['endpoints'][number]

export default function EndpointsPage() {
  const load = useLoad('webhook.list', {})
  const { open, dialog } = useDialog()
  const onSaved = ({ secret = '' }): void => {
    open(({ onClose }) => <SecretDialog {...{ secret, onClose }} />)
    load.reload()
  }
  const add = (
    <Button
      kind="primary"
      needs="webhook.create"
      onClick={() => open(({ onClose }) => <EndpointDialog {...{ onClose, onSaved }} />)}
    >
      Add an endpoint
    </Button>
  )
  return (
    <Page title="Endpoints" about="URLs of your applications that receive events as signed webhooks." actions={add}>
      <TopicTabs topic="/console/events" current="/console/events/endpoints" />
      <ListCard
        title="Endpoints"
        noun="endpoints"
        nameOf={({ url }) => url}
        rowActions={[...FLIPS, DELETE]}
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
      {dialog}
    </Page>
  )
}

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    title: 'URL',
    sort: endpoint => endpoint.url,
    cell: endpoint => (
      <>
        <a href={`/console/events/endpoints/${endpoint.endpoint_id}`}>{endpoint.url}</a>
        {endpoint.description !== '' && <div class="soft">{endpoint.description}</div>}
      </>
    ),
  },
  { title: 'State', sort: endpoint => endpoint.state, cell: endpoint => <EndpointState endpoint={endpoint} /> },
  { title: 'Event types', cell: endpoint => endpoint.event_types.join(', ') },
  { title: 'Waiting', isNumber: true, sort: endpoint => endpoint.waiting, cell: endpoint => count(endpoint.waiting) },
  {
    title: 'Dead',
    sort: endpoint => endpoint.dead,
    cell: endpoint => (endpoint.dead === 0 ? '0' : <Badge tone="bad">{count(endpoint.dead)}</Badge>),
    isNumber: true,
  },
  { title: 'Created', sort: endpoint => endpoint.created_at, cell: endpoint => <Ago at={endpoint.created_at} /> },
]
