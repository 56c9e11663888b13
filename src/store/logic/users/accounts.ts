/**
 * Finds the users in a team who are connected to a provider account. The rows have no checksum, because they are only an index, and the
 * connections are authoritative.
 */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { command, many, query, run, type Steps } from '../steps.ts'

const USERS_OF_ACCOUNT = query<{ readonly user_id: UserId }>(
  'SELECT user_id FROM account WHERE team_id=? AND provider=? AND external_user_id=?',
)
const ADD_ACCOUNT = command(
  'INSERT INTO account (team_id, provider, external_user_id, user_id) VALUES (?,?,?,?) ON CONFLICT DO NOTHING',
)
const DROP_ACCOUNTS = command('DELETE FROM account WHERE team_id=? AND user_id=?')
const DROP_ACCOUNTS_AT = command('DELETE FROM account WHERE team_id=? AND user_id=? AND provider=?')

/** Returns users who may be connected to the account. */
export function* usersOfAccount(teamId: TeamId, provider: string, externalUserId: string): Steps<UserId[]> {
  const rows = yield* many(USERS_OF_ACCOUNT, [teamId, provider, externalUserId])
  return rows.map(row => row.user_id)
}

/** Records the account to which a user is connected at a provider, or null for none. */
export function* putAccount(
  teamId: string,
  userId: UserId,
  { provider, externalUserId }: { readonly provider: string; readonly externalUserId: string | null },
): Steps<void> {
  yield* run(DROP_ACCOUNTS_AT, [teamId, userId, provider])
  if (externalUserId !== null) yield* run(ADD_ACCOUNT, [teamId, provider, externalUserId, userId])
}

/** Removes the recorded accounts of a user without connections. */
export function* dropAccounts(teamId: string, userId: UserId): Steps<void> {
  yield* run(DROP_ACCOUNTS, [teamId, userId])
}
