/** The audit trail: who changed what, and when. */
import { readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Filters } from '../../parts/list/filters.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useCursorPages } from '../../shell/list-pages.ts'
import { useUrlState } from '../../shell/url-state.ts'

type Entry = ResponseOf<'audit.list'>['entries'][number]
type Key = ResponseOf<'key.list'>['keys'][number]

const MOST_KEYS = 1_000

export function AuditTrail() {
  const { operation = '', since = '' } = useUrlState().query
  const { cursor, readPages } = useCursorPages('entries')
  const load = useLoad('audit.list', {
    query: { operation: operation || undefined, since: since || undefined, next_cursor: cursor },
  })
  const keys = useLoad('key.list', { query: { revoked: true, limit: MOST_KEYS } })
  return (
    <>
      <ListCard
        title="Audit trail"
        noun="audit entries"
        load={load}
        lines={8}
        columns={columnsWith(keys.data?.keys ?? [])}
        readRows={page => page.entries}
        rowKey={entry => entry.entry_id}
        readPages={readPages}
        empty={
          <Empty title="No entries">
            {operation === '' && since === ''
              ? 'Every change is recorded here, with the person or key that made it.'
              : 'No entry matches the filters.'}
          </Empty>
        }
      >
        <Filters
          filters={[
            { name: 'operation', label: 'Operation', placeholder: 'user.create' },
            { name: 'since', label: 'Since', type: 'date' },
          ]}
        />
      </ListCard>
      <Command words={['svc', 'engine', 'audit']} flags={{ '--operation': operation, '--since': since }} />
    </>
  )
}

const columnsWith = (keys: readonly Key[]): readonly Column<Entry>[] => [
  { title: 'Time', cell: entry => <Ago at={entry.at} /> },
  { title: 'Operation', cell: entry => entry.operation },
  {
    title: 'By',
    cell: entry => (
      <bdi class="name" title={entry.actor}>
        {entry.person ?? callerText(entry.actor, keys)}
      </bdi>
    ),
  },
  {
    title: 'About',
    cell: entry =>
      Object.entries(entry.object).map(([name, id]) => (
        <div key={name}>
          <span class="soft">{name}</span> <code class="nowrap">{id}</code>
        </div>
      )),
  },
  {
    title: 'Outcome',
    cell: entry => <Badge tone={entry.outcome === 'ok' ? 'good' : 'warn'}>{entry.outcome}</Badge>,
  },
]

/** Returns a name for the caller: the key's label, or the start of the key's ID if the key is not in the list. */
function callerText(actor: string, keys: readonly Key[]): string {
  if (!actor.startsWith('key:')) return readableName(actor)
  const id = actor.slice('key:'.length)
  return keys.find(each => each.key_id === id)?.label || `key ${id.slice(0, 8)}…`
}
