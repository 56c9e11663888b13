/** The team's users: all users, page by page, or the users that match a search. */
import { Plus } from 'lucide'
import { useLocation } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useCode, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Filters, Search } from '../../parts/list/filters.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { ListTable } from '../../parts/paged-table.tsx'
import { Badge, Command, Name } from '../../parts/small.tsx'
import { Empty, ProblemNote } from '../../parts/states.tsx'
import { type Column, count, offsetPages } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { LEAST_SEARCHED } from '../../parts/user-picker.tsx'
import { FIRST_PAGE, parseWhole, usePrivateSearch, useUrlState } from '../../shell/url-state.ts'
import { DELETE_USER } from './delete-user.ts'

type User = ResponseOf<'user.get'>

const ON_A_PAGE = 25
/** Maximum number of connections listed in a row. The others are only counted. */
const MOST_NAMED = 3

export default function UsersPage() {
  const { route } = useLocation()
  const { query, change } = useUrlState()
  const [search, setSearch] = usePrivateSearch()
  const isSearch = search.length >= LEAST_SEARCHED
  const offset = parseWhole(query['offset'], 0)
  const page = useLoad('user.list', isSearch ? null : { query: { offset, limit: ON_A_PAGE } })
  const found = useLoad('user.search', isSearch ? { query: { query_id: search } } : null)
  const form = useCode(query['new'] === undefined ? null : 'user-form', () => import('./user-form.tsx'))
  const create = (
    <Button kind="primary" icon={Plus} needs="user.create" onClick={() => change({ new: 1 }, true)}>
      Create user
    </Button>
  )
  const matches = found.data?.length ?? 0
  const table = {
    label: 'Users',
    noun: 'users',
    lines: 12,
    columns: COLUMNS,
    rowKey: (user: User) => user.user_id,
    nameOf: (user: User) => user.client_user_id,
    rowActions: [DELETE_USER],
  }
  return (
    <Page title="Users" about="The people whose health data your team has access to." actions={create}>
      <Card isFlush>
        <Filters filters={[]}>
          <Search
            placeholder="client_user_id or user_id"
            least={LEAST_SEARCHED}
            value={search}
            onSearch={text => {
              setSearch(text)
              change(FIRST_PAGE)
            }}
          />
        </Filters>
        {isSearch ? (
          <>
            <ListTable
              {...table}
              load={found}
              readRows={users => users}
              empty={
                <Empty title="No user found" action={<Button onClick={() => setSearch('')}>Show all users</Button>}>
                  The search finds a part of a client_user_id, or a complete user_id.
                </Empty>
              }
            />
            {matches > 0 && (
              <p class="users-found soft" role="status">
                {matches === 1 ? '1 user' : `${count(matches)} users, newest first`}.{' '}
                {matches > ON_A_PAGE && 'Type more of the name to see fewer.'}
              </p>
            )}
          </>
        ) : (
          <ListTable
            {...table}
            load={page}
            readRows={({ users }) => users}
            readPages={({ total, limit }) =>
              offsetPages({ noun: 'users', offset, limit, total }, next => change({ offset: next || null }, true))
            }
            empty={
              <Empty title="No users yet" action={create}>
                Create a user, then link a provider or import a file. On a terminal, <code>svc engine seed</code>{' '}
                creates ten people with 90 days of data.
              </Empty>
            }
          />
        )}
      </Card>
      {isSearch ? (
        <Command words={['svc', 'user', 'search', search]} />
      ) : (
        <Command words={['svc', 'user', 'list', '--limit', `${ON_A_PAGE}`]} flags={{ '--offset': offset }} />
      )}
      <ProblemNote problem={form.problem} onRetry={form.reload} />
      {query['new'] !== undefined && form.data && (
        <form.data.UserDialog
          onClose={() => change({ new: null })}
          onSaved={userId => route(`${BASE}/console/users/${userId}`, true)}
        />
      )}
    </Page>
  )
}

const COLUMNS: readonly Column<User>[] = [
  {
    title: 'User',
    sort: user => user.client_user_id,
    cell: user => (
      <div class="users-name">
        <a href={`/console/users/${user.user_id}`}>
          <Name>{user.client_user_id}</Name>
        </a>
        <code class="soft">{user.user_id}</code>
      </div>
    ),
  },
  {
    title: 'Connections',
    sort: user => user.connected_sources.length,
    cell: user => <Connections user={user} />,
  },
  {
    title: 'Time zone',
    sort: user => user.fallback_time_zone?.id,
    cell: user => <span class="nowrap">{user.fallback_time_zone?.id ?? '–'}</span>,
  },
  { title: 'Created', sort: user => user.created_on, cell: user => <Ago at={user.created_on} /> },
]

function Connections({ user }: { readonly user: User }) {
  const names = user.connected_sources.map(each => each.provider.name)
  if (names.length === 0) return <span class="soft">None</span>
  return (
    <span class="row">
      {names.slice(0, MOST_NAMED).map(name => (
        <Badge key={name}>{name}</Badge>
      ))}
      {names.length > MOST_NAMED && <Badge>{`+${names.length - MOST_NAMED}`}</Badge>}
    </span>
  )
}
