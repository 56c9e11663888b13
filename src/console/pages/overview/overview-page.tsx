/** The first page: what needs attention, figures of 14 days, and the latest activity. */
import type { ResponseOf } from '../../api/call.ts'
import { type Load, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { AttentionList } from './attention.tsx'
import { Figures } from './figures.tsx'

type Overview = ResponseOf<'engine.overview'>

/** Maximum number of providers. */
const MOST = 8

export default function OverviewPage() {
  const load = useLoad('engine.overview', {})
  return (
    <Page
      title="Overview"
      actions={
        <Button isBusy={load.isLoading} onClick={load.reload}>
          Reload
        </Button>
      }
    >
      <Loaded load={load} lines={12}>
        {overview => (
          <>
            {overview.users === 0 && overview.events.length === 0 && <FirstSteps />}
            <Card title="Needs attention">
              <AttentionList items={overview.attention} />
            </Card>
            {(overview.users > 0 || overview.events.length > 0) && <Activity load={load} overview={overview} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface ActivityProps {
  readonly load: Load<Overview>
  readonly overview: Overview
}

function Activity({ load, overview }: ActivityProps) {
  return (
    <>
      <Card title="Last 14 days">
        <Figures overview={overview} />
      </Card>
      <div class="columns">
        <ListCard
          title="Connections by provider"
          noun="providers"
          isSmall
          load={load}
          columns={PROVIDER_COLUMNS}
          readRows={({ connections }) => connections.slice(0, MOST)}
          rowKey={each => each.provider}
          empty={<Empty title="No connections yet" />}
        />
        <ListCard
          title="Latest events"
          noun="latest events"
          isSmall
          load={load}
          columns={EVENT_COLUMNS}
          readRows={({ events }) => events}
          rowKey={each => each.event_id}
          empty={<Empty title="No events yet" />}
        />
        {overview.audit && (
          <ListCard
            title="Latest changes"
            actions={
              <LinkButton isSmall href="/console/engine/audit">
                Audit trail
              </LinkButton>
            }
            noun="latest changes"
            isSmall
            load={load}
            columns={AUDIT_COLUMNS}
            readRows={({ audit }) => audit ?? []}
            rowKey={each => each.entry_id}
            empty={null}
          />
        )}
      </div>
    </>
  )
}

function FirstSteps() {
  return (
    <Card
      title="First steps"
      actions={
        <LinkButton kind="primary" href="/console/users?new=1">
          Create a user
        </LinkButton>
      }
    >
      <p>Create a user, then link a provider on the user's page or import a file. In a terminal:</p>
      <Command words={['svc', 'user', 'create', 'ada']} />
      <Command words={['svc', 'link', 'demo', 'ada', 'oura']} />
      <Command words={['svc', 'import', 'export.zip']} flags={{ '--user': 'ada' }} />
    </Card>
  )
}

const PROVIDER_COLUMNS: readonly Column<Overview['connections'][number]>[] = [
  { title: 'Provider', cell: each => each.provider },
  { title: 'Connections', isNumber: true, cell: each => count(each.count) },
  { title: 'In error', isNumber: true, cell: each => count(each.in_error) },
]

const EVENT_COLUMNS: readonly Column<Overview['events'][number]>[] = [
  { title: 'Time', cell: each => <Ago at={each.at} /> },
  { title: 'Event', cell: each => <a href={`/console/events/${each.event_id}`}>{each.event_type}</a> },
]
const AUDIT_COLUMNS: readonly Column<NonNullable<Overview['audit']>[number]>[] = [
  { title: 'Time', cell: each => <Ago at={each.at} /> },
  {
    title: 'Operation',
    cell: each => (
      <>
        <a href={`/console/reference/${each.operation}`}>{each.operation}</a>{' '}
        {each.outcome !== 'ok' && <Badge tone="bad">{each.outcome}</Badge>}
      </>
    ),
  },
]
