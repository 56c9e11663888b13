/** Finds user names that start with a given text. Reads only the indexes, because completion must be fast even with ten thousand users. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { UserNames } from '../../user.ts'
import { many, type Query, query, type Steps } from '../steps.ts'

interface Named {
  readonly value: string
}

/** Queries that read a column's values between two texts, from either end. */
interface ByOrder {
  readonly first: Query<Named>
  readonly last: Query<Named>
}

const CLIENT_USER_IDS = byOrder('client_user_id', 'user_by_name')
const USER_IDS = byOrder('user_id', 'user_by_id')

/** A character that, appended to a prefix, comes after every text with that prefix in the sort order. */
const LAST = '\u{10ffff}'

function byOrder(column: string, index: string): ByOrder {
  const reading = (direction: string) =>
    query<Named>(
      dialect => `SELECT ${column} AS value FROM user ${dialect.index(index)}
        WHERE team_id=? AND ${column}>=? AND ${column}<? AND deleted_at IS NULL ORDER BY ${column} ${direction} LIMIT ?`,
    )
  return { first: reading('ASC'), last: reading('DESC') }
}

/**
 * Returns the names and IDs of active users that start with the text, in order and at most `limit` of each. If there are more, the very
 * last one replaces the last item, so that the items have the same common prefix as all matches.
 */
export function* namesFrom(teamId: TeamId, start: string, limit: number): Steps<UserNames> {
  return {
    clientUserIds: yield* values(CLIENT_USER_IDS, teamId, start, limit),
    userIds: (yield* values(USER_IDS, teamId, start.toLowerCase(), limit)) as UserId[], // the column's content
  }
}

function* values({ first, last }: ByOrder, teamId: TeamId, start: string, limit: number): Steps<string[]> {
  const found = (yield* many(first, [teamId, start, start + LAST, limit + 1])).map(({ value }) => value)
  if (found.length <= limit) return found
  const end = (yield* many(last, [teamId, start, start + LAST, 1])).map(({ value }) => value)
  return [...found.slice(0, limit - 1), ...end]
}
