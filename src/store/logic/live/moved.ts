/** Ends a copy: from then on, the copy uses the token sets, and this store no longer does. */
import type { GrantState } from '../../live/grants.ts'
import { GRANTS } from '../rows/tables.ts'
import { many, one, query, type Steps } from '../steps.ts'
import { lockUsers } from '../users/lock.ts'

/** Figures that change when a token set is added, refreshed or removed. */
export interface GrantsState {
  readonly active: number
  readonly grants: number
  readonly revisions: number
}

const STATE = query<GrantsState>(
  `SELECT count(CASE WHEN state<>'moved' THEN 1 END) AS active, count(*) AS grants, coalesce(sum(rev), 0) AS revisions
   FROM provider_grant`,
)
const OWNERS = query<{ readonly user_id: string }>("SELECT DISTINCT user_id FROM provider_grant WHERE state<>'moved'")
const ALL = GRANTS.query("WHERE state<>'moved' ORDER BY user_id, provider, grant_id")

export function* grantsState(): Steps<GrantsState> {
  return (yield* one(STATE)) ?? { active: 0, grants: 0, revisions: 0 }
}

/** Disables all token sets and removes their content. Returns false and changes nothing if they have changed. */
export function* disableGrants(before: GrantsState): Steps<boolean> {
  yield* lockUsers((yield* many(OWNERS)).map(({ user_id }) => user_id))
  const now = yield* grantsState()
  if (JSON.stringify(now) !== JSON.stringify(before)) return false
  for (const row of yield* many(ALL)) {
    yield* GRANTS.replace({
      ...row,
      state: 'moved' satisfies GrantState,
      sealed: null,
      leased_by: null,
      leased_until: 0,
      renewing_since: null,
      due_at: null,
    })
  }
  return true
}
