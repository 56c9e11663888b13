/** Who changed what, and when. */
import { words } from '../../../catalogue/wording.ts'
import type { Answer } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, CursorPager, Table } from '../../parts/table.tsx'
import { useAddress } from '../../shell/address.ts'
import { useCursorPages } from '../../shell/cursor-pages.ts'

type Entry = Answer<'audit.list'>['entries'][number]
type Key = Answer<'key.list'>['keys'][number]

const MOST_KEYS = 1_000

export function AuditTrail() {
  const { query, change } = useAddress()
  const { cursor, pager } = useCursorPages()
  const operation = query['operation'] ?? ''
  const since = query['since'] ?? ''
  const load = useLoad('audit.list', {
    query: { operation: operation || undefined, since: since || undefined, next_cursor: cursor },
  })
  const keys = useLoad('key.list', { query: { revoked: true, limit: MOST_KEYS } })
  return (
    <>
      <form class="filters" aria-label="Filters" onSubmit={event => event.preventDefault()}>
        <TextField
          label="Operation"
          value={operation}
          onInput={value => change({ operation: value, cursor: null })}
          placeholder="user.create"
        />
        <TextField label="Since" type="date" value={since} onInput={value => change({ since: value, cursor: null })} />
      </form>
      <Card isFlush title="Audit trail">
        <Loaded load={load} lines={8}>
          {page =>
            page.entries.length === 0 ? (
              <Empty title="No entries">
                {operation === '' && since === ''
                  ? 'Every change is recorded here, with the key that made it.'
                  : 'No entry matches the filters.'}
              </Empty>
            ) : (
              <>
                <Table
                  label="Audit trail"
                  columns={columnsWith(keys.data?.keys ?? [])}
                  rows={page.entries}
                  keyOf={entry => entry.entry_id}
                />
                <CursorPager noun="entries" shown={page.entries.length} next={page.next_cursor} {...pager} />
              </>
            )
          }
        </Loaded>
      </Card>
      <Command
        words={[
          'svc',
          'engine',
          'audit',
          ...(operation === '' ? [] : ['--operation', operation]),
          ...(since === '' ? [] : ['--since', since]),
        ]}
      />
    </>
  )
}

const columnsWith = (keys: readonly Key[]): readonly Column<Entry>[] => [
  { title: 'Time', cell: entry => <Time at={entry.at} withSeconds /> },
  { title: 'Operation', cell: entry => entry.operation },
  {
    title: 'By',
    cell: entry => (
      <bdi class="name" title={entry.actor}>
        {callerText(entry.actor, keys)}
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

/** Returns who called: the label of the key, or the start of its id if the list does not have it. */
function callerText(actor: string, keys: readonly Key[]): string {
  if (!actor.startsWith('key:')) return words(actor)
  const id = actor.slice('key:'.length)
  return keys.find(each => each.key_id === id)?.label || `key ${id.slice(0, 8)}…`
}
