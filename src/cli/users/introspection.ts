/** Arguments, flags and the next-page hint of the commands that show many users at once. */
import { string as stringArg } from '@oclif/core/args'
import { integer, string } from '@oclif/core/flags'
import { allFlag, type FlagValues } from '../runtime/shared-flags.ts'

/** Maximum number of users on a page. */
const MOST_USERS = 100

export const optionalUser = () =>
  stringArg({ description: 'User, as user_id or client_user_id; defaults to all users of the team' })

export const introspectionFlags = () => ({
  provider: string({ description: 'Only this provider', helpValue: 'SLUG' }),
  limit: integer({ description: 'Maximum number of users to return, 1 to 100', default: 50 }),
  cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
  all: allFlag('limit'),
})

/** Returns the query for the service. */
export function introspectionQuery(
  flags: FlagValues<ReturnType<typeof introspectionFlags>>,
  userId: string | undefined,
) {
  return {
    user_id: userId,
    provider: flags.provider,
    user_limit: flags.all ? MOST_USERS : flags.limit,
    next_cursor: flags.cursor,
  }
}
