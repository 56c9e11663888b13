/** The first page: what needs attention, figures of 14 days, and the latest activity. */
import type { ResponseOf } from '../../api/call.ts'
import { type Load, useLoad } from '../../api/use-call.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Figure } from '../../parts/chart/figure.tsx'
import { sizeText } from '../../parts/files.ts'
import { Card, Page } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

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

function Activity({ load, overview }: { readonly load: Load<Overview>; readonly overview: Overview }) {
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

type Item = ResponseOf<'engine.overview'>['attention'][number]
type Kind = Item['kind']

type Text = (n: number, number: string) => string
const several =
  (one: string, more: string): Text =>
  (n, number) =>
    `${number} ${n === 1 ? one : more}`
const TEXTS: Readonly<Record<Kind, Text>> = {
  connections_in_error: several('connection is in error', 'connections are in error'),
  endpoint_failing: () => 'Every delivery to an endpoint fails',
  endpoint_disabled: () => 'An endpoint was disabled because it failed',
  dead_deliveries: several('delivery was given up', 'deliveries were given up'),
  waiting_deliveries: several('delivery is waiting', 'deliveries are waiting'),
  refused_notifications: several('notification refused in 14 days', 'notifications refused in 14 days'),
  overdue_jobs: several('job is overdue', 'jobs are overdue'),
  disk_low: n => `Only ${sizeText(n)} are free on the disk of the service`,
  store_unreachable: n => `${n} % of the users cannot be reached`,
}
const LISTS: Readonly<Record<Kind, string>> = {
  connections_in_error: '/console/events?type=provider.connection.error',
  endpoint_failing: '/console/events/endpoints',
  endpoint_disabled: '/console/events/endpoints',
  dead_deliveries: '/console/events?state=dead',
  waiting_deliveries: '/console/events?state=pending',
  refused_notifications: '/console/engine/providers',
  overdue_jobs: '/console/engine/jobs',
  disk_low: '/console/engine/status',
  store_unreachable: '/console/engine/status',
}
/** Kinds that may end without an action. */
const WARNINGS: readonly Kind[] = ['endpoint_failing', 'waiting_deliveries', 'refused_notifications', 'overdue_jobs']

/** What needs attention. Each line leads to the items that it counts. */
function AttentionList({ items }: { readonly items: readonly Item[] }) {
  if (items.length === 0) {
    return (
      <p>
        <Badge tone="good">Nothing needs attention</Badge>
      </p>
    )
  }
  return (
    <ul class="attention">
      {items.map(({ kind, count: n, is_minimum: isMinimum, since, endpoint_id: endpoint }) => (
        <li key={`${kind} ${endpoint}`} class="row">
          {WARNINGS.includes(kind) ? <Badge tone="warn">warning</Badge> : <Badge tone="bad">problem</Badge>}
          <a href={endpoint === null ? LISTS[kind] : `${LISTS[kind]}/${endpoint}`}>
            {TEXTS[kind](n, isMinimum ? `${count(n)} or more` : count(n))}
          </a>
          {since && (
            <span class="soft">
              since <Ago at={since} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

type Counter = Exclude<keyof Overview['days'][number], 'date'>

/** The figures of a team with their course over 14 days. Each leads to its list. */
function Figures({ overview: { days, users, connections, deliveries } }: { readonly overview: Overview }) {
  const sum = (name: Counter): number => days.reduce((total, day) => total + day[name], 0)
  const bars = (good: Counter, ...bad: Counter[]) =>
    days.map(day => ({ date: day.date, value: day[good], bad: bad.reduce((total, name) => total + day[name], 0) }))
  const [delivered, failed] = [sum('delivered'), sum('failed')]
  const [ok, refused, broken] = [sum('requests_2xx'), sum('requests_4xx'), sum('requests_5xx')]
  const connected = connections.reduce((total, each) => total + each.count, 0)
  return (
    <div class="figures">
      <Figure title="Users" n={users} href="/console/users" label="New users" days={bars('users')} />
      <Figure
        title="Connections"
        n={connected}
        href="/console/engine/providers"
        label="New connections"
        days={bars('connections')}
      />
      <Figure title="Samples" n={sum('samples')} href="/console/data" label="Stored samples" days={bars('samples')} />
      <Figure title="Events" n={sum('events')} href="/console/events" label="New events" days={bars('events')} />
      <Figure
        title="Deliveries"
        n={delivered + failed}
        href="/console/events/endpoints"
        label="Attempts"
        days={bars('delivered', 'failed')}
      >
        {count(failed)} failed, {count(deliveries.waiting)} waiting now
      </Figure>
      <Figure
        title="Requests"
        n={ok + refused + broken}
        href="/console/reference"
        label="Requests"
        days={bars('requests_2xx', 'requests_4xx', 'requests_5xx')}
      >
        {count(refused)} refused (4xx), {count(broken)} failed (5xx)
      </Figure>
      <p class="soft">Counted once a minute; a crash may lose a minute. Days are in UTC.</p>
    </div>
  )
}
