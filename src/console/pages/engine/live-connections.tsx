/** The team's live connections, and the data pulled for each of them. */
import type { ResponseOf } from '../../api/call.ts'
import type { Load } from '../../api/use-call.ts'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, type Tone } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

type Status = ResponseOf<'provider.status'>
type Connection = Status['connections'][number]

export function LiveConnections({ load }: { readonly load: Load<Status> }) {
  return (
    <ListCard
      title="Live connections"
      noun="live connections"
      load={load}
      columns={COLUMNS}
      readRows={({ connections }) => connections}
      rowKey={connection => `${connection.user_id} ${connection.provider}`}
      empty={
        <Empty title="Nobody has connected yet">
          Open a user and choose Link a provider, or create a link token for them.
        </Empty>
      }
    />
  )
}

const TONES: Readonly<Record<string, Tone>> = { connected: 'good', error: 'bad', paused: 'warn' }

const COLUMNS: readonly Column<Connection>[] = [
  { title: 'User', cell: connection => <a href={`/console/users/${connection.user_id}`}>{connection.user_id}</a> },
  { title: 'Provider', sort: connection => connection.provider, cell: connection => connection.provider },
  {
    title: 'State',
    sort: ({ status }) => status,
    cell: ({ status, error_message }) => (
      <>
        <Badge tone={TONES[status] ?? 'neutral'}>{status}</Badge>
        {error_message !== null && <div class="soft">{error_message}</div>}
      </>
    ),
  },
  {
    title: 'Last pull',
    sort: connection => connection.last_pull_at,
    cell: connection => <Ago at={connection.last_pull_at} clock="real" />,
  },
  {
    title: 'Next pull',
    cell: connection => connection.next_pull_at && <Ago at={connection.next_pull_at} clock="real" />,
  },
  {
    title: 'Received',
    cell: ({ collections }) => count(collections.reduce((sum, each) => sum + each.received, 0)),
    isNumber: true,
  },
  {
    title: 'Not mapped',
    cell: ({ collections }) => {
      const kinds = collections.flatMap(({ unmapped }) => Object.entries(unmapped))
      return kinds.map(([kind, times]) => (
        <div key={kind}>
          {kind}: {count(times)}
        </div>
      ))
    },
  },
]
