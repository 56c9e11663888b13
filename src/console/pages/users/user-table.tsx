/** Users as rows: who they are, what they are connected to, and what can be done with them. */
import type { Answer } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { Name } from '../../parts/name.tsx'
import { Badge, Time } from '../../parts/small.tsx'
import { type Column, Table } from '../../parts/table.tsx'

type User = Answer<'user.get'>

/** Connections that are named in a row; the others are counted. */
const MOST_NAMED = 3

interface UserTableProps {
  readonly users: readonly User[]
  readonly onDelete: (user: User) => void
}

export function UserTable({ users, onDelete }: UserTableProps) {
  const columns: readonly Column<User>[] = [
    {
      title: 'User',
      cell: user => (
        <div class="users-name">
          <a href={`/console/users/${user.user_id}`}>
            <Name>{user.client_user_id}</Name>
          </a>
          <code class="soft">{user.user_id}</code>
        </div>
      ),
    },
    { title: 'Connections', cell: user => <Connections user={user} /> },
    { title: 'Time zone', cell: user => <span class="nowrap">{user.fallback_time_zone?.id ?? '–'}</span> },
    { title: 'Created', cell: user => <Time at={user.created_on} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: user => (
        <div class="users-actions">
          <Button kind="quiet" isSmall label={`Delete ${user.client_user_id}`} onClick={() => onDelete(user)}>
            Delete
          </Button>
        </div>
      ),
    },
  ]
  return <Table label="Users" columns={columns} rows={users} keyOf={user => user.user_id} />
}

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
