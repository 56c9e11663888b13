/** All users of the team: page by page, or those whose name contains a text. */
import { useLocation } from 'preact-iso/router'
import { BASE } from '../../api/base.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Search } from '../../parts/search.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { count, Pager } from '../../parts/table.tsx'
import { LEAST_SEARCHED } from '../../parts/user-picker.tsx'
import { useAddress, wholeOf } from '../../shell/address.ts'
import { useDeleteUser } from './delete-user.ts'
import { CreateUser } from './user-form.tsx'
import { UserTable } from './user-table.tsx'

const ON_A_PAGE = 25

export default function UsersPage() {
  const { route } = useLocation()
  const { query, change } = useAddress()
  const search = query['q'] ?? ''
  const isSearch = search.length >= LEAST_SEARCHED
  const offset = wholeOf(query['offset'], 0)
  const page = useLoad('user.list', isSearch ? null : { query: { offset, limit: ON_A_PAGE } })
  const found = useLoad('user.search', isSearch ? { query: { query_id: search } } : null)
  const remove = useDeleteUser(() => (isSearch ? found : page).reload())
  const create = (
    <Button kind="primary" onClick={() => change({ new: 1 }, true)}>
      Create user
    </Button>
  )
  return (
    <Page title="Users" about="The people whose health data your team has access to." actions={create}>
      <ProblemNote problem={remove.problem} />
      <Card isFlush>
        <div class="list-filters">
          <Search
            placeholder="client_user_id or user_id"
            least={LEAST_SEARCHED}
            value={search}
            onSearch={q => change({ q, offset: null })}
          />
        </div>
        {isSearch ? (
          <Loaded load={found} lines={12}>
            {users =>
              users.length === 0 ? (
                <Empty
                  title="No user found"
                  action={<Button onClick={() => change({ q: null }, true)}>Show all users</Button>}
                >
                  The search finds a part of a client_user_id, or a complete user_id.
                </Empty>
              ) : (
                <>
                  <UserTable users={users} onDelete={remove.run} />
                  <p class="users-found soft" role="status">
                    {users.length === 1 ? '1 user' : `${count(users.length)} users, newest first`}.{' '}
                    {users.length > ON_A_PAGE && 'Type more of the name to see fewer.'}
                  </p>
                </>
              )
            }
          </Loaded>
        ) : (
          <Loaded load={page} lines={12}>
            {({ users, total, limit }) =>
              total === 0 ? (
                <Empty title="No users yet" action={create}>
                  Create a user, then link a provider or import a file. On a terminal, <code>svc engine seed</code>{' '}
                  creates ten people with 90 days of data.
                </Empty>
              ) : (
                <>
                  <UserTable users={users} onDelete={remove.run} />
                  <Pager
                    {...{ offset, limit, total }}
                    noun="users"
                    onGo={next => change({ offset: next || null }, true)}
                  />
                </>
              )
            }
          </Loaded>
        )}
      </Card>
      <Command words={isSearch ? ['svc', 'user', 'search', search] : listWords(offset)} />
      {query['new'] !== undefined && (
        <CreateUser
          onClose={() => change({ new: null })}
          onCreated={user => route(`${BASE}/console/users/${user.user_id}`, true)}
        />
      )}
    </Page>
  )
}

const listWords = (offset: number): string[] => [
  ...['svc', 'user', 'list', '--limit', String(ON_A_PAGE)],
  ...(offset === 0 ? [] : ['--offset', String(offset)]),
]
