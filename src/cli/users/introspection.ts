/** The commands that look at many users at once: what they take, and the hint at their next page. */
import { string as stringArg } from '@oclif/core/args'
import { integer, string } from '@oclif/core/flags'

export const optionalUser = () =>
  stringArg({ description: 'user_id or client_user_id; all users of the team unless given' })

export const introspectionFlags = () => ({
  provider: string({ description: 'only this provider', helpValue: 'SLUG' }),
  limit: integer({ description: 'users on a page, 1 to 100', default: 50 }),
  cursor: string({ description: 'next_cursor of the page before', helpValue: 'CURSOR' }),
})

interface IntrospectionValues {
  readonly provider: string | undefined
  readonly limit: number
  readonly cursor: string | undefined
}

/** The query of the service. */
export function introspectionQuery(flags: IntrospectionValues, userId: string | undefined) {
  return { user_id: userId, provider: flags.provider, user_limit: flags.limit, next_cursor: flags.cursor }
}
