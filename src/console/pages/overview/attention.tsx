/** The list of what needs attention. Each line leads to the items that it counts. */
import type { ResponseOf } from '../../api/call.ts'
import { sizeText } from '../../parts/size-text.ts'
import { Badge } from '../../parts/small.tsx'
import { count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

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

export function AttentionList({ items }: { readonly items: readonly Item[] }) {
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
