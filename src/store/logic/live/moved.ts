/** Ends a copy. From then on, the copy uses the token sets, and this store no longer does. */
import type { TokenSetState } from '../../live/token-sets.ts'
import { TOKEN_SETS } from '../rows/tables.ts'
import { many, one, query, type Steps } from '../steps.ts'
import { lockUsers } from '../users/lock.ts'

/** Figures that change when a token set is added, refreshed or removed. */
export interface TokenSetsState {
  readonly active: number
  readonly grants: number
  readonly revisions: number
}

const STATE = query<TokenSetsState>(
  `SELECT count(CASE WHEN state<>'moved' THEN 1 END) AS active, count(*) AS grants, coalesce(sum(rev), 0) AS revisions
   FROM provider_grant`,
)
const OWNERS = query<{ readonly user_id: string }>("SELECT DISTINCT user_id FROM provider_grant WHERE state<>'moved'")
const ALL = TOKEN_SETS.query("WHERE state<>'moved' ORDER BY user_id, provider, grant_id")

export function* readTokenSetsState(): Steps<TokenSetsState> {
  return (yield* one(STATE)) ?? { active: 0, grants: 0, revisions: 0 }
}

/** Disables all token sets and removes their content. Returns false and changes nothing if the token sets have changed. */
export function* disableTokenSets(before: TokenSetsState): Steps<boolean> {
  yield* lockUsers((yield* many(OWNERS)).map(({ user_id }) => user_id))
  const now = yield* readTokenSetsState()
  if (JSON.stringify(now) !== JSON.stringify(before)) return false
  for (const row of yield* many(ALL)) {
    yield* TOKEN_SETS.replace({
      ...row,
      state: 'moved' satisfies TokenSetState,
      sealed: null,
      leased_by: null,
      leased_until: 0,
      renewing_since: null,
      due_at: null,
    })
  }
  return true
}
