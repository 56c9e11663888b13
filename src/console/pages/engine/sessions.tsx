/** Open sessions of the console, which owners can end. */
import { call, type ResponseOf } from '../../api/call.ts'
import { useLoader } from '../../api/use-call.ts'
import type { Change } from '../../parts/list/row-actions.tsx'
import { Name } from '../../parts/name.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

type Session = ResponseOf<'session.list'>['sessions'][number]

const nameOf = ({ name }: Session): string => name ?? 'the owner of the data folder'

const COLUMNS: readonly Column<Session>[] = [
  {
    title: 'Who',
    sort: nameOf,
    cell: session => (
      <>
        <Name>{nameOf(session)}</Name> {session.is_current && <Badge>This session</Badge>}
      </>
    ),
  },
  {
    title: 'Signed in',
    sort: ({ created_at: at }) => at,
    cell: ({ created_at: at }) => <Ago at={at} clock="real" />,
  },
  {
    title: 'Last used',
    sort: ({ last_seen_at: at }) => at,
    cell: ({ last_seen_at: at }) => <Ago at={at} clock="real" />,
  },
  { title: 'Browser', cell: ({ browser }) => browser || 'Unknown' },
]

const END: Change<Session> = {
  title: 'End',
  needs: 'session.end',
  done: 'ended',
  fits: ({ is_current: isCurrent }) => !isCurrent,
  act: ({ session_id }) => call('session.end', { params: { session_id } }),
  isForMany: true,
}

/** `version` changes when sessions have ended elsewhere on the page. */
export function Sessions({ version }: { readonly version: number }) {
  const load = useLoader(`sessions ${version}`, signal => call('session.list', {}, { signal }))
  return (
    <>
      <ListCard
        title="Sessions"
        load={load}
        readRows={({ sessions }) => sessions}
        rowKey={session => session.session_id}
        empty={<Empty title="No sessions">Nobody is signed in.</Empty>}
        noun="sessions"
        nameOf={session => `the session of ${nameOf(session)}`}
        columns={COLUMNS}
        rowActions={[END]}
      />
      <Command words={['svc', 'engine', 'session', 'list']} />
    </>
  )
}
