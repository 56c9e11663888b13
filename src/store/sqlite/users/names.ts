/** Names of users that start with a text, read from the indexes alone: ten thousand users must not make a person who types wait. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { UserNames } from '../../user.ts'
import type { Connection } from '../connection.ts'

interface Wanted {
  readonly teamId: TeamId
  readonly start: string
  readonly limit: number
}

/** After every text that starts with what it follows. */
const LAST = '\u{10ffff}'

/** Returns the names in order. Of more than `limit`, the last one takes the last place, so that their common start is that of all. */
export function namesFrom(connection: Connection, wanted: Wanted): UserNames {
  return {
    clientUserIds: values(connection, 'client_user_id', 'user_by_name', wanted),
    userIds: values(connection, 'user_id', 'user_by_id', { ...wanted, start: wanted.start.toLowerCase() }) as UserId[], // what the column holds
  }
}

function values(connection: Connection, column: string, index: string, { teamId, start, limit }: Wanted): string[] {
  const sql = `SELECT ${column} AS value FROM user INDEXED BY ${index}
    WHERE team_id=? AND ${column}>=? AND ${column}<? AND deleted_at IS NULL ORDER BY ${column}`
  const read = (order: string, most: number) =>
    connection
      .all<{ value: string }>(`${sql} ${order} LIMIT ?`, teamId, start, start + LAST, most)
      .map(({ value }) => value)
  const found = read('ASC', limit + 1)
  return found.length <= limit ? found : [...found.slice(0, limit - 1), ...read('DESC', 1)]
}
